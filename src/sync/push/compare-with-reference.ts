/** With --since REF: compares remote formulas with their folders' versions in the merge base of REF and HEAD. */
import { isWithin, toRelative } from '../../files/paths.ts';
import { groupByWorkingCopy } from '../../files/repository.ts';
import { isFormulaFile } from '../../folder/read.ts';
import { type FolderVersion, readFolderVersions } from '../../git/objects.ts';
import type { Host } from '../../host/host.ts';
import { mapInParallel } from '../../host/parallel.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import type { RemoteState } from '../../state/remote-baseline.ts';
import { missingObjectsError, type SinceSelection } from '../since.ts';
import { type CommitBundler, createCommitBundler } from './commit-bundles.ts';
import { compareVersion, loadBodies } from './compare-version.ts';
import { findAncestorsIn } from './find-ancestors.ts';
import type { FolderPair } from './plan-steps.ts';
import { MAX_BUNDLES, MAX_FOLDERS, toChunks } from './visit-versions.ts';

/**
 * The states of the pairs by folder: 'same' if the remote version is that of the merge base or of a later commit of
 * HEAD, 'unknown' if only manifest and icon could be compared. Raises usage (2) if the version cannot be read.
 */
export async function compareWithReference(
  pairs: readonly FolderPair[],
  since: SinceSelection,
  target: TargetName,
  host: Host,
): Promise<ReadonlyMap<string, RemoteState>> {
  const states = new Map<string, RemoteState>();
  for (const base of openBases(pairs, ({ path }) => path, since, host))
    for (const [path, state] of await compareIn(base, since.removedFolders, target, host)) states.set(path, state);
  return states;
}

/** The versions of folders (absolute and real) in the merge base, as far as they can be read. */
export async function findReferenceVersions(
  folders: readonly string[],
  since: SinceSelection,
  host: Host,
): Promise<Map<string, FormulaBody>> {
  const found = new Map<string, FormulaBody>();
  for (const { items, mergeBase, bundler, read } of openBases(folders, (path) => path, since, host)) {
    for (const [path, version] of await read(items)) {
      const [body] = await loadBodies(version, (file) => bundler.bundle(mergeBase, path, file));
      if (body) found.set(path, body);
    }
  }
  return found;
}

/** The merge base of a repository, and the items of the repository. */
interface Base<T> {
  top: string;
  items: readonly T[];
  mergeBase: string;
  bundler: CommitBundler;
  read(folders: readonly string[]): Promise<Map<string, FolderVersion>>;
}

const openBases = <T>(all: readonly T[], getPath: (item: T) => string, since: SinceSelection, host: Host): Base<T>[] =>
  [...groupByWorkingCopy(all, getPath)].flatMap(([top, items]) => {
    const { mergeBase, changes } = since.repositories.get(top) ?? {};
    if (mergeBase === undefined || !changes) return [];
    const bundler = createCommitBundler(top, host, new Map([[mergeBase, changes]]));
    const read = (folders: readonly string[]) => readVersions(top, mergeBase, folders, since, host);
    return [{ top, items, mergeBase, bundler, read }];
  });

async function compareIn(
  { top, items, mergeBase, bundler, read }: Base<FolderPair>,
  removedFolders: SinceSelection['removedFolders'],
  target: TargetName,
  host: Host,
): Promise<Map<string, RemoteState>> {
  const states = new Map<string, RemoteState>();
  const removed = await read([...removedFolders].filter((path) => isWithin(path, top)));
  for (const chunk of toChunks(items, MAX_FOLDERS)) {
    const versions = await read(chunk.map(({ path }) => path));
    await mapInParallel(chunk, MAX_BUNDLES, async ({ path, remote }) => {
      const own = versions.get(path);
      // A new folder may be a renamed one.
      states.set(path, await compareAny(own ? new Map([[path, own]]) : removed, remote, bundler, mergeBase));
    });
  }
  const others = items.filter(({ path }) => states.get(path) !== 'same');
  // A run that failed in part may have published a commit between the two.
  const { matches } = await findAncestorsIn(top, others, { host, target, after: mergeBase, bundler });
  return new Map([...states, ...matches]);
}

/** The best match of a remote formula with versions of folders in a commit. */
async function compareAny(
  versions: ReadonlyMap<string, FolderVersion>,
  remote: Formula,
  bundler: CommitBundler,
  commit: string,
): Promise<RemoteState> {
  let state: RemoteState = 'changed';
  for (const [folder, version] of versions) {
    const match = await compareVersion(version, remote, (file) => bundler.bundle(commit, folder, file));
    if (match === 'same') return match;
    if (match === 'unknown') state = match;
  }
  return state;
}

/** The versions of the folders that were formulas in the commit. */
async function readVersions(
  top: string,
  commit: string,
  folders: readonly string[],
  since: SinceSelection,
  host: Host,
): Promise<Map<string, FolderVersion>> {
  const names = new Map(folders.map((folder) => [folder, `${commit}:${toRelative(top, folder)}`]));
  const { versions, isComplete } = await readFolderVersions(top, [...names.values()], isFormulaFile, host.env);
  if (!isComplete) throw missingObjectsError(top, since, host);
  return new Map(
    [...names].flatMap(([folder, name]) => {
      const version = versions.get(name);
      return version?.has('manifest.json') ? [[folder, version] as const] : [];
    }),
  );
}
