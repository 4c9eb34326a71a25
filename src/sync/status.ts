/** Which version of each folder is live on a target: that of the working tree, or of a commit. */
import type { ServiceClient } from '../api/client.ts';
import { toDisplayFolder } from '../files/paths.ts';
import { groupByWorkingCopy } from '../files/repository.ts';
import { findTags } from '../git/references.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { findTops } from './link-files.ts';
import { findAncestors } from './push/find-ancestors.ts';
import { type Match, matchFolders } from './push/match-folders.ts';
import { readFacts } from './push/plan-facts.ts';
import { listReplaced } from './push/plan-steps.ts';
import type { VersionPlace } from './push/visit-versions.ts';
import { listPaths, type SelectedTree } from './since.ts';
import { openTracking } from './tracking.ts';

export const LIVE_STATES = ['changed', 'behind', 'conflict', 'unknown', 'missing', 'current'] as const;

/** Which version of a folder is live. */
export interface LiveVersion {
  state: (typeof LIVE_STATES)[number];
  remote?: Formula | undefined;
  /** The newest commit with the live version, if it is `behind`. */
  place?: (VersionPlace & { tag?: string | undefined }) | undefined;
}

/**
 * Pure. `found` is the commit with the remote version, which differs from the folder; 'unknown' if only manifest and icon
 * could be compared, or commits are missing; undefined if no commit has it.
 */
export function toLiveVersion(
  { remote, conflict }: Pick<Match, 'remote' | 'conflict'>,
  isEqual: boolean,
  found: LiveVersion['place'] | 'unknown',
): LiveVersion {
  if (!remote) return { state: conflict ? 'conflict' : 'missing' };
  if (isEqual) return { state: 'current', remote };
  if (found === undefined || found === 'unknown') return { state: found ?? 'changed', remote };
  return { state: 'behind', remote, place: found };
}

const MAX_COMMITS = 100;

export interface LiveVersions {
  /** By the path of the folder. */
  versions: ReadonlyMap<string, LiveVersion>;
  /** Whether versions were not found because commits are missing. */
  isShallow: boolean;
}

/** Finds the live versions of folders. Raises the errors of `readFacts`, `matchFolders`, and the lock file. */
export async function findLiveVersions(
  tree: SelectedTree,
  { client, target }: { client: ServiceClient; target: TargetName },
  { host, warn }: { host: Host; warn: (text: string) => void },
): Promise<LiveVersions> {
  const { roots } = tree;
  const search = { folders: listPaths(tree), repositories: findTops(roots, host) };
  const tracking = openTracking(roots, target, host, warn, search);
  const { facts, notes } = await readFacts(tree, { tracking, shouldPrune: () => false }, client, host);
  notes.forEach(warn);
  const formatFolder = (path: string) => toDisplayFolder(host.cwd(), path);
  const matches = matchFolders(facts, { command: client.command, formatFolder, force: true });
  const differing = new Map(listReplaced(matches).map((pair) => [pair.path, pair]));
  const found = await findAncestors([...differing.values()], { host, target, maxCommits: MAX_COMMITS });
  const tags = await findAllTags([...found.replaced.keys()], host);
  const toFound = (path: string) => {
    const place = found.replaced.get(path);
    if (place) return { ...place, tag: tags.get(place.commit) };
    return found.isShallow ? 'unknown' : found.matches.get(path) && 'unknown';
  };
  const versions = matches.map((match) => {
    const { path } = match.folder.folder;
    return [path, toLiveVersion(match, !differing.has(path), toFound(path))] as const;
  });
  const isUnfound = (path: string) => !found.matches.has(path);
  return { versions: new Map(versions), isShallow: found.isShallow && [...differing.keys()].some(isUnfound) };
}

/** The tags of the repositories of folders, by commit. */
async function findAllTags(folders: readonly string[], { env }: Host): Promise<Map<string, string>> {
  const tops = [...groupByWorkingCopy(folders, (folder) => folder).keys()];
  return new Map((await Promise.all(tops.map((top) => findTags(top, env)))).flatMap((tags) => [...tags]));
}
