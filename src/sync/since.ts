/** --since REF: what changed since a commit in the repositories of the selected folders, and which folders were removed. */
import { existsSync, lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CheckedFolder, FormulaTree } from '../check/check-tree.ts';
import { CliError } from '../errors.ts';
import { toSlashes } from '../files/paths.ts';
import type { Folder } from '../folder/find-folders.ts';
import { LOCKFILE, type Lockfile, parseLockfile } from '../folder/lockfile.ts';
import { CODE_FILES } from '../folder/read.ts';
import type { ChangedSince } from '../git/changes.ts';
import { findFileVersions } from '../git/folder-history.ts';
import { readObjects, type TreeFile } from '../git/objects.ts';
import type { Environment } from '../git/run-git.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { groupBy } from '../text/group-by.ts';
import { shellQuotePath } from '../text/shell-quote.ts';
import type { CommitTree } from './commit-folders.ts';
import { openLinks } from './links.ts';
import type { Tracking } from './tracking.ts';

export interface SinceSelection {
  /** As passed. */
  reference: string;
  /** By the top of the repository. */
  repositories: ReadonlyMap<string, ChangedSince>;
  /** Formula folders that no longer exist. All folders are absolute and real. */
  removedFolders: ReadonlySet<string>;
  /** Formula folders that were not selected because they did not change. */
  unchangedFolders: readonly Folder[];
}

/** The selected folders of a push or a diff, checked. */
export type SelectedTree = FormulaTree & {
  since?: SinceSelection | undefined;
  /** The commit of --at, whose folders these are. */
  at?: CommitTree | undefined;
};

/** The selected folders, changed or not. */
export const listPaths = ({ folders, since }: SelectedTree): string[] =>
  [...folders.map(({ folder }) => folder), ...(since?.unchangedFolders ?? [])].map(({ path }) => path);

/** The folders in the repository at `top` that were formulas in the merge base, and have no manifest any more. */
export function findRemovedFolders(top: string, { changes }: ChangedSince): string[] {
  const exists = (file: string) => lstatSync(join(top, file), { throwIfNoEntry: false }) !== undefined;
  return [...changes]
    .filter(([file, before]) => before?.isRemoved && basename(file) === 'manifest.json' && !exists(file))
    .map(([file]) => dirname(file))
    .filter((folder) =>
      CODE_FILES.map((name) => join(folder, name)).some((file) => changes.get(toSlashes(file)) || exists(file)),
    )
    .map((folder) => join(top, folder));
}

/**
 * The ids that lock files of the merge base had for removed folders, if these files no longer exist. An id that has an
 * entry in another one now is not gone.
 */
export async function findRemovedIds(
  since: SinceSelection,
  { ids, target }: Tracking,
  host: Host,
): Promise<Map<string, string>> {
  const { repositories, removedFolders } = since;
  const found = new Map<string, string>();
  for (const top of target.isShared ? repositories.keys() : []) {
    const before = await readEntries(top, since, target, host);
    const removed = [...before].filter(([folder]) => removedFolders.has(folder) && !ids.has(folder));
    if (removed.length === 0) continue;
    const linked = openLinks([top], target, host, { searchBelow: 'lenient', onlyExisting: true }).ids;
    const linkedIds = new Set([...linked.values(), ...ids.values()].map((id) => id.toLowerCase()));
    for (const [folder, id] of removed) if (!linkedIds.has(id.toLowerCase())) found.set(folder, id);
  }
  return found;
}

/** The entries, by folder, of the lock files of the merge base that no longer exist. */
async function readEntries(top: string, since: SinceSelection, target: TargetName, host: Host) {
  const removed = [...(since.repositories.get(top)?.changes ?? [])].filter(([file]) => !existsSync(join(top, file)));
  const entries = await readLockEntries(top, listLockFiles(removed), target, host.env);
  if (!entries) throw missingObjectsError(top, since, host);
  return new Map(entries);
}

const listLockFiles = (files: readonly (readonly [path: string, file: TreeFile | undefined])[]) =>
  files.flatMap(([path, file]) =>
    file?.kind === 'file' && basename(path) === LOCKFILE ? [{ folder: dirname(path), id: file.id }] : [],
  );

/** The entries, by folder (absolute), of lock files of commits; undefined if the repository does not have all of them. */
async function readLockEntries(
  top: string,
  lockFiles: readonly { folder: string; id: string }[],
  target: TargetName,
  env: Environment,
): Promise<[folder: string, id: string][] | undefined> {
  const blobs = await readObjects(top, [...new Set(lockFiles.map(({ id }) => id))], env);
  if (lockFiles.some(({ id }) => !blobs.has(id))) return undefined;
  // The nearest lock file of a folder is the longest path, so it comes last.
  const nearestLast = lockFiles.toSorted((a, b) => a.folder.length - b.folder.length);
  return nearestLast.flatMap(({ folder, id }) => {
    const lock = parseLenient(blobs.get(id)?.bytes.toString('utf8') ?? '');
    return [...(lock.get(target.name) ?? [])].map(([name, entry]): [string, string] => [
      join(top, folder, name),
      entry,
    ]);
  });
}

/** The folders that lock files of HEAD's last commits had for formulas, by id in lower case. */
export async function readFormerFolders(
  top: string,
  target: TargetName,
  { env }: Host,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = target.isShared ? await findFileVersions(top, LOCKFILE, env) : [];
  const lockFiles = files.map(({ path, id }) => ({ folder: dirname(path), id }));
  const entries = (await readLockEntries(top, lockFiles, target, env)) ?? [];
  const byId = groupBy(entries, ([, id]) => id.toLowerCase());
  return new Map([...byId].map(([id, same]) => [id, [...new Set(same.map(([folder]) => folder))]]));
}

/** The ids of folders in the lock files of a commit; none for a service on this computer. */
export async function readCommittedIds(
  { top, files }: CommitTree,
  target: TargetName,
  { env }: Host,
): Promise<Map<string, string>> {
  return new Map(target.isShared ? await readLockEntries(top, listLockFiles([...files]), target, env) : []);
}

/** The ids of the commit where these formulas still exist, or where there are no others now. */
export function preferCommitted(
  committed: ReadonlyMap<string, string>,
  current: ReadonlyMap<string, string>,
  folders: readonly CheckedFolder[],
  remotes: readonly Formula[],
): Map<string, string> {
  const existing = new Set(remotes.map(({ id }) => id.toLowerCase()));
  const own = folders.flatMap(({ folder: { path } }) => {
    const id = committed.get(path);
    return id !== undefined && (existing.has(id.toLowerCase()) || !current.has(path)) ? [[path, id] as const] : [];
  });
  const taken = new Set(own.map(([, id]) => id.toLowerCase()));
  return new Map([...[...current].filter(([, id]) => !taken.has(id.toLowerCase())), ...own]);
}

/** A lock file with a mistake counts as empty. */
function parseLenient(text: string): Lockfile {
  try {
    return parseLockfile(text, LOCKFILE);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return new Map();
  }
}

/** A partial clone does not have all files of the merge base. */
export function missingObjectsError(
  top: string,
  { reference, repositories }: SinceSelection,
  { platform }: Pick<Host, 'platform'>,
): CliError {
  const commit = repositories.get(top)?.mergeBase ?? reference;
  return new CliError('usage', `could not read the version of "${reference}": this partial clone does not have it`, {
    hint: `To fetch it, run: git -C ${shellQuotePath(top, platform)} diff --stat ${commit}`,
  });
}
