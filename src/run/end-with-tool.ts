/** For processes that the tool starts: they end when it is gone, also after `kill -9`. */

const WATCH_MS = 500;

/** Ends this process and its group when the tool is gone. A thread watches, which an endless loop does not stop. */
export function endWithTool(): void {
  // Loaded here: some of these processes never need it.
  const { Worker } = require('node:worker_threads') as typeof import('node:worker_threads');
  const group = process.platform === 'win32' ? process.pid : -process.pid;
  const watch = `const tool = ${process.ppid};
    setInterval(() => { if (process.ppid !== tool) process.kill(${group}, 'SIGKILL'); }, ${WATCH_MS});`;
  new Worker(watch, { eval: true, stdin: false }).unref();
}
