/** Whether what is remembered between runs can be read and written. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import { readHistory } from '../state/history.ts';
import { findBrokenBaselines } from '../state/remote-baseline.ts';
import { describeHolder, listHeldLocks } from '../state/write-lock.ts';
import type { LockHolder } from '../state/write-lock-files.ts';
import { getStateFolder } from '../state/xdg-paths.ts';
import { shellQuotePath } from '../text/shell-quote.ts';
import { type Check, type CheckResult, defineCheck } from './check.ts';

export const stateFiles: Check = defineCheck(
  'state folder',
  ({ host }) => gatherStateFolder(host),
  evaluateStateFolder,
);

export interface StateFolderFacts {
  folder: string | undefined;
  exists: boolean;
  /** Why it cannot be written. */
  problem: string | undefined;
}

function gatherStateFolder(host: Host): StateFolderFacts {
  const folder = getStateFolder(host);
  if (folder === undefined) return { folder, exists: false, problem: undefined };
  const exists = existsSync(folder);
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    return { folder, exists, problem: undefined };
  } catch (error) {
    return { folder, exists, problem: `${nearest}: ${describeFsError(error)}` };
  }
}

/** Pure. */
export function evaluateStateFolder({ folder, exists, problem }: StateFolderFacts): CheckResult {
  const advice = 'name one with XDG_STATE_HOME; without it no copies are kept, and writing needs --no-history';
  if (folder === undefined) return { status: 'warning', found: 'there is no HOME, so nothing is remembered', advice };
  if (problem !== undefined) return { status: 'warning', found: `cannot be written: ${problem}`, advice };
  return { status: 'ok', found: exists ? folder : `${folder}, not there yet` };
}

export const writeLock: Check = defineCheck(
  'turns',
  ({ host }) => readOrExplain(() => listHeldLocks(host)),
  evaluateWriteLock,
);

/** Pure. */
export function evaluateWriteLock(holders: readonly LockHolder[] | string, platform: string): CheckResult {
  if (typeof holders === 'string') return unreadableResult(holders);
  if (holders.length === 0) return { status: 'ok', found: 'no other command is writing' };
  const found = holders.map(describeHolder).join(', ');
  const files = holders.map(({ file }) => shellQuotePath(file, platform)).join(' ');
  return {
    status: 'warning',
    found: `a command is writing, and others wait for it: ${found}`,
    advice: `wait for it; if it is not running: rm ${files}`,
  };
}

export const history: Check = defineCheck(
  'history',
  ({ host }) => readOrExplain(() => gatherHistory(host)),
  evaluateHistory,
);

interface HistoryFacts {
  count: number;
  /** What is said of files that are no copies. */
  broken: readonly string[];
}

function gatherHistory(host: Host): HistoryFacts {
  const broken: string[] = [];
  const { length } = readHistory(host, (text) => broken.push(text.replace(/^warning: /, '')));
  return { count: length, broken };
}

/** Pure. */
export function evaluateHistory(facts: HistoryFacts | string): CheckResult {
  if (typeof facts === 'string') return unreadableResult(facts);
  const { count, broken } = facts;
  const found = count === 0 ? 'no copies are kept yet' : `${count} ${count === 1 ? 'copy is' : 'copies are'} kept`;
  if (broken.length === 0) return { status: 'ok', found };
  return { status: 'warning', found: `${found}; ${broken.join('; ')}`, advice: 'remove the files that are no copies' };
}

export const baselines: Check = defineCheck(
  'last seen',
  ({ host }) => readOrExplain(() => findBrokenBaselines(host)),
  evaluateBaselines,
);

/** Pure. */
export function evaluateBaselines(
  facts: { count: number; broken: readonly string[] } | string,
  platform: string,
): CheckResult {
  if (typeof facts === 'string') return unreadableResult(facts);
  const { count, broken } = facts;
  if (broken.length > 0) {
    return {
      status: 'warning',
      found: `${broken.join(', ')} cannot be read, so changes that others made are not noticed`,
      advice: `remove it: ${platform === 'win32' ? 'del' : 'rm'} ${broken.map((file) => shellQuotePath(file, platform)).join(' ')}`,
    };
  }
  const services = count === 1 ? '1 service' : `${count} services`;
  return { status: 'ok', found: count === 0 ? 'nothing is known yet' : `what ${services} had is known` };
}

/** What a file system refuses is told in words. */
function readOrExplain<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    return error instanceof CliError ? error.message : `cannot be read: ${describeFsError(error)}`;
  }
}

const unreadableResult = (found: string): CheckResult => ({
  status: 'warning',
  found,
  advice: 'look at the rights of the state folder',
});
