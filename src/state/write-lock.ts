/** Whose turn it is to write to a target: two commands of one user never write to it at once. */
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

const POLL_MS = 100;
/** How often a holder shows that it still works, and how long others wait for that where they cannot ask its process. */
const HEARTBEAT_MS = 5000;
const STALE_MS = 30_000;

interface LockOptions {
  /** Hears of the wait, and of what goes wrong; undefined where that is nobody's business. */
  warn: ((text: string) => void) | undefined;
  /** Ends the wait. */
  abortSignal: AbortSignal;
  /** How long to wait all the same for what a command that is stopped has to finish, in milliseconds. */
  graceMs?: number;
}

/**
 * Waits until no other command of this user writes to the target, and takes the turn. Gives the function that ends
 * it; a process that ends without calling it ends its turn too. Where the state folder cannot be used, `warn` hears of
 * that, and the command continues without a turn. Raises interrupted when `stopping` ends the wait.
 */
export async function acquireLock(host: Host, target: string, options: LockOptions): Promise<() => void> {
  const { warn } = options;
  const continueUnlocked = (problem: StateProblem) => {
    const consequence = `another formulary command may write to ${target} at the same time, and ${FUTURE_CHANGES_UNDETECTED}`;
    if (warn) warnAboutState(host, problem, consequence, warn);
    return () => undefined;
  };
  const state = getWritableState(host);
  if (state.problem) return continueUnlocked(state.problem);
  const folder = join(state.folder, 'turns', shortHash(target));
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

/** Gives the file that was made. */
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

/** Waits for a moment, each time it is called. Raises interrupted when the command is to stop. */
function createPause(host: Host, target: string, { abortSignal, graceMs = 0 }: LockOptions): () => Promise<void> {
  let graceLeftMs = graceMs;
  return async () => {
    // A wait that is stopped already would take no time.
    await host.sleep(POLL_MS, abortSignal.aborted ? undefined : abortSignal);
    if (!abortSignal.aborted) return;
    graceLeftMs -= POLL_MS;
    if (graceLeftMs >= 0) return;
    throw new CliError('interrupted', `interrupted while another command writes to ${target}; nothing was written`);
  };
}

/** Whether a holder that cannot be asked has shown nothing for 30 s; counted in polls, since clocks of computers differ. */
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
