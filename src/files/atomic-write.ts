/** Writes files atomically, and creates folders. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { withPath } from './file-errors.ts';
import { renameWithRetry } from './rename.ts';
import { createTempPath, removeOldTemporaryFiles } from './temporary-files.ts';

/**
 * Writes a file under a temporary name and renames it. `mode` is set regardless of the umask; `isDurable` flushes to the
 * disk. Throws the file system's error, with the path.
 */
export function writeFileAtomic(
  path: string,
  text: string | Uint8Array,
  mode?: number,
  isDurable = mode !== undefined,
): void {
  removeOldTemporaryFiles(dirname(path));
  const tempFile = createTempPath(dirname(path));
  try {
    const descriptor = openSync(tempFile, 'wx', mode);
    try {
      writeFileSync(descriptor, text, { flush: isDurable });
      // On the descriptor: in a shared folder, the path may have been replaced with a link.
      if (mode !== undefined) fchmodSync(descriptor, mode);
    } finally {
      closeSync(descriptor);
    }
    renameWithRetry(tempFile, path);
  } catch (error) {
    rmSync(tempFile, { force: true });
    throw withPath(error, path);
  }
}

/** Throws the file system's error if `writeFileAtomic` would. */
export function assertWritable(path: string): void {
  statSync(path, { throwIfNoEntry: false });
  const tempFile = createTempPath(dirname(path));
  try {
    writeFileSync(tempFile, '', { flag: 'wx' });
  } finally {
    rmSync(tempFile, { force: true });
  }
}

/**
 * Creates a folder and its missing parents, with `mode` regardless of the umask. Not with `recursive`, which never
 * returns in /proc. Throws the file system's error.
 */
export function makeFolders(path: string, mode?: number): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolders(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
    if (mode !== undefined) chmodSync(path, mode);
  } catch (error) {
    // Another process may have created it at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
