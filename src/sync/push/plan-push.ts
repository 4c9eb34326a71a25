/** Plans a push: what diff and push --dry-run show, and push applies. */
import type { ServiceClient } from '../../api/client.ts';
import { listFormulas, withoutContent } from '../../api/formula-reads.ts';
import { findPreexistingIds } from '../../api/incomplete-list.ts';
import type { ValidFolder } from '../../check/check-tree.ts';
import { isWithin, toDisplayFolder } from '../../files/paths.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { listFirst } from '../../text/shorten.ts';
import { findRemovedIds, type SelectedTree } from '../since.ts';
import type { Tracking } from '../tracking.ts';
import type { Ancestors } from './find-ancestors.ts';
import type { BaseVersions } from './find-base-versions.ts';
import { findIdentities } from './find-identities.ts';
import { findMissing } from './find-missing.ts';
import { matchFolders } from './match-folders.ts';
import type { Step } from './plan.ts';
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
  force: boolean;
  /** Flags of this command that a push to resolve a conflict needs too. */
  keptFlags: readonly string[];
}

export interface PushPlan {
  steps: readonly Step[];
  /** Folders whose lock entries are obsolete. */
  staleFolders: readonly string[];
  remotes: readonly Formula[];
  /** The ids of the lock entries, by folder; with --since and --prune also those of removed folders. */
  ids: ReadonlyMap<string, string>;
  /** The ids before a create; undefined if the list may lack some. */
  preexistingIds: ReadonlySet<string> | undefined;
  tracking: Tracking;
  /** Whether git lacks earlier commits. */
  isShallow: boolean;
  notes: readonly string[];
  /** Finds what the folders in conflict last had in common with the service. */
  findBase(steps: readonly Step[]): Promise<BaseVersions>;
}

