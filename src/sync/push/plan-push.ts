/** Plans a push: what diff and push --dry-run show, and push applies. */
import type { ServiceClient } from '../../api/client.ts';
import { findPreexistingIds } from '../../api/incomplete-list.ts';
import { CliError } from '../../errors.ts';
import { isWithin, toDisplayFolder } from '../../files/paths.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { createRestoreFinder } from '../../state/history-entries.ts';
import { listFirst } from '../../text/shorten.ts';
import { findRemovedIds, type SelectedTree } from '../since.ts';
import type { Tracking } from '../tracking.ts';
import { isLineEndingsOnly } from './changes.ts';
import type { Ancestors } from './find-ancestors.ts';
import { matchFolders } from './match-folders.ts';
import type { Step } from './plan.ts';
import { readFacts } from './plan-facts.ts';
import {
  type CompareRemote,
  type Decisions,
  type FolderPair,
  findDeletions,
  listReplaced,
  planSteps,
} from './plan-steps.ts';

export interface PlanOptions {
  prune: boolean;
  /** Overwrite changes by others. */
  force: boolean;
  usesLockFiles: boolean;
  /** Flags of this command that a push to resolve a conflict needs too. */
  keptFlags: readonly string[];
}

export interface PushPlan {
  steps: readonly Step[];
  /** Folders whose lock entries are obsolete. */
  staleFolders: readonly string[];
  /** Whether the folders are those of a commit (--at): then baselines stay, and lock files only get what is created. */
  isOfCommit: boolean;
  remotes: readonly Formula[];
  /** The ids of the lock entries, by folder; with --since and --prune also those of removed folders. */
  ids: ReadonlyMap<string, string>;
  /** The ids before a create; undefined if the list may lack some. */
  preexistingIds: ReadonlySet<string> | undefined;
  tracking: Tracking;
  /** Whether git lacks earlier commits. */
  isShallow: boolean;
  notes: readonly string[];
}

/** Raises the errors of the list, of `matchFolders`, and of `findDeletions`. */
export async function planPush(
  tree: SelectedTree,
  tracking: Tracking,
  client: ServiceClient,
  { prune, force, usesLockFiles, keptFlags }: PlanOptions,
  host: Host,
): Promise<PushPlan> {
  const { roots, isExcluded, since, at } = tree;
  if (prune && tracking.unsearched.length > 0)
    throw new CliError('usage', '--prune cannot be used in a repository of which not all folders were read', {
      hint: 'Run the command without --prune.',
    });
  const removedIds = prune && since ? await findRemovedIds(since, tracking, host) : [];
  const shouldPrune = (path: string) =>
    prune &&
    roots.some((root) => isWithin(path, root)) &&
    !isExcluded(path) &&
    (!since || since.removedFolders.has(path));
  const sources = { tracking, removedIds, usesLockFiles, shouldPrune };
  const { facts, notes } = await readFacts(tree, sources, client, host);
  const { ids, remotes, missingFolders } = facts;
  const { command } = client;
  const formatFolder = (path: string) => toDisplayFolder(host.cwd(), path);
  const isRestored = createRestoreFinder(host);
  const references = { since: since?.reference, at: at?.reference };
  const { isAtBaseline } = tracking;
  const options = { command, formatFolder, force, ...references, keptFlags, isRestored, isAtBaseline };
  const decisions = findDeletions(matchFolders(facts, options), facts, options);
  const { compare, replaced = new Map(), rollbacks, isShallow } = await compareRemotes(decisions, tree, tracking, host);
  const steps = planSteps(decisions, { ...facts, rollbacks }, compare, options);
  return {
    steps,
    staleFolders: decisions.staleFolders,
    isOfCommit: at !== undefined,
    remotes: remotes.items,
    ids,
    preexistingIds: findPreexistingIds(remotes),
    tracking,
    isShallow,
    notes: [
      ...notes,
      ...formatKept(decisions, formatFolder),
      ...formatReplaced(replaced, formatFolder),
      ...formatLineEndings(steps),
      ...(prune || since || at ? [] : formatOrphans(findOrphans(tree, decisions, missingFolders), formatFolder)),
    ],
  };
}

