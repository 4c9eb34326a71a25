/** Reads files of the tool's folders, which other users must not be able to change. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';
import { CliError } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import { assertTrusted, findUntrustedFile, findUntrustedPath } from './folder-trust.ts';

const OTHERS_ACCESS = 0o077;
const OTHERS_WRITE = 0o002;

/** Reads a file with a key: a regular file, not through a symbolic link. Warns if others can read it. */
export function readPrivateFile(file: string, host: Host, warn: (text: string) => void): string {
  try {
    return readRegularFile(file, (stats) => {
      assertTrusted(findUntrustedFile(host, file, stats), NOTHING_READ, OTHER_FOLDER);
      warnAboutAccess(file, stats, host, warn);
    });
  } catch (error) {
    throw unreadableError(file, error);
  }
}

/**
 * Reads a file of the state folder, or its first `maxBytes`. Throws the file system's error, and usage (2) for anything but
 * a regular file that only this user can write.
 */
export const readStateFile = (file: string, host: Host, maxBytes?: number): string =>
  readRegularFile(file, (stats) => assertTrusted(findUntrustedFile(host, file, stats), 'it is not read'), maxBytes);

function readRegularFile(file: string, check: (stats: Stats) => void, maxBytes?: number): string {
  // Non-blocking, since opening a named pipe waits for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new CliError('usage', `${file} is not a regular file, so it is not read`);
    check(stats);
    if (maxBytes === undefined) return readFileSync(descriptor, 'utf8');
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

export function unreadableError(path: string, cause: unknown): CliError {
  if ((cause as NodeJS.ErrnoException).code === 'ELOOP') {
    const hint = 'Replace the link with the file, or save the key again: formulary auth login';
    return new CliError('usage', `${path} is a symbolic link, which is not followed to a key`, { hint, cause });
  }
  return fileUsageError(
    `${path} cannot be read`,
    cause,
    'set FORMULARY_BASE_URL and FORMULARY_API_KEY, or set XDG_CONFIG_HOME to a folder that you can read',
  );
}

/** Raises usage (2) if others can change the configuration folder, and with it the base URL that a key is sent to. */
export const requireTrustedConfig = (host: Host, folder: string): void =>
  assertTrusted(findUntrustedPath(host, folder), NOTHING_READ, OTHER_FOLDER);

const NOTHING_READ = 'no key and no base URL is taken from it';
const OTHER_FOLDER = 'set XDG_CONFIG_HOME to a folder of your own, or set FORMULARY_BASE_URL and FORMULARY_API_KEY';

/** A trusted path that everybody can write is on a file system without modes, where `chmod` may fail. */
export const canOthersAccess = ({ mode }: Stats, { userId }: Host): boolean =>
  userId !== undefined && (mode & OTHERS_ACCESS) !== 0 && (mode & OTHERS_WRITE) === 0;

/** Warns about a file or folder that other users can read. */
export function warnAboutAccess(path: string, stats: Stats, host: Host, warn: (text: string) => void): void {
  const { mode } = stats;
  if (!canOthersAccess(stats, host)) return;
  const recommendedMode = (mode & 0o170000) === constants.S_IFDIR ? '700' : '600';
  warn(
    `warning: other users may reach ${path} (its mode is ${(mode & 0o777).toString(8)}); close it with: chmod ${recommendedMode} ${path}`,
  );
}
