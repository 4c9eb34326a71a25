/**
 * Whose turn it is to write to a target. A turn is a numbered file; the next one is made only when the last was given
 * back or its process is gone, and making it can succeed once, so that two commands never both believe to be next.
 */
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { randomId } from '../digest.ts';
import { CliError } from '../errors.ts';
import { makeFolders } from '../folder/write.ts';
import type { Host } from '../host.ts';
import { fingerprint } from './place.ts';
import {
  NOT_REMEMBERED,
  requireReadableState,
  type StateProblem,
  stateProblem,
  warnOfState,
  writableState,
} from './state-folder.ts';

const POLL_MS = 100;
/** Nobody here can tell whether a process of another machine is still there; after so long it counts as gone. */
const FOREIGN_MS = 60 * 60 * 1000;

/**
 * Waits until no other command of this user writes to the target, and takes the turn. Gives the function that ends
 * it; a process that ends without calling it ends its turn too. `warn` hears of the wait. Where the state folder
 * cannot be used, it hears of that, and the command continues without a turn. Raises interrupted when `stopping` ends
 * the wait.
 */
export async function takeTurn(
  host: Host,
  target: string,
  warn: ((text: string) => void) | undefined,
  stopping?: AbortSignal,
): Promise<() => void> {
  const continueWithout = (problem: StateProblem) => {
    if (warn)
      warnOfState(
        host,
        problem,
        `another formulary command may write to ${target} at the same time, and ${NOT_REMEMBERED}`,
        warn,
      );
    return () => undefined;
  };
  const state = writableState(host);
  if (state.problem) return continueWithout(state.problem);
  const folder = join(state.folder, 'turns', fingerprint(target));
  try {
    makeFolders(folder, 0o700);
    return await waitForTurn(folder, host, target, warn ?? (() => undefined), stopping);
  } catch (error) {
    if (error instanceof CliError) throw error;
    return continueWithout(stateProblem(folder, 'write', error));
  }
}

async function waitForTurn(
  folder: string,
  host: Host,
  target: string,
  warn: (text: string) => void,
  stopping: AbortSignal | undefined,
): Promise<() => void> {
  for (let waits = 0; ; ) {
    const last = lastTurn(folder);
    const holder = holderOf(join(folder, String(last)), host);
    if (holder === undefined) {
      const own = last + 1;
      if (makeTurn(folder, own, host.mark())) return () => giveBack(join(folder, String(own)));
      continue;
    }
    waits += 1;
    if (waits === 2) {
      const [pid, , ...machine] = holder.split(' ');
      warn(
        `waiting for another formulary command that writes to ${target}: process ${pid} on ${machine.join(' ')}; if there is none, remove ${folder}`,
      );
    }
    await host.sleep(POLL_MS, stopping);
    if (stopping?.aborted) {
      throw new CliError('interrupted', `interrupted while another command writes to ${target}; nothing was written`);
    }
  }
}

/** Turns of this process that it could not give back: nobody else's, and none to wait for here. */
const stuck = new Set<string>();

/** Empties the file, which a full disk allows. Where even that fails, the turn ends with the process. */
function giveBack(file: string): void {
  try {
    truncateSync(file);
  } catch {
    stuck.add(file);
  }
}

/** A turn that a command has at this moment. */
export interface HeldTurn {
  folder: string;
  /** Its process, as `Host.mark` names it. */
  holder: string;
}

/** All turns that are held. Throws the file system's error, or usage (2). */
export function heldTurns(host: Host): HeldTurn[] {
  const state = requireReadableState(host);
  const all = state && join(state, 'turns');
  if (all === undefined || !existsSync(all)) return [];
  return readdirSync(all).flatMap((name) => {
    const folder = join(all, name);
    const holder = holderOf(join(folder, String(lastTurn(folder))), host);
    return holder === undefined ? [] : [{ folder, holder }];
  });
}

/**
 * Who holds a turn, if it is anybody's: not what no command wrote, nor one of another machine that is too old, nor one
 * that went away meanwhile; then a later one was made, and to make the next one fails.
 */
function holderOf(file: string, host: Host): string | undefined {
  const holder = stuck.has(file) ? undefined : readTurn(file);
  if (holder === undefined || !/^\d+ \S+ .+$/.test(holder) || !host.isRunning(holder)) return undefined;
  const isHere = holder.split(' ')[2] === host.mark().split(' ')[2];
  return isHere || host.now().getTime() - statSync(file).mtimeMs < FOREIGN_MS ? holder : undefined;
}

const turnsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^[1-9]\d{0,14}$/.test(name))
    .map(Number);

const lastTurn = (folder: string) => Math.max(0, ...turnsIn(folder));

function readTurn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes a turn with its holder in it, in one step; false when another was faster. The last turn always stays, so a
 * number above all others is new; one that is not was taken, given back and removed since this command looked.
 */
function makeTurn(folder: string, number: number, mark: string): boolean {
  const place = join(folder, String(number));
  const draft = join(folder, `${randomId()}.draft`);
  try {
    writeFileSync(draft, mark, { flag: 'wx', mode: 0o600 });
    linkSync(draft, place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const turns = turnsIn(folder);
  const isLast = Math.max(...turns) === number;
  for (const old of isLast ? turns.filter((turn) => turn < number) : [number])
    rmSync(join(folder, String(old)), { force: true });
  return isLast;
}