const MAX_SHOWN = 3;

const findOrphans = ({ roots, isExcluded }: SelectedTree, { staleFolders }: Decisions, missing: ReadonlySet<string>) =>
  [...missing].filter(
    (path) => roots.some((root) => isWithin(path, root)) && !isExcluded(path) && !staleFolders.includes(path),
  );

function formatOrphans(folders: readonly string[], formatFolder: (path: string) => string): string[] {
  if (folders.length === 0) return [];
  const names = listFirst(folders.map(formatFolder), MAX_SHOWN);
  return [
    folders.length === 1
      ? `note: 1 folder of the lock file no longer exists: ${names}; to delete its formula, pass --prune`
      : `note: ${folders.length} folders of the lock file no longer exist: ${names}; to delete their formulas, pass --prune`,
  ];
}

/** One behind is the usual case where there are no baselines, as in CI. */
const formatReplaced = (replaced: Ancestors['replaced'], formatFolder: (path: string) => string): string[] =>
  [...replaced].flatMap(([path, { commit, behind }]) =>
    behind > 1 ? [`warning: ${formatFolder(path)} replaces ${commit.slice(0, 7)}, ${behind} behind`] : [],
  );

function formatLineEndings(steps: readonly Step[]): string[] {
  const names = steps.filter(isLineEndingsOnly).map(({ folder }) => folder.displayPath);
  const advice = 'to keep git from converting them, add "code.* -text" to .gitattributes';
  return names.length === 0 ? [] : [`warning: only line endings differ: ${listFirst(names, MAX_SHOWN)}; ${advice}`];
}

const formatKept = ({ kept }: Decisions, formatFolder: (path: string) => string): string[] =>
  kept.flatMap(({ entry, folder }) =>
    folder === undefined || folder === entry.path
      ? []
      : [`note: ${formatFolder(entry.path)} was moved to ${formatFolder(folder)}; its formula is not deleted`],
  );

type Comparison = Pick<Ancestors, 'isShallow'> &
  Partial<Pick<Ancestors, 'replaced' | 'rollbacks'>> & { compare: CompareRemote };

/** Compares with baselines, and with git, which is slow, where a baseline is missing or shows a change by others. */
async function compareRemotes(
  { matches, deletions }: ReturnType<typeof findDeletions>,
  { since, at }: SelectedTree,
  tracking: Tracking,
  host: Host,
): Promise<Comparison> {
  // The baseline of a folder of a commit is that of the folder which it was moved to since.
  const moved = new Map(at ? [...tracking.ids].map(([path, id]) => [id.toLowerCase(), path]) : []);
  const findMoved = (path: string, { id }: Formula) => moved.get(id.toLowerCase()) ?? path;
  const replaced = listReplaced(matches).map(({ path, remote, formerPath = findMoved(path, remote) }) => ({
    path,
    remote,
    formerPath,
  }));
  if (since) {
    const pairs = [...replaced, ...deletions];
    if (pairs.length === 0) return { compare: () => 'unknown', isShallow: false };
    const { compareWithReference } = await import('./compare-with-reference.ts');
    const states = await compareWithReference(pairs, since, tracking.target, host);
    return { compare: (path) => states.get(path) ?? 'unknown', isShallow: false };
  }
  const compareBaseline: CompareRemote = (path, remote) => tracking.compare(findMoved(path, remote), remote);
  const compare = ({ path, remote }: FolderPair) => compareBaseline(path, remote);
  const uncertain = [
    ...replaced.filter((pair) => compare(pair) !== 'same'),
    ...deletions.filter((pair) => compare(pair) === 'changed'),
  ];
  if (uncertain.length === 0) return { compare: compareBaseline, isShallow: false };
  const { findAncestors } = await import('./find-ancestors.ts');
  const listHashes = ({ path, remote }: FolderPair) => tracking.listBaselineHashes(findMoved(path, remote), remote);
  const { matches: ancestors, ...found } = await findAncestors(uncertain, {
    host,
    listHashes,
    target: tracking.target,
  });
  return {
    ...found,
    compare: (path, remote) => ancestors.get(path) ?? compareBaseline(path, remote),
  };
}
