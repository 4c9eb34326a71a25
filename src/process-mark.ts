/** How processes of one machine know of one another, also after an end that came too soon to clear up. */
import { readFileSync } from 'node:fs';
import type { Host } from './host.ts';

const hostname = () => process.getBuiltinModule('node:os').hostname();

/** When a running process started, in ticks since this machine did, which tells it from a later one of the same id. */
function startOf(pid: number): string | undefined {
  try {
    // The program's name, in brackets, may hold anything; after it come the state and, as the 20th field, the start.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? 'over' : fields[19];
  } catch {
    return undefined;
  }
}

/** For the real world, and for worlds made by tests. */
export const processMarks: Pick<Host, 'mark' | 'isRunning'> = {
  mark: () => `${process.pid} ${startOf(process.pid) ?? '?'} ${hostname()}`,
  isRunning: (mark) => {
    const [pid = '', start = '?', ...machine] = mark.split(' ');
    if (machine.join(' ') !== hostname()) return true;
    try {
      process.kill(Number(pid), 0);
    } catch (error) {
      // Not allowed to send it a signal: it is there.
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
    }
    return start === '?' || start === (startOf(Number(pid)) ?? start);
  },
};
