/** How processes of one machine know of one another, also after an end that came too soon to clear up. */
import { readFileSync, readlinkSync } from 'node:fs';
import type { Host } from './host.ts';

/** This machine, and on Linux the container: two can have one hostname, and neither sees the processes of the other. */
function getMachineIdentity(): string {
  const hostname = process.getBuiltinModule('node:os').hostname();
  try {
    return `${hostname} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname;
  }
}

/** When a running process started, in ticks since this machine did, which tells it from a later one of the same id. */
function readStartTime(pid: number): string | undefined {
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
export const processIdentity: Pick<Host, 'getProcessIdentity' | 'isAlive'> = {
  getProcessIdentity: () => `${process.pid} ${readStartTime(process.pid) ?? '?'} ${getMachineIdentity()}`,
  isAlive: (identity) => {
    const [pid = '', start = '?', ...where] = identity.split(' ');
    if (where.join(' ') !== getMachineIdentity()) return undefined;
    if (!/^[1-9]\d*$/.test(pid)) return false;
    try {
      process.kill(Number(pid), 0);
    } catch (error) {
      // Not allowed to send it a signal: it is there.
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
    }
    // Without the start it may be another process that has the id by now.
    return start === '?' ? undefined : start === (readStartTime(Number(pid)) ?? start);
  },
};
