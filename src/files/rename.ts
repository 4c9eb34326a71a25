/** Renames, also while another program (a virus scanner, an editor) has the file open for a moment. */
import { renameSync } from 'node:fs';
import systemPaths, { win32 } from 'node:path';

/** What a rename needs of the system. */
export interface RenameSystem {
  isWindows: boolean;
  rename(from: string, to: string): void;
  /** Blocks for so many milliseconds. */
  wait(milliseconds: number): void;
}

const SYSTEM: RenameSystem = {
  isWindows: systemPaths === win32,
  rename: renameSync,
  wait: (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
};

/** How Windows refuses to rename a file that another program has open. */
const IN_USE = ['EPERM', 'EACCES', 'EBUSY'];
const RETRY_MS = 1000;
const FIRST_WAIT_MS = 10;
const MAX_WAIT_MS = 200;

/**
 * Renames a file or folder; on Windows for up to a second, while it may be in use. Throws the file system's error, with
 * `isInUse` if it was retried.
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
