/**
 * Whether `chmod` changes nothing on the file system of a folder, as on a WSL mount, so that its mode says nothing: tried
 * with the sticky bit, with which others can do less, and taken back.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { ROOT, STICKY } from './trust-rule.ts';

/** For `user`; only the owner and root can try, for others it counts as having modes. */
export function ignoresChmod(folder: string, user: number | undefined): boolean {
  let opened: number;
  try {
    // An open folder: by its path others could put another one in its place meanwhile.
    opened = openSync(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  } catch {
    return false;
  }
  try {
    const { uid, mode } = fstatSync(opened);
    if ((uid !== user && user !== ROOT) || mode & STICKY) return false;
    return !canSetSticky(opened, mode & 0o7777);
  } finally {
    closeSync(opened);
  }
}

function canSetSticky(opened: number, mode: number): boolean {
  try {
    fchmodSync(opened, mode | STICKY);
    const isSet = (fstatSync(opened).mode & STICKY) !== 0;
    if (isSet) fchmodSync(opened, mode);
    return isSet;
  } catch (error) {
    // A read-only disk has modes; one that refuses its owner has none.
    return !/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test((error as NodeJS.ErrnoException).code ?? '');
  }
}
