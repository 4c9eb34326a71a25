/** Loaded before a process that is watched (node --require, with --expose-gc and an IPC channel): tells what it holds when it is asked. */
const { readdirSync } = require('node:fs');

process.on('message', () => {
  globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  process.send({ rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20, handles, files: readdirSync('/proc/self/fd').length });
});
// A request for a sample must not keep the process alive.
process.channel.unref();
