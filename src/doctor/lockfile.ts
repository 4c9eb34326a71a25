/** Whether the lock above the working folder can be read, and whether its folders are there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { realPath } from '../files/paths.ts';
import { LOCKFILE, type Lockfile, readLockfile } from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import { findLockFolder } from '../sync/links.ts';
import { type Check, type CheckResult, defineCheck, toFailedResult } from './check.ts';

export interface LockfileFacts {
  file: string;
  /** Undefined where there is none. */
  lock: Lockfile | CliError | undefined;
  /** Folders that it names and that are gone. */
  missingFolders: readonly string[];
}

export const lockfile: Check = defineCheck('lock', ({ host }) => gatherLockfile(host), evaluateLockfile);

function gatherLockfile(host: Host): LockfileFacts | undefined {
  let here: string;
  try {
    here = realPath(host.cwd());
  } catch {
    // The working folder is gone.
    return undefined;
  }
  const folder = findLockFolder(here, host);
  const file = join(folder, LOCKFILE);
  if (!existsSync(file)) return { file, lock: undefined, missingFolders: [] };
  const read = tryReadLockfile(file);
  const names = read instanceof CliError ? [] : [...read.values()].flatMap((entries) => [...entries.keys()]);
  const missingFolders = [...new Set(names)].filter((name) => !existsSync(join(folder, name, 'manifest.json')));
  return { file, lock: read, missingFolders };
}

function tryReadLockfile(file: string): Lockfile | CliError {
  try {
    return readLockfile(file, file);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

const MAX_SHOWN = 5;

/** Pure. */
export function evaluateLockfile(facts: LockfileFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { file, lock: read, missingFolders } = facts;
  if (read === undefined) return { status: 'ok', found: `no ${LOCKFILE} here or above: formulas are found by name` };
  if (read instanceof CliError) return toFailedResult(read);
  const count = [...read.values()].reduce((sum, entries) => sum + entries.size, 0);
  const found = `${file}: ${count} ${count === 1 ? 'entry' : 'entries'} of ${read.size} ${read.size === 1 ? 'target' : 'targets'}`;
  if (missingFolders.length === 0) return { status: 'ok', found };
  const more = missingFolders.length > MAX_SHOWN ? ` and ${missingFolders.length - MAX_SHOWN} more` : '';
  return {
    status: 'warning',
    found: `${found}, without a formula in ${missingFolders.slice(0, MAX_SHOWN).join(', ')}${more}`,
    advice: 'bring the folders back, or let formulary formula push PATH --prune delete their formulas and entries',
  };
}
