/** Whether what is remembered between runs can be read and written. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { reasonOf } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import { readHistory } from '../state/history.ts';
import { brokenSeen } from '../state/remote-baseline.ts';
import { describeHolder, heldTurns } from '../state/write-lock.ts';
import type { Holder } from '../state/write-lock-files.ts';
import { stateFolder } from '../state/xdg-paths.ts';
import { shellPath } from '../text/shell-quote.ts';
import { type Check, checkOf, type Finding } from './check.ts';

export const stateFiles: Check = checkOf('state folder', ({ host }) => folderFacts(host), judgeFolder);

export interface FolderFacts {
  folder: string | undefined;
  exists: boolean;
  /** Why it cannot be written. */
  problem: string | undefined;
}

function folderFacts(host: Host): FolderFacts {
  const folder = stateFolder(host);
  if (folder === undefined) return { folder, exists: false, problem: undefined };
  const exists = existsSync(folder);
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    return { folder, exists, problem: undefined };
  } catch (error) {
    return { folder, exists, problem: `${nearest}: ${reasonOf(error)}` };
  }
}

/** Pure. */
export function judgeFolder({ folder, exists, problem }: FolderFacts): Finding {
  const advice = 'name one with XDG_STATE_HOME; without it no copies are kept, and writing needs --no-history';
  if (folder === undefined) return { status: 'warning', found: 'there is no HOME, so nothing is remembered', advice };
  if (problem !== undefined) return { status: 'warning', found: `cannot be written: ${problem}`, advice };
  return { status: 'ok', found: exists ? folder : `${folder}, not there yet` };
}

export const turns: Check = checkOf('turns', ({ host }) => readable(() => heldTurns(host)), judgeTurns);

/** Pure. */
export function judgeTurns(held: readonly Holder[] | string, platform: string): Finding {
  if (typeof held === 'string') return unreadable(held);
  if (held.length === 0) return { status: 'ok', found: 'no other command is writing' };
  const found = held.map(describeHolder).join(', ');
  const files = held.map(({ file }) => shellPath(file, platform)).join(' ');
  return {
    status: 'warning',
    found: `a command is writing, and others wait for it: ${found}`,
    advice: `wait for it; if it is not running: rm ${files}`,
  };
}

export const history: Check = checkOf('history', ({ host }) => readable(() => historyFacts(host)), judgeHistory);

interface HistoryFacts {
  count: number;
  /** What is said of files that are no copies. */
  broken: readonly string[];
}

function historyFacts(host: Host): HistoryFacts {
  const broken: string[] = [];
  const { length } = readHistory(host, (text) => broken.push(text.replace(/^warning: /, '')));
  return { count: length, broken };
}

/** Pure. */
export function judgeHistory(known: HistoryFacts | string): Finding {
  if (typeof known === 'string') return unreadable(known);
  const { count, broken } = known;
  const found = count === 0 ? 'no copies are kept yet' : `${count} ${count === 1 ? 'copy is' : 'copies are'} kept`;
  if (broken.length === 0) return { status: 'ok', found };
  return { status: 'warning', found: `${found}; ${broken.join('; ')}`, advice: 'remove the files that are no copies' };
}

export const seen: Check = checkOf('last seen', ({ host }) => readable(() => brokenSeen(host)), judgeSeen);

/** Pure. */
export function judgeSeen(known: { count: number; broken: readonly string[] } | string, platform: string): Finding {
  if (typeof known === 'string') return unreadable(known);
  const { count, broken } = known;
  if (broken.length > 0) {
    return {
      status: 'warning',
      found: `${broken.join(', ')} cannot be read, so changes that others made are not noticed`,
      advice: `remove it: ${platform === 'win32' ? 'del' : 'rm'} ${broken.map((file) => shellPath(file, platform)).join(' ')}`,
    };
  }
  const services = count === 1 ? '1 service' : `${count} services`;
  return { status: 'ok', found: count === 0 ? 'nothing is known yet' : `what ${services} had is known` };
}

/** What a file system refuses is told in words. */
function readable<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    return error instanceof CliError ? error.message : `cannot be read: ${reasonOf(error)}`;
  }
}

const unreadable = (found: string): Finding => ({
  status: 'warning',
  found,
  advice: 'look at the rights of the state folder',
});
