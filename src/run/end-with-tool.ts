/** For processes that the tool starts: they end when it is gone, also after `kill -9`. */
import { Worker } from 'node:worker_threads';

const WATCH_MS = 500;

/** Ends this process, and what it started, when the tool is gone: from a thread, which an endless loop does not stop. */
export function endWithTool(): void {
  const group = process.platform === 'win32' ? process.pid : -process.pid;
  const watch = `const tool = ${process.ppid};
    setInterval(() => { if (process.ppid !== tool) process.kill(${group}, 'SIGKILL'); }, ${WATCH_MS});`;
  new Worker(watch, { eval: true, stdin: false }).unref();
}
