/**
 * Detects file systems without modes, such as WSL mounts, on which `chmod` has no effect. Sets the sticky bit, which only
 * restricts others, and removes it again.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { ROOT, STICKY } from './trust-rule.ts';

/** Whether `chmod` has no effect; false if `user` is neither the owner nor root, who alone can test it. */
export function probeChmodIgnored(folder: string, user: number | undefined): boolean {
  let descriptor: number;
  try {
    // By its descriptor: others could replace the folder at the path in between.
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
    // A read-only file system has modes; one that denies its owner has none.
    return !/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test((error as NodeJS.ErrnoException).code ?? '');
  }
}
