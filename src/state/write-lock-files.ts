/**
 * The files of a write lock: a numbered one for each holder, of which only the last counts. The next one is made only
 * when the last was released, and making it can succeed once, so that two commands never both believe to hold the lock.
 */
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createTempPath } from '../files/temporary-files.ts';
import type { Host } from '../host/host.ts';
import { findUntrustedFile } from './folder-trust.ts';

/** Who has a lock at this moment. */
export interface LockHolder {
  file: string;
  /** Its process, as `Host.mark` names it; undefined where the file cannot be read, as after a run by root. */
  processIdentity: string | undefined;
  /** The process can be asked, and is running. */
  isConfirmedRunning: boolean;
  /** Changes as long as the holder works. */
  heartbeat: number;
}

/** A mark is far shorter; nothing longer is read. */
const MAX_BYTES = 1024;
/** Nobody who counts up from 1 comes as far. */
const MAX_NUMBER = 10 ** 12;

/** The number of the last lock file of a folder; 0 where there is none. Throws the file system's error. */
export const findLastNumber = (folder: string): number => findHighest(listNumbers(folder));

const listNumbers = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^[1-9]\d{0,11}$/.test(name))
    .map(Number);

const findHighest = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), 0);

/** Locks of this process that it could not release: nobody else's, and none to wait for here. */
const unreleased = new Set<string>();

/**
 * Who holds the lock of a file, if it is anybody's: not what is not a file, or was not written by a command, nor one
 * that went away meanwhile; then a later one was made, and to make the next one fails.
 */
export function findHolder(file: string, host: Host): LockHolder | undefined {
  if (unreleased.has(file)) return undefined;
  const found = readLockFile(file, host);
  if (found === undefined) return undefined;
  const { processIdentity, heartbeat } = found;
  if (processIdentity === undefined) return { file, processIdentity, isConfirmedRunning: false, heartbeat };
  const isRunning = /^[1-9]\d* \S+ .+$/.test(processIdentity) && host.isAlive(processIdentity);
  return isRunning === false ? undefined : { file, processIdentity, isConfirmedRunning: isRunning === true, heartbeat };
}

function readLockFile(file: string, host: Host): Pick<LockHolder, 'processIdentity' | 'heartbeat'> | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EACCES' || code === 'EPERM' ? describeUnreadableLock(file, host) : undefined;
  }
  try {
    // By the open file: a network file system then asks its server.
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_BYTES || findUntrustedFile(host, file, stats)) return undefined;
    return { processIdentity: readFileSync(descriptor, 'utf8'), heartbeat: stats.mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}

function describeUnreadableLock(
  file: string,
  host: Host,
): Pick<LockHolder, 'processIdentity' | 'heartbeat'> | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size === 0 || findUntrustedFile(host, file, stats)) return undefined;
  return { processIdentity: undefined, heartbeat: stats.mtimeMs };
}

/**
 * Makes a lock file with its holder in it, in one step; false when another was faster. The last file always stays, so a
 * number above all others is new; one that is not was taken, released and removed since this command looked.
 */
export function createLockFile(folder: string, number: number, processIdentity: string): boolean {
  const remove = (old: number) => rmSync(join(folder, String(old)), { force: true, recursive: true });
  if (number >= MAX_NUMBER) {
    // The number before is not that of a lock, and would stay the last for ever.
    remove(number - 1);
    return false;
  }
  const path = join(folder, String(number));
  const temporary = createTempPath(folder);
  try {
    writeFileSync(temporary, processIdentity, { flag: 'wx', mode: 0o600 });
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  const numbers = listNumbers(folder);
  const isLast = findHighest(numbers) === number;
  for (const old of isLast ? numbers.filter((other) => other < number) : [number]) remove(old);
  return isLast;
}

/** Shows others that the holder still works. */
export function renewLockFile(file: string, now: Date): void {
  try {
    utimesSync(file, now, now);
  } catch {
    // Somebody removed it, or the disk fails: the next time may do.
  }
}

/** Empties the file, which a full disk allows. Where even that fails, the lock ends with the process. */
export function releaseLockFile(file: string): void {
  try {
    truncateSync(file);
  } catch {
    unreleased.add(file);
  }
}
