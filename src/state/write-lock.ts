/** Whose turn it is to write to a target: two commands of one user never write to it at once. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { makeFolders } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
import {
  NOT_REMEMBERED,
  requireReadableState,
  type StateProblem,
  stateProblem,
  warnOfState,
  writableState,
} from './state-folder.ts';
import {
  findHolder,
  type Holder,
  lastNumber,
  makeLockFile,
  releaseLockFile,
  renewLockFile,
} from './write-lock-files.ts';
import { fingerprint } from './xdg-paths.ts';

const POLL_MS = 100;
/** How often a holder shows that it still works, and how long others wait for that where they cannot ask its process. */
const HEARTBEAT_MS = 5000;
const SILENCE_MS = 30_000;

interface Waiting {
  /** Hears of the wait, and of what goes wrong; undefined where that is nobody's business. */
  warn: ((text: string) => void) | undefined;
  /** Ends the wait. */
  stopping: AbortSignal;
  /** How long to wait all the same for what a command that is stopped has to finish, in milliseconds. */
  graceMs?: number;
}

/**
 * Waits until no other command of this user writes to the target, and takes the turn. Gives the function that ends
 * it; a process that ends without calling it ends its turn too. Where the state folder cannot be used, `warn` hears of
 * that, and the command continues without a turn. Raises interrupted when `stopping` ends the wait.
 */
export async function takeTurn(host: Host, target: string, waiting: Waiting): Promise<() => void> {
  const { warn } = waiting;
  const continueWithout = (problem: StateProblem) => {
    const consequence = `another formulary command may write to ${target} at the same time, and ${NOT_REMEMBERED}`;
    if (warn) warnOfState(host, problem, consequence, warn);
    return () => undefined;
  };
  const state = writableState(host);
  if (state.problem) return continueWithout(state.problem);
  const folder = join(state.folder, 'turns', fingerprint(target));
  try {
    makeFolders(folder, 0o700);
    const file = await waitForTurn(folder, host, target, waiting);
    const endHeartbeat = host.repeat(HEARTBEAT_MS, () => renewLockFile(file, host.now()));
    return () => {
      endHeartbeat();
      releaseLockFile(file);
    };
  } catch (error) {
    if (error instanceof CliError) throw error;
    return continueWithout(stateProblem(folder, 'write', error));
  }
}

/** Gives the file that was made. */
async function waitForTurn(folder: string, host: Host, target: string, waiting: Waiting): Promise<string> {
  const { warn = () => undefined } = waiting;
  const isSilent = silenceWatch();
  const pause = pauses(host, target, waiting);
  for (let polls = 0; ; await pause()) {
    const last = lastNumber(folder);
    const holder = findHolder(join(folder, String(last)), host);
    if ((!holder || isSilent(holder)) && makeLockFile(folder, last + 1, host.mark())) {
      if (holder) warn(silenceText(holder));
      return join(folder, String(last + 1));
    }
    if (!holder) continue;
    polls += 1;
    if (polls === 2) warn(waitingText(holder, target));
  }
}

/** Waits for a moment, each time it is called. Raises interrupted when the command is to stop. */
function pauses(host: Host, target: string, { stopping, graceMs = 0 }: Waiting): () => Promise<void> {
  let graceLeftMs = graceMs;
  return async () => {
    // A wait that is stopped already would take no time.
    await host.sleep(POLL_MS, stopping.aborted ? undefined : stopping);
    if (!stopping.aborted) return;
    graceLeftMs -= POLL_MS;
    if (graceLeftMs >= 0) return;
    throw new CliError('interrupted', `interrupted while another command writes to ${target}; nothing was written`);
  };
}

/** Whether a holder that cannot be asked has shown nothing for 30 s; counted in polls, since clocks of computers differ. */
function silenceWatch(): (holder: Holder) => boolean {
  let seen: Holder | undefined;
  let polls = 0;
  return (holder) => {
    polls = seen?.file === holder.file && seen.heartbeat === holder.heartbeat ? polls + 1 : 0;
    seen = holder;
    return !holder.isSure && polls * POLL_MS >= SILENCE_MS;
  };
}

function waitingText(holder: Holder, target: string): string {
  const end = holder.isSure
    ? `if it is not running, delete ${holder.file}`
    : `if it does not renew ${holder.file} within ${SILENCE_MS / 1000} s, it is no longer waited for`;
  return `waiting for another formulary command that writes to ${target}: ${describeHolder(holder)}; ${end}`;
}

const silenceText = (holder: Holder) =>
  `warning: ${describeHolder(holder)} has not renewed the lock ${holder.file} for ${SILENCE_MS / 1000} s; continuing without waiting for it`;

/** The process of a holder, for a message. */
export function describeHolder({ mark }: Holder): string {
  const [pid, , machine] = mark?.split(' ') ?? [];
  return mark === undefined ? 'a process of another user' : `process ${pid} on ${machine}`;
}

/** All turns that commands have at this moment. Throws the file system's error, or usage (2). */
export function heldTurns(host: Host): Holder[] {
  const state = requireReadableState(host);
  const all = state && join(state, 'turns');
  return foldersIn(all).flatMap((folder) => findHolder(join(folder, String(lastNumber(folder))), host) ?? []);
}

function foldersIn(folder: string | undefined): string[] {
  if (folder === undefined) return [];
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [join(folder, entry.name)] : [],
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