/** Raises the errors of the list, of `matchFolders`, and of `findDeletions`. */
export async function planPush(
  tree: SelectedTree,
  tracking: Tracking,
  client: ServiceClient,
  { prune, force, keptFlags }: PlanOptions,
  host: Host,
): Promise<PushPlan> {
  const { roots, isExcluded, since } = tree;
  const removedIds = prune && since ? await findRemovedIds(since, tracking, host) : [];
  const ids = new Map([...tracking.ids, ...removedIds]);
  const folders = tree.folders.filter((one): one is ValidFolder => one.body !== undefined);
  const remotes = await listRemotes(client, folders, ids);
  const shouldPrune = (path: string) =>
    prune &&
    roots.some((root) => isWithin(path, root)) &&
    !isExcluded(path) &&
    (!since || since.removedFolders.has(path));
  const { notes, ...missing } = await findMissing([...ids.keys()], shouldPrune, host);
  const { command } = client;
  const formatFolder = (path: string) => toDisplayFolder(host.cwd(), path);
  const options = { command, formatFolder, force, since: since?.reference, keptFlags };
  const { missingFolders } = missing;
  const locals = folders.map(({ folder: { path }, body }) => ({ path, name: body.name, body }));
  const context = { folders: locals, roots, remotes: remotes.items, ids, missingFolders, tracking };
  const found = await findIdentities(context, host);
  const facts = { folders, remotes, ids, lockFiles: tracking.files, ...missing, ...found, shouldPrune };
  const decisions = findDeletions(matchFolders(facts, options), facts, options);
  const { compare, replaced = new Map(), isShallow } = await compareRemotes(decisions, tree, tracking, host);
  return {
    steps: planSteps(decisions, facts, compare, options),
    staleFolders: decisions.staleFolders,
    remotes: remotes.items,
    ids,
    preexistingIds: findPreexistingIds(remotes),
    tracking,
    isShallow,
    notes: [
      ...notes,
      ...formatKept(decisions, formatFolder),
      ...formatReplaced(replaced, formatFolder),
      ...(prune || since ? [] : formatOrphans(findOrphans(tree, decisions, missingFolders), formatFolder)),
    ],
    findBase: (steps) => findBase(steps, tree, tracking, host),
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

const formatKept = ({ kept }: Decisions, formatFolder: (path: string) => string): string[] =>
  kept.flatMap(({ entry, folder }) =>
    folder === undefined || folder === entry.path
      ? []
      : [`note: ${formatFolder(entry.path)} was moved to ${formatFolder(folder)}; its formula is not deleted`],
  );

/**
 * Lists the formulas; code and icon only of those that a folder or a lock entry may be. Where they are those of the
 * folder, they are the same strings, which are in memory once.
 */
async function listRemotes(client: ServiceClient, folders: readonly ValidFolder[], ids: ReadonlyMap<string, string>) {
  const linked = new Map(folders.map(({ folder, body }) => [ids.get(folder.path)?.toLowerCase(), body]));
  const named = new Map(folders.map(({ body }) => [body.name, body]));
  const lockedIds = new Set([...ids.values()].map((id) => id.toLowerCase()));
  const shared = new Map<string, Pick<Formula, 'code' | 'icon'>>();
  const reduce = (formula: Formula) => {
    const id = formula.id.toLowerCase();
    const bodies = [linked.get(id), named.get(formula.name)].filter((body) => body !== undefined);
    if (formula.type === 'official' || (bodies.length === 0 && !lockedIds.has(id))) return withoutContent(formula);
    const same = bodies.find(({ code, icon }) => code === formula.code && (icon ?? null) === (formula.icon ?? null));
    if (!same) return formula;
    shared.set(id, { code: same.code, ...(same.icon != null && { icon: same.icon }) });
    return withoutContent(formula);
  };
  const list = await listFormulas(client, { reduce });
  return { ...list, items: list.items.map((one) => ({ ...one, ...shared.get(one.id.toLowerCase()) })) };
}

interface Comparison {
  compare: CompareRemote;
  replaced?: Ancestors['replaced'];
  isShallow: boolean;
}

/** Compares with baselines, and with git, which is slow, where a baseline is missing or shows a change by others. */
async function compareRemotes(
  { matches, deletions }: ReturnType<typeof findDeletions>,
  { since }: SelectedTree,
  tracking: Tracking,
  host: Host,
): Promise<Comparison> {
  const replaced = listReplaced(matches);
  if (since) {
    const pairs = [...replaced, ...deletions];
    if (pairs.length === 0) return { compare: () => 'unknown', isShallow: false };
    const { compareWithReference } = await import('./compare-with-reference.ts');
    const states = await compareWithReference(pairs, since, host);
    return { compare: (path) => states.get(path) ?? 'unknown', isShallow: false };
  }
  const compare = ({ path, remote }: FolderPair) => tracking.compare(path, remote);
  const uncertain = [
    ...replaced.filter((pair) => compare(pair) !== 'same'),
    ...deletions.filter((pair) => compare(pair) === 'changed'),
  ];
  if (uncertain.length === 0) return { compare: tracking.compare, isShallow: false };
  const { findAncestors } = await import('./find-ancestors.ts');
  const listHashes = ({ path, remote }: FolderPair) => tracking.listBaselineHashes(path, remote);
  const { matches: ancestors, replaced: commits, isShallow } = await findAncestors(uncertain, host, listHashes);
  return {
    replaced: commits,
    compare: (path, remote) => ancestors.get(path) ?? tracking.compare(path, remote),
    isShallow,
  };
}

async function findBase(
  steps: readonly Step[],
  { since }: SelectedTree,
  tracking: Tracking,
  host: Host,
): Promise<BaseVersions> {
  if (since) {
    const { findReferenceVersions } = await import('./compare-with-reference.ts');
    const paths = steps.map(({ folder }) => folder.path);
    return findReferenceVersions(paths, since, host);
  }
  const { findBaseVersions } = await import('./find-base-versions.ts');
  return findBaseVersions(steps, tracking, host);
}
