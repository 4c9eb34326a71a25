/** Files that only this user should read: how they are read, and what is said when others can reach them. */
import { chmodSync, closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { CliError } from '../errors.ts';
import { fileRefusal } from '../file-error.ts';
import type { Host } from '../host.ts';

const OTHERS = 0o077;

/** A file through no link and of no other kind, read after its owner and rights were looked at. */
export function readOwnFile(file: string, host: Host, warn: (text: string) => void): string {
  let opened: number | undefined;
  try {
    // Not blocking: a named pipe would wait for a writer.
    opened = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(opened);
    if (!stats.isFile()) throw new CliError('usage', `${file} is not a regular file, so it is not read`);
    checkAccess(file, stats, host, warn);
    return readFileSync(opened, 'utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw unreadable(file, error);
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

export function unreadable(path: string, cause: unknown): CliError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ELOOP') {
    return new CliError('usage', `${path} is a symbolic link, which is not followed to a key`, {
      hint: 'put the file itself there, or keep the key anew with: formulary auth login',
      cause,
    });
  }
  return fileRefusal(
    `${path} cannot be read`,
    cause,
    'set FORMULARY_BASE_URL and FORMULARY_API_KEY, or set XDG_CONFIG_HOME to a folder that you can read',
  );
}

/** Raises usage (2) for a folder of another user; `warn` hears of one that others can reach. */
export function checkOwnFolder(folder: string, host: Host, warn: (text: string) => void): void {
  let stats: Stats;
  try {
    stats = statSync(folder);
  } catch (error) {
    throw unreadable(folder, error);
  }
  checkAccess(folder, stats, host, warn);
}

/** What another user owns may lead a key to that user's address; what others can read gets a warning. */
function checkAccess(path: string, { uid, mode }: Stats, host: Host, warn: (text: string) => void): void {
  if (host.user === undefined) return;
  if (uid !== host.user && uid !== 0) {
    throw new CliError('usage', `${path} belongs to another user, so no key and no address is taken from it`, {
      hint: 'name a folder of your own with XDG_CONFIG_HOME, or set FORMULARY_BASE_URL and FORMULARY_API_KEY',
    });
  }
  if ((mode & OTHERS) !== 0) {
    const wanted = (mode & 0o170000) === constants.S_IFDIR ? '700' : '600';
    warn(
      `warning: other users may reach ${path} (its mode is ${(mode & 0o777).toString(8)}); close it with: chmod ${wanted} ${path}`,
    );
  }
}

/** Takes rights away that others have on a folder of ours. */
export function closeToOthers(folder: string, host: Host): void {
  checkOwnFolder(folder, host, () => chmodSync(folder, 0o700));
}
