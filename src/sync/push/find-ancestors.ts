/** Asks git which remote versions are earlier versions of their folders: a colleague pushed what is in HEAD or before. */
import { existsSync } from 'node:fs';
import { readContents, shouldBundle } from '../../check/check-folder.ts';
import { toRelative } from '../../files/paths.ts';
import { groupByWorkingCopy } from '../../files/repository.ts';
import { readFolderHistories } from '../../git/folder-history.ts';
import type { FolderVersion } from '../../git/objects.ts';
import type { Host } from '../../host/host.ts';
import { mapInParallel } from '../../host/parallel.ts';
import type { Formula } from '../../model.ts';
import { isContent } from '../../state/remote-baseline.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { type CommitBundler, createCommitBundler } from './commit-bundles.ts';
import { type BundleVersion, compareVersion, isFormulaFile, loadBodies, type VersionMatch } from './compare-version.ts';
import type { FolderPair } from './plan-steps.ts';

export interface Ancestors {
  /**
   * 'same' for folders whose remote version is their content in HEAD or in one of the last 20 commits that changed them;
   * 'unknown' where only manifest and icon could be compared. Others are missing.
   */
  matches: ReadonlyMap<string, 'same' | 'unknown'>;
  /** The commits of folders without a baseline whose remote version is an older one. */
  replaced: ReadonlyMap<string, ReplacedCommit>;
  /** The commits of folders whose remote version is older than their baseline. */
  rollbacks: ReadonlyMap<string, ReplacedCommit>;
  /** Whether a repository does not have all commits, so that others may be missing. */
  isShallow: boolean;
}

interface ReplacedCommit {
  commit: string;
  /** How many later commits changed the folder. */
  behind: number;
}

/** The hashes of what a folder last had in common with the service; none without a baseline. */
export type ListBaselineHashes = (pair: FolderPair) => readonly string[];

interface VersionSearch {
  host: Host;
  /** Only commits that this one does not contain. */
  after?: string | undefined;
  bundler?: CommitBundler;
}

/** Limits how many old versions are in memory at once. */
export const MAX_FOLDERS = 100;
export const MAX_BUNDLES = 8;
/** About so many versions are bundled: 20 of each folder, or fewer of many folders. */
const MAX_COMMIT_BUNDLES = 400;

/** Where a folder has a baseline, only commits after the newest one with its content count: an older one is a rollback. */
export async function findAncestors(
  pairs: readonly FolderPair[],
  host: Host,
  listHashes: ListBaselineHashes = () => [],
): Promise<Ancestors> {
  const matches = new Map<string, 'same' | 'unknown'>();
  const replaced = new Map<string, ReplacedCommit>();
  const rollbacks = new Map<string, ReplacedCommit>();
  let isShallow = false;
  for (const [top, inTop] of groupByWorkingCopy(pairs, ({ path }) => path)) {
    const found = await findAncestorsIn(top, inTop, { host, listHashes });
    isShallow ||= found.isShallow;
    for (const [path, match] of found.matches) matches.set(path, match);
    for (const [path, commit] of found.replaced) replaced.set(path, commit);
    for (const [path, commit] of found.rollbacks) rollbacks.set(path, commit);
  }
  return { matches, replaced, rollbacks, isShallow };
}

/** The same for folders of the repository at `top`. The history of a moved folder goes on under its old path. */
export async function findAncestorsIn(
  top: string,
  pairs: readonly FolderPair[],
  { listHashes = () => [], ...search }: VersionSearch & { listHashes?: ListBaselineHashes },
): Promise<Ancestors> {
  const matches = new Map<string, 'same' | 'unknown'>();
  const replaced = new Map<string, ReplacedCommit>();
  const byPath = new Map(pairs.map((pair) => [pair.path, pair]));
  for (const pair of pairs)
    if (pair.formerPath !== undefined && !byPath.has(pair.formerPath)) byPath.set(pair.formerPath, pair);
  const rollbacks = new Map<string, ReplacedCommit>();
  const candidates = new Map<string, 'same' | 'unknown'>();
  const older = new Set<string>();
  const visitWithBaseline = async (path: string, pair: FolderPair, place: ReplacedCommit, ...version: Version) => {
    const match = candidates.has(path) ? undefined : await compareVersion(version[0], pair.remote, version[1]);
    if (match === 'same') rollbacks.set(pair.path, place);
    // After that of the baseline, only a rollback can be found.
    if (older.has(path)) return match === 'same';
    setMatch(candidates, path, match);
    if (!(await mayBeOf(listHashes(pair), pair.remote, ...version))) return false;
    older.add(path);
    setMatch(matches, pair.path, candidates.get(path));
    return candidates.has(path);
  };
  const isShallow = await visitVersions(top, [...byPath.keys()], search, async (path, files, bundle, place) => {
    const pair = byPath.get(path);
    if (!pair) return true;
    if (listHashes(pair).length > 0) return visitWithBaseline(path, pair, place, files, bundle);
    const match = await compareVersion(files, pair.remote, bundle);
    setMatch(matches, pair.path, match);
    if (match === 'same' && place.behind > 0) replaced.set(pair.path, place);
    return match === 'same';
  });
  return { matches, replaced, rollbacks, isShallow };
}

