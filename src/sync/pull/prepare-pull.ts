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
import { assertWritableEntry } from '../../folder/lockfile.ts';
import { readManifestName } from '../../folder/manifest.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { getNameWithoutKey } from '../../secrets/key-leaks.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { groupBy } from '../../text/group-by.ts';
import { toPathArgument } from '../../text/shell-quote.ts';
import { findLockFolder } from '../link-files.ts';
import { openLinks } from '../links.ts';
import { findIdentities } from '../push/find-identities.ts';
import { findMissing } from '../push/find-missing.ts';
import { assertSameTenant } from '../push/tenant-guard.ts';
import { openTracking, type Tracking } from '../tracking.ts';
import { assignFolders, type PullTarget } from './pull-folders.ts';
import type { PullContext } from './write-formula.ts';

export type PreparedPull = Awaited<ReturnType<typeof preparePull>>;

/**
 * Creates DIR and finds the folder of each formula; without --dir, linked folders may be anywhere below that of the lock
 * file. Raises usage (2) for an unusable DIR, invalid (3) for an invalid lock file, conflict (6) for that of another tenant.
 */
export async function preparePull(
  formulas: readonly Formula[],
  list: ListResult<Formula>,
  { dir: typedDir, force }: { dir: string | undefined; force: boolean },
  { client, target }: { client: ServiceClient; target: TargetName },
  { host, warn }: { host: Host; warn: (text: string) => void },
) {
  const typed = typedDir ?? '.';
  const dir = createFolder(typed, host);
  const root = typedDir === undefined ? findLockFolder(dir, host) : dir;
  const folders = findNestedFolders({ displayPath: typed, path: dir }).map(({ path }) => path);
  const tracking = openTracking([dir], target, host, warn, { folders });
  if (!force) {
    const lockedIds = { ids: tracking.ids.values(), files: tracking.files };
    assertSameTenant(lockedIds, list, 'adds its formulas to the same lock file', client.command);
  }
  const formatPath = (path: string) =>
    isWithin(path, dir) ? toDisplayPath(typed, toRelative(dir, path)) : toRelative(realPath(host.cwd()), path);
  const followed = await followMoves(tracking, dir, folders, list.items, host);
  const { ids, skippedFolders } = followed;
  const assigned = assignFolders(formulas, [...new Set([...list.items, ...formulas])], {
    dir,
    ids,
    isInScope: (folder) => isWithin(folder, root),
    foldersByName: groupBy(folders, readManifestName),
    getName: (formula) => getNameWithoutKey(formula, client.redact),
  });
  const marked = markCopies(assigned, tracking, dir, target, host);
  const targets = marked.filter(({ folder }) => !skippedFolders.has(folder));
  assertNotFormulaFolder(dir, typed, targets);
  for (const { folder } of targets) {
    const file = target.isShared && tracking.ids.has(folder) ? tracking.findFile(folder) : undefined;
    if (file !== undefined) assertWritableEntry(file, target.name, folder);
  }
  const context: PullContext = {
    client,
    root,
    undecided: findUndecided(followed, list.items, formatPath, client),
    // Content that was about to be sent may never have arrived, so it is a local change.
    findBaselineHash: tracking.findBaselineHash,
    force,
    surroundings: getSurroundings(host),
    formatPath,
  };
  const skipped = marked.filter((one) => !targets.includes(one)).map(({ folder }) => formatPath(folder));
  return {
    targets,
    /** The folders that a sparse checkout skips, for messages. */
    skipped,
    context,
    tracking,
    /** The folders that formulas are linked to, or were moved to, by id in lower case. */
    folders: new Map([...ids].map(([folder, id]) => [id.toLowerCase(), folder])),
  };
}

/** The entries, with those of folders that were moved at their new places, as `push` finds them. */
async function followMoves(
  tracking: Tracking,
  dir: string,
  paths: readonly string[],
  remotes: readonly Formula[],
  host: Host,
) {
  const { ids } = tracking;
  const { missingFolders, skippedFolders } = await findMissing([...ids.keys()], () => false, host);
  const linked = [...ids.keys()].filter((path) => !missingFolders.has(path) && !skippedFolders.has(path));
  const folders = [...new Set([...paths, ...linked])].map((path) => ({ path, name: readManifestName(path) }));
  const { identities } = await findIdentities({ folders, roots: [dir], remotes, ids, missingFolders, tracking }, host);
  const followed = new Map(ids);
  for (const [path, identity] of identities) {
    if (identity.kind !== 'formula' || identity.movedFrom === undefined) continue;
    if (followed.get(identity.movedFrom)?.toLowerCase() === identity.id) followed.delete(identity.movedFrom);
    followed.set(path, identity.id);
  }
  return { ids: followed, folders, skippedFolders, identities };
}

/** The errors of formulas that several folders may be, or whose linked folder is another formula, which has none. */
function findUndecided(
  { identities, folders, ids }: Awaited<ReturnType<typeof followMoves>>,
  remotes: readonly Formula[],
  formatPath: (path: string) => string,
  { command }: ServiceClient,
): Map<string, CliError> {
  const names = new Map(remotes.map(({ id, name }) => [id.toLowerCase(), name]));
  const owned = new Set([...identities.values()].flatMap((one) => (one.kind === 'formula' ? [one.id] : [])));
  const candidates = new Map<string, string[]>();
  const misnamed = new Map<string, CliError>();
  for (const { path, name } of folders) {
    const identity = identities.get(path);
    // Such a folder may be each of these.
    const named = [...names].flatMap(([id, other]) => (other === name ? [id] : []));
    if (identity?.kind === 'conflict')
      for (const id of new Set([identity.id, ids.get(path)?.toLowerCase() ?? identity.id, ...named]))
        candidates.set(id, [...(candidates.get(id) ?? []), path]);
    if (identity?.kind !== 'formula' || names.get(identity.id) === name) continue;
    const [other] = [...names].find(([id, otherName]) => otherName === name && !owned.has(id)) ?? [];
    if (other === undefined) continue;
    const message = `${formatPath(path)} is linked to the formula ${JSON.stringify(names.get(identity.id))}, but has the name of another one; nothing was written`;
    const link = command('formula link', toPathArgument(formatPath(path)), other);
    const hint = `To link it to the other one, run: ${link}\nTo keep the link, change the name in manifest.json.`;
    misnamed.set(identity.id, new CliError('conflict', message, { hint }));
  }
  return new Map([
    ...misnamed,
    ...[...candidates].map(([id, paths]): [string, CliError] => {
      const message = `could not tell which folder the formula ${JSON.stringify(names.get(id))} is; nothing was written`;
      const hint = paths
        .map(formatPath)
        .map((path) => `If it is ${path}, run: ${command('formula link', toPathArgument(path), id)}`)
        .join('\n');
      return [id, new CliError('conflict', message, { hint })];
    }),
  ]);
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
