/**
 * Limits for the process of esbuild, which has no setting for them: a file of 40 KB with 20,000 nested blocks makes it
 * take 4 GiB. Where there is no shell to set them, the time limit is what remains.
 */
import childProcess from 'node:child_process';
import { existsSync } from 'node:fs';
import { MAX_MEMORY_MIB } from './limits.ts';

const SHELL = '/bin/sh';

/** The soft limit makes it collect garbage in time; at the hard one it ends. */
const SCRIPT = `ulimit -d ${MAX_MEMORY_MIB * 1024} 2>/dev/null; export GOMEMLIMIT=${Math.round(MAX_MEMORY_MIB * 0.7)}MiB; exec "$0" "$@"`;

/** Calls `start`; a process that it starts before it returns gets the limits. */
export function withLimitedProcess<T>(start: () => T): T {
  const { spawn } = childProcess;
  Object.assign(childProcess, {
    spawn: (command: string, words: readonly string[], options: childProcess.SpawnOptions) => {
      // What it writes when it ends for want of memory is of no use to anyone.
      const quiet: childProcess.SpawnOptions = { ...options, stdio: ['pipe', 'pipe', 'ignore'] };
      return existsSync(SHELL) ? spawn(SHELL, ['-c', SCRIPT, command, ...words], quiet) : spawn(command, words, quiet);
    },
  });
  try {
    return start();
  } finally {
    Object.assign(childProcess, { spawn });
  }
}
