/** Files of a project, as anyone may have made them: none that never ends, none too large to be looked at, none of another place. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { findRealPath, isWithin, realPath, splitPath } from './paths.ts';
import { findRepository } from './repository.ts';

/** Far more than any service takes; a text of JavaScript ends at half a GiB. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file of `folder`. Throws the file system's error, also EFTYPE for a pipe or device, EFBIG for a file above
 * 64 MiB, and EXLINK for one that is, by links, outside the repository of the folder, or a dot file of it.
 */
export function readRegularFile(path: string, folder: string = dirname(path)): Buffer {
  refuse(path, findErrorCode(statSync(path)));
  if (isElsewhere(path, folder)) refuse(path, 'EXLINK');
  // Not blocking: a named pipe would wait for a writer.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    refuse(path, findErrorCode(fstatSync(descriptor)));
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function refuse(path: string, code: string | undefined): void {
  if (code !== undefined) throw Object.assign(new Error(`${code}: ${path}`), { code, path });
}

function findErrorCode(stats: Stats): string | undefined {
  if (stats.isDirectory()) return 'EISDIR';
  if (!stats.isFile()) return 'EFTYPE';
  return stats.size > MAX_BYTES ? 'EFBIG' : undefined;
}

/** A repository could name any file of the computer by a link. */
function isElsewhere(path: string, folder: string): boolean {
  const own = findRealPath(folder) ?? folder;
  const real = realPath(path);
  // As it is nearly always: not by a link.
  if (real === join(own, relative(folder, path)) || isSameButForCase(real, own, path)) return false;
  const repository = findRepository(own, {});
  return !isWithin(real, repository) || splitPath(relative(repository, real)).some((name) => name.startsWith('.'));
}

/** On a disk that ignores the case of letters, the real path has that of the disk. */
const isSameButForCase = (real: string, own: string, path: string): boolean =>
  dirname(real) === own && basename(real).toLowerCase() === basename(path).toLowerCase();
