/** Checks that the lock file of the current folder is valid, and that its folders exist. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realPath } from '../files/paths.ts';
import { tryListNames } from '../files/try-stat.ts';
import { LOCKFILE, type Lockfile, readLockfile } from '../folder/lockfile.ts';
import { resolveTargetName } from '../settings/resolve-target.ts';
import { getCurrentFolder } from '../state/xdg-paths.ts';
import { findLockFolder } from '../sync/link-files.ts';
import { listFirst } from '../text/shorten.ts';
import type { Check } from './check.ts';

interface LockfileState {
  file: string;
  lockfile: Lockfile;
  /** Folders with an entry but without a manifest. */
  missingFolders: readonly string[];
}

export const checkLockfiles: Check = ({ host, address, flags }) => {
  const current = getCurrentFolder(host);
  if (current === undefined) return undefined;
  const selected = address.value
    ? `; the settings select the target ${resolveTargetName(address.value, flags, host).name}`
    : '';
  const folder = realPath(current);
  const below = tryListNames(folder).map((name) => join(folder, name));
  // Those that `push` of the current folder, or of a folder in it, uses.
  const folders = [findLockFolder(folder, host), ...below].filter((path) => existsSync(join(path, LOCKFILE)));
  if (folders.length === 0) {
    const found = `no ${LOCKFILE} in this folder, above it, or in a folder of it; formulas are matched by name${selected}`;
    return { status: 'ok', found };
  }
  const lockfiles = folders.map(readState);
  const found = lockfiles.map(formatState).join('; ') + selected;
  if (lockfiles.every(({ missingFolders }) => missingFolders.length === 0)) return { status: 'ok', found };
  const advice = 'Restore the folders.\nTo delete their formulas and entries, run: formulary formula push PATH --prune';
  return { status: 'warning', found, advice };
};

function readState(folder: string): LockfileState {
  const file = join(folder, LOCKFILE);
  const result = readLockfile(file, file);
  const names = [...result.values()].flatMap((entries) => [...entries.keys()]);
  const missingFolders = [...new Set(names)].filter((name) => !existsSync(join(folder, name, 'manifest.json')));
  return { file, lockfile: result, missingFolders };
}

const MAX_SHOWN = 5;

function formatState({ file, lockfile: targets, missingFolders }: LockfileState): string {
  const count = [...targets.values()].reduce((sum, entries) => sum + entries.size, 0);
  const missing = missingFolders.length === 0 ? '' : `; no manifest.json in ${listFirst(missingFolders, MAX_SHOWN)}`;
  return `${file}: ${count} ${count === 1 ? 'entry' : 'entries'} for ${targets.size} ${targets.size === 1 ? 'target' : 'targets'}${missing}`;
}
