/** One process that ends those of all tests when the tool is gone: a thread in each would take 25 % of a short test. */
import { spawn } from 'node:child_process';

export interface Reaper {
  /** Ends a process and its group once the tool is gone. */
  watch(pid: number): void;
  release(pid: number): void;
  close(): void;
}

/** Reads lines `+PID` and `-PID`; its standard input ends with the tool. */
const SCRIPT = `
const isWindows = process.platform === 'win32';
const watched = new Set();
let rest = '';
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) watched[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1)));
});
process.stdin.on('end', () => {
  for (const pid of watched) try { process.kill(isWindows ? pid : -pid, 'SIGKILL'); } catch {}
});`;

/** If the process cannot be started, nothing is watched. */
export function startReaper(nodePath: string, platform: string): Reaper {
  const child = spawn(nodePath, ['-e', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    // So that signals of the terminal do not reach it.
    detached: platform !== 'win32',
    windowsHide: true,
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return {
    watch: (pid) => void child.stdin.write(`+${pid}\n`),
    release: (pid) => void child.stdin.write(`-${pid}\n`),
    close: () => void child.stdin.end(),
  };
}
