/** The write lock of a target: two commands of one user never write to it at the same time. */
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { makeFolders } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
import {
  FUTURE_CHANGES_UNDETECTED,
  getWritableState,
  type StateProblem,
  toStateProblem,
  warnAboutState,
} from './state-folder.ts';
import {
  createLockFile,
  findHolder,
  findLastNumber,
  type LockHolder,
  releaseLockFile,
  renewLockFile,
} from './write-lock-files.ts';
import { shortHash } from './xdg-paths.ts';

/** Named as in earlier versions, so that commands of both wait for each other; `locks` has the links to local services. */
const LOCKS_FOLDER = 'turns';

const POLL_MS = 100;
/** How often a holder renews its file, and how long others wait for that if its process cannot be checked. */
const HEARTBEAT_MS = 5000;
const STALE_MS = 30_000;

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
  const folder = join(state.folder, LOCKS_FOLDER, shortHash(target));
  try {
    makeFolders(folder, 0o700);
    const file = await waitForLock(folder, host, target, options);
    const endHeartbeat = host.runEvery(HEARTBEAT_MS, () => renewLockFile(file, host.now()));
    return () => {
      endHeartbeat();
      releaseLockFile(file);
    };
  } catch (error) {
    if (error instanceof CliError) throw error;
    return continueUnlocked(toStateProblem(folder, 'write', error));
  }
}

/** Returns the path of the new lock file. */
async function waitForLock(folder: string, host: Host, target: string, options: LockOptions): Promise<string> {
  const { warn = () => undefined } = options;
  const isStale = createStaleCheck();
  const pause = createPause(host, target, options);
  for (let polls = 0; ; await pause()) {
    const last = findLastNumber(folder);
    const holder = findHolder(join(folder, String(last)), host);
    if ((!holder || isStale(holder)) && createLockFile(folder, last + 1, host.getProcessIdentity())) {
      if (holder) warn(describeStaleLock(holder));
      return join(folder, String(last + 1));
    }
    if (!holder) continue;
    polls += 1;
    if (polls === 2) warn(describeLockWait(holder, target));
  }
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

/** Whether a holder whose process cannot be checked has not renewed its file for 30 s; counted in polls, since clocks differ. */
function createStaleCheck(): (holder: LockHolder) => boolean {
  let lastHolder: LockHolder | undefined;
  let polls = 0;
  return (holder) => {
    polls = lastHolder?.file === holder.file && lastHolder.heartbeat === holder.heartbeat ? polls + 1 : 0;
    lastHolder = holder;
    return !holder.isConfirmedRunning && polls * POLL_MS >= STALE_MS;
  };
}

function describeLockWait(holder: LockHolder, target: string): string {
  const end = holder.isConfirmedRunning
    ? `if it is not running, delete ${holder.file}`
    : `if it does not renew ${holder.file} within ${STALE_MS / 1000} s, it is no longer waited for`;
  return `waiting for another formulary command that writes to ${target}: ${describeHolder(holder)}; ${end}`;
}

const describeStaleLock = (holder: LockHolder) =>
  `warning: ${describeHolder(holder)} has not renewed the lock ${holder.file} for ${STALE_MS / 1000} s; continuing without waiting for it`;

/** The process of a holder, for a message. */
function describeHolder({ processIdentity }: LockHolder): string {
  const [pid, , machine] = processIdentity?.split(' ') ?? [];
  return processIdentity === undefined ? 'a process of another user' : `process ${pid} on ${machine}`;
}
