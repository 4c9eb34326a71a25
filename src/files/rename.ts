/** Renames files, with retries on Windows while another program has the file open. */
import { renameSync } from 'node:fs';
import systemPaths, { win32 } from 'node:path';

/** The functions of the system, for tests. */
interface RenameSystem {
  isWindows: boolean;
  rename(from: string, to: string): void;
  /** Blocks the thread. */
  wait(milliseconds: number): void;
}

const SYSTEM: RenameSystem = {
  isWindows: systemPaths === win32,
  rename: renameSync,
  wait: (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
};

/** The errors of Windows for a file that another program has open. */
const IN_USE = ['EPERM', 'EACCES', 'EBUSY'];
const RETRY_MS = 1000;
const FIRST_WAIT_MS = 10;
const MAX_WAIT_MS = 200;

/**
 * Renames a file or folder; on Windows with retries for up to a second while it may be in use. Throws the file system's
 * error, with `isInUse` if it was retried.
 */
export function renameWithRetry(from: string, to: string, system: RenameSystem = SYSTEM): void {
  let waitMs = FIRST_WAIT_MS;
  let remainingMs = RETRY_MS;
  for (;;) {
    try {
      system.rename(from, to);
      return;
    } catch (error) {
      if (!system.isWindows || !IN_USE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      if (remainingMs === 0) throw Object.assign(error as Error, { isInUse: true });
    }
    system.wait(waitMs);
    remainingMs -= waitMs;
    waitMs = Math.min(2 * waitMs, MAX_WAIT_MS, remainingMs);
  }
}
