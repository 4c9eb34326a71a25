/** Identifies processes of this computer, to detect lock files of dead ones. */
import { readFileSync, readlinkSync } from 'node:fs';
import { attempt } from '../errors.ts';
import type { Host } from './host.ts';

/** The hostname and, on Linux, the PID namespace: containers may share a hostname but not their processes. */
const getMachineIdentity = (): string =>
  [process.getBuiltinModule('node:os').hostname(), attempt(() => readlinkSync('/proc/self/ns/pid'))].join(' ').trim();

/** The start time of a process in ticks since boot, to detect a reused process id. */
function readStartTime(pid: number): string | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The program's name in parentheses may contain anything. After it, the first field is the state, the 20th the start.
  const fields = text?.replace(/^.*\) /s, '').split(' ');
  return fields?.[0] === 'Z' ? 'over' : fields?.[19];
}

/** Used by the real host and by hosts of tests. */
export const processIdentity: Pick<Host, 'getProcessIdentity' | 'isAlive'> = {
  getProcessIdentity: () => `${process.pid} ${readStartTime(process.pid) ?? '?'} ${getMachineIdentity()}`,
  isAlive: (identity) => {
    const [pid = '', start = '?', ...where] = identity.split(' ');
    if (where.join(' ') !== getMachineIdentity()) return undefined;
    if (!/^[1-9]\d*$/.test(pid)) return false;
    try {
      process.kill(Number(pid), 0);
    } catch (error) {
      // EPERM: the process exists, but belongs to another user.
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
    }
    // Without a start time, the process id may have been reused.
    return start === '?' ? undefined : start === (readStartTime(Number(pid)) ?? start);
  },
};
