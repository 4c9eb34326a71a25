/** Prepares a pull: the folder of each formula, links, and baselines. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServiceClient } from '../../api/client.ts';
import type { ListResult } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import { makeFolders } from '../../files/atomic-write.ts';
import { assertPortableNames } from '../../files/new-folder.ts';
import { isWithin, realPath, toDisplayPath, toRelative } from '../../files/paths.ts';
import { findWorkingCopy } from '../../files/repository.ts';
import { findNestedFolders } from '../../folder/find-folders.ts';
import { readManifestName } from '../../folder/manifest.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { getNameWithoutKey } from '../../secrets/key-leaks.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { identifyFolders } from '../identity.ts';
import { findLockFolder } from '../link-files.ts';
import { openLinks } from '../links.ts';
import { assertSameTenant } from '../push/tenant-guard.ts';
import { openTracking, type Tracking } from '../tracking.ts';
import { assignFolders, type PullTarget } from './pull-folders.ts';
import type { PullContext } from './write-formula.ts';

export interface PreparedPull {
  targets: readonly PullTarget[];
  context: PullContext;
  tracking: Tracking;
}

/**
 * Creates DIR and finds the folder of each formula; without --dir, linked folders may be anywhere below that of the lock
 * file. Raises usage (2) for an unusable DIR, invalid (3) for an invalid lock file, conflict (6) for that of another tenant.
 */
export async function preparePull(
  formulas: readonly Formula[],
  list: ListResult<Formula>,
  flags: { dir?: string | undefined; force?: boolean | undefined },
  target: TargetName,
  client: ServiceClient,
  host: Host,
): Promise<PreparedPull> {
  const typed = flags.dir ?? '.';
  const dir = createFolder(typed, host);
  const root = flags.dir === undefined ? findLockFolder(dir, host) : dir;
  const folders = findNestedFolders({ displayPath: typed, path: dir }).map(({ path }) => path);
  const tracking = openTracking([dir], target, host, client.warn, { folders });
  if (!flags.force) {
    const lockedIds = { ids: tracking.ids.values(), files: tracking.files };
    assertSameTenant(lockedIds, list, 'adds its formulas to the same lock file', client.command);
  }
  const assigned = assignFolders(formulas, [...new Set([...list.items, ...formulas])], {
    dir,
    ids: followMoves(tracking.ids, folders, list.items),
    isInScope: (folder) => isWithin(folder, root),
    foldersByName: groupByManifestName(folders),
    getName: (formula) => getNameWithoutKey(formula, client.redact),
  });
  const targets = flags.dir === undefined ? assigned : markCopies(assigned, tracking, dir, target, host);
  assertNotFormulaFolder(dir, typed, targets);
  const formatPath = (path: string) =>
    isWithin(path, dir) ? toDisplayPath(typed, toRelative(dir, path)) : toRelative(realPath(host.cwd()), path);
  const context = {
    client,
    root,
    // Content that was about to be sent may never have arrived, so it is a local change.
    findBaselineHash: (folder: string, formula: Formula) => tracking.getBaselineHashes(folder, formula).common,
    force: flags.force ?? false,
    surroundings: getSurroundings(host),
    formatPath,
  };
  return { targets, context, tracking };
}

/** The entries, with those of folders that were moved at their new places, as `push` finds them. */
function followMoves(
  ids: ReadonlyMap<string, string>,
  paths: readonly string[],
  items: readonly Formula[],
): ReadonlyMap<string, string> {
  const entries = [...ids].map(([path, id]) => ({ path, id, isGone: !existsSync(join(path, 'manifest.json')) }));
  if (!entries.some(({ isGone }) => isGone)) return ids;
  const folders = paths.map((path) => ({ path, name: readManifestName(path) }));
  const remotes = items.filter(({ type }) => type !== 'official');
  const followed = new Map(ids);
  for (const [path, identity] of identifyFolders({ folders, entries, remotes, hasCode: () => false })) {
    const from = identity.kind === 'formula' ? identity.movedFrom : undefined;
    const id = from === undefined ? undefined : ids.get(from);
    if (from === undefined || id === undefined) continue;
    if (followed.get(from) === id) followed.delete(from);
    followed.set(path, id);
  }
  return followed;
}

/** Adds the folder, anywhere in the repository, that a formula is linked to: any other folder is a copy. */
function markCopies(
  targets: readonly PullTarget[],
  { ids }: Tracking,
  dir: string,
  target: TargetName,
  host: Host,
): readonly PullTarget[] {
  const isUnlinked = ({ folder, linkedTo }: PullTarget) => linkedTo === undefined && !ids.has(folder);
  const top = findWorkingCopy(dir);
  if (top === undefined || !targets.some(isUnlinked)) return targets;
  const all = openLinks([top], target, host, { searchBelow: 'lenient', onlyExisting: true }).ids;
  const folders = new Map([...all].map(([folder, id]) => [id.toLowerCase(), folder]));
  return targets.map((one) => {
    const other = isUnlinked(one) ? folders.get(one.formula.id.toLowerCase()) : undefined;
    const isCopy = other !== undefined && other !== one.folder && existsSync(join(other, 'manifest.json'));
    return isCopy ? { ...one, linkedTo: other } : one;
  });
}

/** The absolute and real path of DIR, which is created if it is missing. Raises usage (2). */
function createFolder(typed: string, host: Host): string {
  assertPortableNames(resolve(host.cwd(), typed), typed);
  let reason: string | undefined = 'it is a file';
  try {
    const path = resolve(host.cwd(), typed);
    makeFolders(path);
    if (statSync(path).isDirectory()) return realPath(path);
  } catch (error) {
    reason = (error as NodeJS.ErrnoException).code;
  }
  throw new CliError('usage', `could not create the folder ${typed} (${reason})`, {
    hint: 'Pass another folder with --dir.',
  });
}

/** Groups formula folders by the name in their manifest. */
function groupByManifestName(folders: readonly string[]): Map<string, string[]> {
  const foldersByName = new Map<string, string[]>();
  for (const path of folders) {
    const name = readManifestName(path);
    if (name !== undefined) foldersByName.set(name, [...(foldersByName.get(name) ?? []), path]);
  }
  return foldersByName;
}

/** Formula folders cannot be nested. */
function assertNotFormulaFolder(dir: string, typed: string, targets: readonly PullTarget[]): void {
  if (
    !existsSync(join(dir, 'manifest.json')) ||
    targets.every(({ folder }) => folder === dir || !isWithin(folder, dir))
  )
    return;
  throw new CliError('usage', `${typed} is a formula folder that is not linked to every formula to pull`, {
    hint: 'Pass its parent folder with --dir.\nTo link it to a formula, run: formulary formula link DIR ID',
  });
}
