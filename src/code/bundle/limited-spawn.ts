/**
 * Limits the memory of esbuild's process, which has no setting for it: 20,000 nested blocks in 40 KB would use 4 GiB.
 * Where there is no shell, as on Windows, only time is limited.
 */
import childProcess from 'node:child_process';
import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import { MAX_MEMORY_MIB } from './limits.ts';

const SHELL = '/bin/sh';

/** At the soft limit esbuild collects garbage; at the hard one it ends. */
const SCRIPT = `ulimit -d ${MAX_MEMORY_MIB * 1024} 2>/dev/null; export GOMEMLIMIT=${Math.round(MAX_MEMORY_MIB * 0.7)}MiB; exec "$0" "$@"`;

/** Wraps a command with the limits; without a POSIX shell, returns the command itself. */
export const limitCommand = (
  command: string,
  args: readonly string[],
  system = platform(),
): [command: string, args: readonly string[]] =>
  // On Windows /bin/sh is a path on the current drive, where Git or Cygwin may have put one.
  system !== 'win32' && existsSync(SHELL) ? [SHELL, ['-c', SCRIPT, command, ...args]] : [command, args];

/** Processes that `start` spawns synchronously get the limits. */
export function withProcessLimits<T>(start: () => T): T {
  const { spawn } = childProcess;
  Object.assign(childProcess, {
    spawn: (command: string, args: readonly string[], options: childProcess.SpawnOptions) => {
      // Its output at the memory limit is not useful.
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
