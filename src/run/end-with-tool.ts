/** Ends a process that the tool started when the tool is gone, also after `kill -9`. */

const WATCH_MS = 500;

/** Starts a thread, which no endless loop blocks, that ends this process and its group when the tool is gone. */
export function endWithTool(): void {
  // Lazy: not every process needs it.
  const { Worker } = require('node:worker_threads') as typeof import('node:worker_threads');
  const group = process.platform === 'win32' ? process.pid : -process.pid;
  const watch = `const tool = ${process.ppid};
    setInterval(() => { if (process.ppid !== tool) process.kill(${group}, 'SIGKILL'); }, ${WATCH_MS});`;
  new Worker(watch, { eval: true, stdin: false }).unref();
}
