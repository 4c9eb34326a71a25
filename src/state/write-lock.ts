/** The write lock of a target: two commands of one user never write to it at the same time. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, CliError } from '../errors.ts';
import { makeFolders } from '../files/atomic-write.ts';
import { renameWithRetry } from '../files/rename.ts';
import { createTempPath } from '../files/temporary-files.ts';
import type { Host } from '../host/host.ts';
import {
  FUTURE_CHANGES_UNDETECTED,
  getWritableState,
  type StateProblem,
  toStateProblem,
  warnAboutState,
} from './state-folder.ts';
import { shortHash } from './xdg-paths.ts';

const POLL_MS = 100;
/** How often a holder touches its file, and how long others wait for that if its process cannot be checked. */
const HEARTBEAT_MS = 2000;
const STALE_MS = 30_000;
/** A process identity is much shorter. */
const MAX_BYTES = 1024;

interface LockOptions {
  /** Receives messages about waiting and problems; undefined for a lock that is not reported. */
  warn: ((text: string) => void) | undefined;
  /** Ends waiting. */
  abortSignal: AbortSignal;
  /** How long to wait after the abort for work that must be finished, in milliseconds. */
  graceMs?: number;
}

/**
 * Waits until no other command of this user writes to the target, and acquires its lock. Returns the function that
 * releases it; it also ends with the process. If the state folder cannot be used, warns and continues without a lock.
 * Raises interrupted if the signal aborts while waiting.
 */
export async function acquireLock(host: Host, target: string, options: LockOptions): Promise<() => void> {
  const { warn } = options;
  const continueUnlocked = (problem: StateProblem) => {
    if (warn) warnAboutState(host, problem, `concurrent runs and ${FUTURE_CHANGES_UNDETECTED}`, warn);
    return () => undefined;
  };
  const state = getWritableState(host);
  if (state.problem) return continueUnlocked(state.problem);
  const file = join(state.folder, 'write-locks', shortHash(target));
  const identity = host.getProcessIdentity();
  try {
    makeFolders(dirname(file), 0o700);
    await waitForLock(file, identity, host, target, options);
  } catch (error) {
    if (error instanceof CliError) throw error;
    return continueUnlocked(toStateProblem(file, 'write', error));
  }
  // Shows others that the holder is active; after an error, the next time does.
  const touch = () => attempt(() => utimesSync(file, host.now(), host.now()));
  const endHeartbeat = host.runEvery(HEARTBEAT_MS, touch);
  return () => {
    endHeartbeat();
    // Another command may have taken the lock of a process that was stopped for long, or the state folder may be lost.
    attempt(() => readHolder(file)?.identity === identity && rmSync(file, { force: true }));
  };
}

/** Returns when the lock file is this command's. Throws the file system's error. */
async function waitForLock(
  file: string,
  identity: string,
  host: Host,
  target: string,
  options: LockOptions,
): Promise<void> {
  const { warn = () => undefined } = options;
  const isStale = createStaleCheck();
  const pause = createPause(host, target, options);
  let polls = 0;
  while (!createLockFile(file, identity)) {
    const holder = readHolder(file);
    if (!holder) continue;
    const isRunning = isIdentity(holder.identity) ? host.isAlive(holder.identity) : undefined;
    if (isRunning === false) {
      removeStaleFile(file, holder);
      continue;
    }
    if (isRunning === undefined && isStale(holder)) {
      warn(formatStaleLock(file, holder));
      removeStaleFile(file, holder);
      continue;
    }
    polls += 1;
    if (polls === 2) warn(formatLockWait(file, holder, target));
    await pause();
  }
}

/** False if the file exists. */
function createLockFile(file: string, identity: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(descriptor, identity);
    return true;
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

interface LockHolder {
  /** See `Host.getProcessIdentity`; '' if the file cannot be read, for example after a run as root. */
  identity: string;
  /** Changes as long as the holder touches the file. */
  heartbeat: number;
}

const isIdentity = (text: string) => /^[1-9]\d* \S+ .+$/.test(text);

/** Undefined if the lock was released. */
function readHolder(file: string): LockHolder | undefined {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      // Of the open file: a network file system then asks its server.
      const stats = fstatSync(descriptor);
      const isReadable = stats.isFile() && stats.size <= MAX_BYTES;
      return { identity: isReadable ? readFileSync(descriptor, 'utf8') : '', heartbeat: stats.mtimeMs };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats && { identity: '', heartbeat: stats.mtimeMs };
  }
}

/** Removes the file of a holder, unless another command has just done so and acquired the lock. */
function removeStaleFile(file: string, holder: LockHolder): void {
  const isSame = (other: LockHolder | undefined) =>
    other?.identity === holder.identity && other.heartbeat === holder.heartbeat;
  if (!isSame(readHolder(file))) return;
  const removed = createTempPath(dirname(file));
  try {
    renameWithRetry(file, removed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (isSame(readHolder(removed))) rmSync(removed, { force: true, recursive: true });
  else renameWithRetry(removed, file);
}

/** Returns a function that waits between two polls. Raises interrupted after the abort and the grace period. */
function createPause(host: Host, target: string, { abortSignal, graceMs = 0 }: LockOptions): () => Promise<void> {
  let graceLeftMs = graceMs;
  return async () => {
    // `sleep` returns at once if its signal is already aborted.
    await host.sleep(POLL_MS, abortSignal.aborted ? undefined : abortSignal);
    if (!abortSignal.aborted) return;
    graceLeftMs -= POLL_MS;
    if (graceLeftMs >= 0) return;
    throw new CliError('interrupted', `interrupted while another command writes to ${target}; nothing was written`);
  };
}

/** Whether a holder has not touched its file for 30 s; counted in polls, since clocks differ. */
function createStaleCheck(): (holder: LockHolder) => boolean {
  let last: LockHolder | undefined;
  let polls = 0;
  return (holder) => {
    polls = last?.identity === holder.identity && last.heartbeat === holder.heartbeat ? polls + 1 : 0;
    last = holder;
    return polls * POLL_MS >= STALE_MS;
  };
}

const formatLockWait = (file: string, holder: LockHolder, target: string): string =>
  `waiting for another formulary command that writes to ${target}: ${formatHolder(holder)}; if it is not running, delete ${file}`;

const formatStaleLock = (file: string, holder: LockHolder) =>
  `warning: ${formatHolder(holder)} has not renewed the lock ${file} for ${STALE_MS / 1000} s; continuing without waiting for it`;

/** The process of a holder, for a message. */
function formatHolder({ identity }: LockHolder): string {
  const [pid, , machine] = identity.split(' ');
  return isIdentity(identity) ? `process ${pid} on ${machine}` : 'an unknown process';
}
