/**
 * Whether `chmod` changes nothing on the file system of a folder, as on a WSL mount, so that its mode says nothing: tried
 * with the sticky bit, with which others can do less, and taken back.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { ROOT, STICKY } from './trust-rule.ts';

/** For `user`; only the owner and root can try, for others it counts as having modes. */
export function probeChmodIgnored(folder: string, user: number | undefined): boolean {
  let descriptor: number;
  try {
    // An open folder: by its path others could put another one in its place meanwhile.
    descriptor = openSync(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  } catch {
    return false;
  }
  try {
    const { uid, mode } = fstatSync(descriptor);
    if ((uid !== user && user !== ROOT) || mode & STICKY) return false;
    return !trySetSticky(descriptor, mode & 0o7777);
  } finally {
    closeSync(descriptor);
  }
}

function trySetSticky(descriptor: number, mode: number): boolean {
  try {
    fchmodSync(descriptor, mode | STICKY);
    const isSet = (fstatSync(descriptor).mode & STICKY) !== 0;
    if (isSet) fchmodSync(descriptor, mode);
    return isSet;
  } catch (error) {
    // A read-only disk has modes; one that refuses its owner has none.
    return !/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test((error as NodeJS.ErrnoException).code ?? '');
  }
}
