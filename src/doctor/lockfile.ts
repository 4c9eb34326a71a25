/** Checks that the lock file of the current folder is valid, and that its folders exist. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realPath } from '../files/paths.ts';
import { LOCKFILE, type Lockfile, readLockfile } from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import { getCurrentFolder } from '../state/xdg-paths.ts';
import { findLockFolder } from '../sync/link-files.ts';
import { listFirst } from '../text/shorten.ts';
import { type Check, type CheckResult, defineCheck } from './check.ts';

export interface LockfileFacts {
  file: string;
  /** Undefined if no lock file exists. */
  lockfile: Lockfile | undefined;
  /** Folders with an entry but without a manifest. */
  missingFolders: readonly string[];
}

export const lockfile: Check = defineCheck('lock file', ({ host }) => gatherLockfile(host), evaluateLockfile);

function gatherLockfile(host: Host): LockfileFacts | undefined {
  const current = getCurrentFolder(host);
  if (current === undefined) return undefined;
  const folder = findLockFolder(realPath(current), host);
  const file = join(folder, LOCKFILE);
  if (!existsSync(file)) return { file, lockfile: undefined, missingFolders: [] };
  const result = readLockfile(file, file);
  const names = [...result.values()].flatMap((entries) => [...entries.keys()]);
  const missingFolders = [...new Set(names)].filter((name) => !existsSync(join(folder, name, 'manifest.json')));
  return { file, lockfile: result, missingFolders };
}

const MAX_SHOWN = 5;

/** Pure. */
export function evaluateLockfile(facts: LockfileFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { file, lockfile: result, missingFolders } = facts;
  if (result === undefined) {
    return { status: 'ok', found: `no ${LOCKFILE} in this folder or above it; formulas are matched by name` };
  }
  const count = [...result.values()].reduce((sum, entries) => sum + entries.size, 0);
  const found = `${file}: ${count} ${count === 1 ? 'entry' : 'entries'} for ${result.size} ${result.size === 1 ? 'target' : 'targets'}`;
  if (missingFolders.length === 0) return { status: 'ok', found };
  return {
    status: 'warning',
    found: `${found}; no manifest.json in ${listFirst(missingFolders, MAX_SHOWN)}`,
    advice: 'Restore the folders.\nTo delete their formulas and entries, run: formulary formula push PATH --prune',
  };
}
