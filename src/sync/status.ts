/** Which version of each folder is live on a target: that of the working tree, or of a commit. */
import type { ServiceClient } from '../api/client.ts';
import { toDisplayFolder } from '../files/paths.ts';
import { groupByWorkingCopy } from '../files/repository.ts';
import { fieldsToChange } from '../formula-fields.ts';
import { findTags } from '../git/tags.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { groupBy } from '../text/group-by.ts';
import { compareVersion } from './push/compare-version.ts';
import { findTops } from './push/find-identities.ts';
import { type Match, matchFolders } from './push/match-folders.ts';
import { readFacts } from './push/plan-push.ts';
import { type VersionPlace, visitVersions } from './push/visit-versions.ts';
import { listPaths, type SelectedTree } from './since.ts';
import { openTracking } from './tracking.ts';

export const LIVE_STATES = ['changed', 'behind', 'conflict', 'unknown', 'missing', 'current'] as const;

/** Which version of a folder is live. */
export interface LiveVersion {
  state: (typeof LIVE_STATES)[number];
  remote?: Formula | undefined;
  /** Of the newest commit with the live version, if it is `behind`. */
  place?: (VersionPlace & { tag?: string | undefined }) | undefined;
}

/** A commit; 'unknown' if only manifest and icon could be compared, or commits are missing. */
type FoundVersion = VersionPlace | 'unknown';

/** Pure. `found` is undefined if no commit has the remote version. */
export function toLiveVersion({ folder, remote, conflict }: Match, found: FoundVersion | undefined): LiveVersion {
  if (!remote) return { state: conflict ? 'conflict' : 'missing' };
  if (isCurrent(folder, remote)) return { state: 'current', remote };
  if (found === undefined || found === 'unknown') return { state: found ?? 'changed', remote };
  return { state: 'behind', remote, place: found };
}

const isCurrent = ({ body }: Match['folder'], remote: Formula) => fieldsToChange(body, remote).length === 0;

/** Finds the formulas of the folders on a target. Raises the errors of `readFacts`, `matchFolders`, and the lock file. */
export async function matchTarget(
  tree: SelectedTree,
  { client, target }: { client: ServiceClient; target: TargetName },
  { host, warn }: { host: Host; warn: (text: string) => void },
): Promise<readonly Match[]> {
  const { roots } = tree;
  const folders = listPaths(tree);
  const tracking = openTracking(roots, target, host, warn, { folders, repositories: findTops(roots, host) });
  const { facts } = await readFacts(tree, { tracking, shouldPrune: () => false }, client, host);
  const formatFolder = (path: string) => toDisplayFolder(host.cwd(), path);
  return matchFolders(facts, { command: client.command, formatFolder, force: true });
}

const MAX_COMMITS = 100;

/** Finds the live versions of all matches; git is asked once for all targets. */
export async function findLiveVersions(
  matches: readonly Match[],
  host: Host,
): Promise<{ versions: ReadonlyMap<Match, LiveVersion>; isShallow: boolean }> {
  const found = new Map<Match, FoundVersion>();
  const tags = new Map<string, string>();
  let isShallow = false;
  const differing = matches.filter(({ folder, remote }) => remote && !isCurrent(folder, remote));
  for (const [top, inTop] of groupByWorkingCopy(differing, ({ folder }) => folder.folder.path)) {
    const isIncomplete = await findCommits(top, inTop, found, host);
    isShallow ||= isIncomplete && inTop.some((match) => !found.has(match));
    for (const match of isIncomplete ? inTop : []) if (!found.has(match)) found.set(match, 'unknown');
    for (const [commit, tag] of await findTags(top, host.env)) tags.set(commit, tag);
  }
  const withTag = ({ place, ...version }: LiveVersion): LiveVersion =>
    place ? { ...version, place: { ...place, tag: tags.get(place.commit) } } : version;
  return { versions: new Map(matches.map((one) => [one, withTag(toLiveVersion(one, found.get(one)))])), isShallow };
}

/**
 * Finds the newest commits of folders in the repository at `top` that have the remote versions; those of a moved folder
 * under its old path too. Returns whether the repository is shallow.
 */
async function findCommits(
  top: string,
  matches: readonly Match[],
  found: Map<Match, FoundVersion>,
  host: Host,
): Promise<boolean> {
  const former = new Map<Match, VersionPlace>();
  const visited = new Map<string, number>();
  const byPath = groupBy(matches, ({ folder }) => folder.folder.path);
  for (const match of matches) {
    const path = match.movedFrom;
    if (path !== undefined) byPath.set(path, [...(byPath.get(path) ?? []), match]);
  }
  const isShallow = await visitVersions(
    top,
    [...byPath.keys()],
    { host, maxCommits: MAX_COMMITS },
    async (path, version, bundle, place) => {
      visited.set(path, place.behind + 1);
      const isFound = (match: Match) =>
        typeof found.get(match) === 'object' || (path === match.movedFrom && former.has(match));
      const open = (byPath.get(path) ?? []).filter((match) => !isFound(match));
      let isOpen = false;
      for (const match of open) {
        const result = await compareVersion(version, match.remote as Formula, bundle);
        if (result === 'same') (path === match.movedFrom ? former : found).set(match, place);
        else isOpen = true;
        if (result === 'unknown') found.set(match, 'unknown');
      }
      return !isOpen;
    },
  );
  for (const [match, { commit, behind }] of former) {
    const own = visited.get(match.folder.folder.path) ?? 0;
    if (typeof found.get(match) !== 'object') found.set(match, { commit, behind: behind + own });
  }
  return isShallow;
}