type Version = [files: FolderVersion, bundle: BundleVersion];

function setMatch(matches: Map<string, 'same' | 'unknown'>, path: string, match: VersionMatch | undefined): void {
  if (match !== undefined && match !== 'different') matches.set(path, match);
}

/** Whether a version has the content of a baseline; true if its bundle is not known. */
async function mayBeOf(hashes: readonly string[], remote: Formula, ...[version, bundle]: Version): Promise<boolean> {
  const bodies = await loadBodies(version, bundle);
  return bodies.length === 0 || bodies.some((body) => hashes.some((hash) => isContent(body, remote, hash)));
}

/** Returns whether the older versions of the folder need not be visited. `bundle` bundles code.ts or code.mjs of the version. */
type VisitVersion = (
  path: string,
  version: FolderVersion,
  bundle: BundleVersion,
  place: ReplacedCommit,
) => Promise<boolean>;

/** Visits the versions of folders (absolute and real) in the last commits, newest first. Returns whether the repository is shallow. */
export async function visitVersions(
  top: string,
  folders: readonly string[],
  { host, after, bundler = createCommitBundler(top, host) }: VersionSearch,
  visit: VisitVersion,
): Promise<boolean> {
  let isShallow = false;
  const maxBundled = Math.max(2, Math.floor(MAX_COMMIT_BUNDLES / folders.length));
  const toTop = (path: string) => toRelative(top, path);
  for (let i = 0; i < folders.length; i += MAX_FOLDERS) {
    const bundles = await mapInParallel(
      folders.slice(i, i + MAX_FOLDERS),
      MAX_BUNDLES,
      async (path) => [path, await bundleWorkingTree(path, host)] as const,
    );
    const paths = new Map(bundles.map(([path, { inputs }]) => [toTop(path), inputs.map(toTop)]));
    const histories = await readFolderHistories(top, paths, { isWanted: isFormulaFile, after, maxBundled }, host.env);
    isShallow ||= histories.isShallow;
    await mapInParallel(bundles, MAX_BUNDLES, async ([path, now]) => {
      const versions = histories.versions.get(toTop(path)) ?? [];
      const first = versions[0]?.commit === 'HEAD' ? 1 : 0;
      for (const [i, { commit, files }] of versions.entries()) {
        const bundle: BundleVersion = async (file) =>
          (await bundler.isUnchangedSince(commit, path, now.inputs)) ? now.code : bundler.bundle(commit, path, file);
        if (await visit(path, files, bundle, { commit, behind: Math.max(0, i - first) })) return;
      }
    });
  }
  return isShallow;
}

/** The bundle of a folder as it is now, and the files of the repository in it; empty without one. */
interface WorkingTreeBundle {
  code?: string | undefined;
  inputs: readonly string[];
}

async function bundleWorkingTree(path: string, host: Host): Promise<WorkingTreeBundle> {
  const contents = existsSync(path) ? readContents({ displayPath: path, path }) : undefined;
  if (!contents || !shouldBundle(contents)) return { inputs: [] };
  const inputs = new Set<string>();
  const { bundleCode } = await import('../../code/bundle/bundle.ts');
  const { bundle } = await bundleCode(path, contents.code.file, {
    ...getSurroundings(host),
    onRead: (file) => inputs.add(file),
  });
  return { code: bundle?.code, inputs: [...inputs] };
}
