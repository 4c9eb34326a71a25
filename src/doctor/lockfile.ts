/** Whether the lock above the working folder can be read, and whether its folders are there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { realPath } from '../files/paths.ts';
import { LOCK_FILE, type Lock, readLock } from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import { findLockFolder } from '../sync/links.ts';
import { type Check, checkOf, type Finding, failedBy } from './check.ts';

export interface LockFacts {
  file: string;
  /** Undefined where there is none. */
  lock: Lock | CliError | undefined;
  /** Folders that it names and that are gone. */
  gone: readonly string[];
}

export const lock: Check = checkOf('lock', ({ host }) => facts(host), judgeLock);

function facts(host: Host): LockFacts | undefined {
  let here: string;
  try {
    here = realPath(host.cwd());
  } catch {
    // The working folder is gone.
    return undefined;
  }
  const folder = findLockFolder(here, host);
  const file = join(folder, LOCK_FILE);
  if (!existsSync(file)) return { file, lock: undefined, gone: [] };
  const read = lockIn(file);
  const names = read instanceof CliError ? [] : [...read.values()].flatMap((entries) => [...entries.keys()]);
  const gone = [...new Set(names)].filter((name) => !existsSync(join(folder, name, 'manifest.json')));
  return { file, lock: read, gone };
}

function lockIn(file: string): Lock | CliError {
  try {
    return readLock(file, file);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

const SHOWN = 5;

/** Pure. */
export function judgeLock(known: LockFacts | undefined): Finding | undefined {
  if (!known) return undefined;
  const { file, lock: read, gone } = known;
  if (read === undefined) return { status: 'ok', found: `no ${LOCK_FILE} here or above: formulas are found by name` };
  if (read instanceof CliError) return failedBy(read);
  const count = [...read.values()].reduce((sum, entries) => sum + entries.size, 0);
  const found = `${file}: ${count} ${count === 1 ? 'entry' : 'entries'} of ${read.size} ${read.size === 1 ? 'target' : 'targets'}`;
  if (gone.length === 0) return { status: 'ok', found };
  const more = gone.length > SHOWN ? ` and ${gone.length - SHOWN} more` : '';
  return {
    status: 'warning',
    found: `${found}, without a formula in ${gone.slice(0, SHOWN).join(', ')}${more}`,
    advice: 'bring the folders back, or let formulary formula push PATH --prune delete their formulas and entries',
  };
}
