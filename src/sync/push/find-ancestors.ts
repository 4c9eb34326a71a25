/** Asks git which remote versions are earlier versions of their folders: a colleague pushed what is in HEAD or before. */
import { groupByWorkingCopy } from '../../files/repository.ts';
import type { FolderVersion } from '../../git/objects.ts';
import type { Formula } from '../../model.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import { isContent } from '../../state/remote-baseline.ts';
import { groupBy } from '../../text/group-by.ts';
import { readFormerFolders } from '../since.ts';
import { type BundleVersion, compareVersion, loadBodies, type VersionMatch } from './compare-version.ts';
import type { FolderPair } from './plan-steps.ts';
import { type VersionPlace, type VersionSearch, visitVersions } from './visit-versions.ts';

export interface Ancestors {
  /**
   * 'same' for folders whose remote version is their content in HEAD or in one of the last 20 commits that changed them;
   * 'unknown' where only manifest and icon could be compared. Others are missing.
   */
  matches: Map<string, 'same' | 'unknown'>;
  /** The commits of folders without a baseline that have their remote versions. */
  replaced: Map<string, VersionPlace>;
  /** The commits of folders whose remote version is older than their baseline. */
  rollbacks: Map<string, VersionPlace>;
  /** Whether a repository does not have all commits, so that others may be missing. */
  isShallow: boolean;
}

interface AncestorSearch extends VersionSearch {
  /** The hashes of what a folder last had in common with the service; none without a baseline. */
  listHashes?: (pair: FolderPair) => readonly string[];
  /** Of the lock files that tell where a folder was before. */
  target: TargetName;
}

/** Where a folder has a baseline, only commits after the newest one with its content count: an older one is a rollback. */
export async function findAncestors(pairs: readonly FolderPair[], search: AncestorSearch): Promise<Ancestors> {
  const found = createAncestors();
  for (const [top, inTop] of groupByWorkingCopy(pairs, ({ path }) => path))
    await findAncestorsIn(top, inTop, search, found);
  return found;
}

const createAncestors = (): Ancestors => ({
  matches: new Map(),
  replaced: new Map(),
  rollbacks: new Map(),
  isShallow: false,
});

/** The same for folders of the repository at `top`, added to `found`. The history of a moved folder goes on under its old paths. */
export async function findAncestorsIn(
  top: string,
  pairs: readonly FolderPair[],
  { listHashes = () => [], ...search }: AncestorSearch,
  found = createAncestors(),
): Promise<Ancestors> {
  const { matches, replaced, rollbacks } = found;
  const candidates = new Map<string, 'same' | 'unknown'>();
  const older = new Set<string>();
  const seen = new Map<string, number>();
  const visitWithBaseline = async (pair: FolderPair, place: VersionPlace, ...version: Version) => {
    const { path } = pair;
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
  const visit = async (pair: FolderPair, place: VersionPlace, ...version: Version) => {
    if (listHashes(pair).length > 0) return visitWithBaseline(pair, place, ...version);
    const match = await compareVersion(version[0], pair.remote, version[1]);
    setMatch(matches, pair.path, match);
    if (match === 'same') replaced.set(pair.path, place);
    return match === 'same';
  };
  const byPath = groupBy(pairs, ({ path }) => path);
  const isShallow = await visitVersions(top, [...byPath.keys()], search, async (path, files, bundle, place) => {
    const [pair] = byPath.get(path) ?? [];
    seen.set(path, place.behind + 1);
    return pair === undefined || visit(pair, place, files, bundle);
  });
  const open = pairs.filter(({ path }) => matches.get(path) !== 'same' && !older.has(path));
  const former = open.length === 0 ? new Map<string, FolderPair[]>() : await findFormerPaths(top, open, search);
  await visitVersions(top, [...former.keys()], search, async (path, files, bundle, { commit, behind }) => {
    const visits = (former.get(path) ?? []).map((pair) =>
      visit(pair, { commit, behind: behind + (seen.get(pair.path) ?? 0) }, files, bundle),
    );
    return (await Promise.all(visits)).every(Boolean);
  });
  found.isShallow ||= isShallow;
  return found;
}

/** The pairs, by the folders that their formulas had before. */
async function findFormerPaths(
  top: string,
  pairs: readonly FolderPair[],
  { target, host }: AncestorSearch,
): Promise<Map<string, FolderPair[]>> {
  const byId = await readFormerFolders(top, target, host);
  const former = new Map<string, FolderPair[]>();
  for (const pair of pairs)
    for (const path of new Set([pair.formerPath, ...(byId.get(pair.remote.id.toLowerCase()) ?? [])]))
      if (path !== undefined && path !== pair.path) former.set(path, [...(former.get(path) ?? []), pair]);
  return former;
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
