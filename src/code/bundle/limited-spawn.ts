/**
 * Limits for the process of esbuild, which has no setting for them: a file of 40 KB with 20,000 nested blocks makes it
 * take 4 GiB. Where there is no shell to set them, as on Windows, the time limit is what remains.
 */
import childProcess from 'node:child_process';
import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import { MAX_MEMORY_MIB } from './limits.ts';

const SHELL = '/bin/sh';

/** The soft limit makes it collect garbage in time; at the hard one it ends. */
const SCRIPT = `ulimit -d ${MAX_MEMORY_MIB * 1024} 2>/dev/null; export GOMEMLIMIT=${Math.round(MAX_MEMORY_MIB * 0.7)}MiB; exec "$0" "$@"`;

/** The command that runs another within the limits; without a shell of POSIX the command itself. */
export const limitCommand = (
  command: string,
  args: readonly string[],
  system = platform(),
): [command: string, words: readonly string[]] =>
  // On Windows /bin/sh is a path on the current drive, where Git or Cygwin may have put one.
  system !== 'win32' && existsSync(SHELL) ? [SHELL, ['-c', SCRIPT, command, ...args]] : [command, args];

/** Calls `start`; a process that it starts before it returns gets the limits. */
export function withProcessLimits<T>(start: () => T): T {
  const { spawn } = childProcess;
  Object.assign(childProcess, {
    spawn: (command: string, args: readonly string[], options: childProcess.SpawnOptions) => {
      // What it writes when it ends for want of memory is of no use to anyone.
      const quiet: childProcess.SpawnOptions = { ...options, stdio: ['pipe', 'pipe', 'ignore'] };
      return spawn(...limitCommand(command, args), quiet);
    },
  });
  try {
    return start();
  } finally {
    Object.assign(childProcess, { spawn });
  }
}
