/**
 * The files of a write lock: one numbered file per holder, of which only the last counts. The next number is created only
 * after the last file was released, and a file can be created only once, so two commands never both hold the lock.
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

/** The current holder of a lock. */
export interface LockHolder {
  file: string;
  /** See `Host.getProcessIdentity`; undefined if the file cannot be read, for example after a run as root. */
  processIdentity: string | undefined;
  /** Whether the process is known to be running. */
  isConfirmedRunning: boolean;
  /** Changes as long as the holder is active. */
  heartbeat: number;
}

/** A process identity is much shorter; longer files are ignored. */
const MAX_BYTES = 1024;
/** Counting from 1 never gets this far. */
const MAX_NUMBER = 10 ** 12;

/** The number of the last lock file in a folder; 0 if there is none. Throws the file system's error. */
export const findLastNumber = (folder: string): number => findHighest(listNumbers(folder));

const listNumbers = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^[1-9]\d{0,11}$/.test(name))
    .map(Number);

const findHighest = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), 0);

/** Locks that this process could not release; it does not wait for them. */
const unreleased = new Set<string>();

/**
 * The holder of a lock file; undefined if it was released, its process has ended, or no command of this user wrote it. A
 * file that is already gone was replaced by a later one, and creating the next number then fails.
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
    // Of the open file: a network file system then asks its server.
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
 * Creates a lock file with its content in one step; false if another command was faster. The last file is never removed,
 * so the highest number is new; a lower one was acquired, released, and removed in the meantime.
 */
export function createLockFile(folder: string, number: number, processIdentity: string): boolean {
  const remove = (old: number) => rmSync(join(folder, String(old)), { force: true, recursive: true });
  if (number >= MAX_NUMBER) {
    // That number is not of a lock, and would be the last one forever.
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

/** Shows others that the holder is active. */
export function renewLockFile(file: string, now: Date): void {
  try {
    utimesSync(file, now, now);
  } catch {
    // It was removed, or the disk failed; retried at the next interval.
  }
}

/** Empties the file, which works on a full disk. If even that fails, the lock ends with the process. */
export function releaseLockFile(file: string): void {
  try {
    truncateSync(file);
  } catch {
    unreleased.add(file);
  }
}
