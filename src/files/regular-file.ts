/** Reads untrusted files of a repository: regular files of limited size inside the repository. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { attempt } from '../errors.ts';
import { findRealPath, isWithin, realPath, splitPath } from './paths.ts';
import { findRepository } from './repository.ts';

/** Far more than any service accepts, and less than the maximum length of a JavaScript string. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file of `folder`. Throws the file system's error; also EFTYPE for a pipe or device, EFBIG for a file above
 * 64 MiB, and EXLINK for a symbolic link to a file outside the repository or to a dot file.
 */
export function readRegularFile(path: string, folder: string = dirname(path)): Buffer {
  const descriptor = openUnlessLink(path, folder) ?? openLink(path, folder);
  try {
    assertRegularFile(path, fstatSync(descriptor));
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a file or pipe that an argument or a variable names. Throws the file system's error; also EISDIR, EFTYPE for a
 * device, which may never end, and EFBIG above 64 MiB.
 */
export function readNamedFile(path: string): Buffer {
  const stats = statSync(path);
  if (!stats.isFIFO()) assertRegularFile(path, stats);
  const descriptor = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for (let count = -1; count !== 0 && length <= MAX_FILE_BYTES; length += count) {
      const chunk = Buffer.allocUnsafe(Math.max(2 ** 16, stats.size));
      count = readSync(descriptor, chunk);
      chunks.push(chunk.subarray(0, count));
    }
    if (length > MAX_FILE_BYTES) throw createFileError('EFBIG', path);
    return Buffer.concat(chunks);
  } finally {
    closeSync(descriptor);
  }
}

/** Non-blocking, since opening a named pipe waits for a writer. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** A file in the folder itself that is not a symbolic link, which is certainly in the repository; undefined for others. */
function openUnlessLink(path: string, folder: string): number | undefined {
  if (constants.O_NOFOLLOW === undefined || folder !== dirname(path)) return undefined;
  return attempt(() => openSync(path, READ | constants.O_NOFOLLOW));
}

function openLink(path: string, folder: string): number {
  assertRegularFile(path, statSync(path));
  if (isElsewhere(path, folder)) throw createFileError('EXLINK', path);
  return openSync(path, READ);
}

/** An error like those of the file system. */
export const createFileError = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code, path });

/** Throws EISDIR, EFTYPE, or EFBIG for what is not a regular file up to a size. */
export function assertRegularFile(path: string, stats: Stats, limit = MAX_FILE_BYTES): void {
  if (stats.isDirectory()) throw createFileError('EISDIR', path);
  if (!stats.isFile()) throw createFileError('EFTYPE', path);
  if (stats.size > limit) throw createFileError('EFBIG', path);
}

/** Whether a symbolic link points outside the repository or to a dot file. */
function isElsewhere(path: string, folder: string): boolean {
  const own = findRealPath(folder) ?? folder;
  const real = realPath(path);
  // The usual case: not a symbolic link.
  if (real === join(own, relative(folder, path)) || isSameButForCase(real, own, path)) return false;
  const repository = findRepository(own, {});
  return !isWithin(real, repository) || splitPath(relative(repository, real)).some((name) => name.startsWith('.'));
}

/** On a case-insensitive disk, the real path has the letter case of the disk. */
const isSameButForCase = (real: string, own: string, path: string): boolean =>
  dirname(real) === own && basename(real).toLowerCase() === basename(path).toLowerCase();
