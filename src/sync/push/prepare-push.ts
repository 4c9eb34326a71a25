/** Prepares a push: the plan that diff and push --dry-run show, and push applies. */
import type { ServiceClient } from '../../api/client.ts';
import { listFormulas } from '../../api/formula-reads.ts';
import { findPreexistingIds } from '../../api/incomplete-list.ts';
import type { FormulaTree } from '../../check/check-tree.ts';
import { CliError } from '../../errors.ts';
import { isWithin, toDisplayFolder } from '../../files/paths.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import type { HistoryFlags } from '../../state/history.ts';
import { findRemovedIds, type SelectedTree, type SinceSelection } from '../since.ts';
import { openTracking, type Tracking } from '../tracking.ts';
import { findDuplicates } from './duplicates.ts';
import type { FolderPair } from './find-ancestors.ts';
import type { BaseVersions } from './find-base-versions.ts';
import { findMissing } from './find-missing.ts';
import type { Plan, PlanInput, Step } from './plan.ts';
import { planPush } from './plan-push.ts';
import { createRemoteReducer } from './reduce-remotes.ts';

export interface PlanFlags extends HistoryFlags {
  prune?: boolean | undefined;
  force?: boolean | undefined;
  /** False with --no-lock. */
  lock?: boolean | undefined;
  /** Characters of remote code and icons that are kept in memory; others are read again. */
  maxCharacters?: number;
}

export interface PreparedPush {
  plan: Plan;
  remotes: readonly Formula[];
  /** The linked ids, by folder; with --since and --prune also those of removed folders. */
  ids: ReadonlyMap<string, string>;
  /** The ids before a create; undefined if the list may lack some. */
  preexistingIds: ReadonlySet<string> | undefined;
  tracking: Tracking;
  /** Whether git lacks earlier commits. */
  isShallow: boolean;
  /** Finds what the folders in conflict last had in common with the service. */
  findBase(steps: readonly Step[]): Promise<BaseVersions>;
}

/** Opens what is recorded for a tree; no links with --no-lock. Raises usage (2), invalid (3) for an invalid lock file. */
export function openTreeTracking(
  { roots, formulas, since }: SelectedTree,
  target: TargetName,
  flags: PlanFlags,
  { host, warn }: { host: Host; warn: (text: string) => void },
): Tracking {
  if (flags.prune && flags.lock === false) {
    throw new CliError('usage', '--prune and --no-lock cannot be used together');
  }
  if (flags.lock === false) return openTracking([], target, host, warn);
  const folders = [...formulas.map(({ path }) => path), ...(since?.unchangedFolders ?? [])];
  return openTracking(roots, target, host, warn, { folders, searchBelow: flags.prune ? 'strict' : undefined });
}

/** The problems of folders with the same name or linked id, by folder. */
export function findDuplicateFolders(
  tree: FormulaTree,
  ids: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const named = tree.formulas.flatMap(({ folder, path, name }) => (name === null ? [] : [{ folder, path, name }]));
  return findDuplicates(named, ids);
}

/**
 * Lists the remote formulas once, and plans. Raises the errors of the list, conflict (6) for another tenant, and
 * unavailable (8) if an incomplete list is not sufficient.
 */
export async function preparePush(
  { roots, formulas, isExcluded, since }: SelectedTree,
  tracking: Tracking,
  client: ServiceClient,
  flags: PlanFlags,
  host: Host,
): Promise<PreparedPush> {
  const removedIds = flags.prune && since ? await findRemovedIds(since, tracking, host) : [];
  const ids = new Map([...tracking.ids, ...removedIds]);
  const locals = formulas.flatMap(({ local }) => local ?? []);
  const reduce = createRemoteReducer({ locals, ids }, flags.maxCharacters ?? Number.POSITIVE_INFINITY);
  const remotes = await listFormulas(client, { reduce });
  const isBelow = (path: string) => roots.some((root) => isWithin(path, root));
  const shouldPrune = (path: string) =>
    (flags.prune ?? false) && isBelow(path) && !isExcluded(path) && (!since || since.removedFolders.has(path));
  const missing = await findMissing([...ids.keys()], shouldPrune, client, host);
  const { command } = client;
  const options = {
    command,
    formatFolder: (path: string) => toDisplayFolder(host.cwd(), path),
    force: flags.force ?? false,
    shouldPrune,
    since: since?.reference,
    keptFlags: [...(flags.lock === false ? ['--no-lock'] : []), ...(flags.history === false ? ['--no-history'] : [])],
  };
  const input = {
    locals,
    remotes,
    ids,
    lockFiles: tracking.files,
    ...missing,
    compare: since ? () => 'unknown' as const : tracking.compare,
  };
  // A first plan shows which remote versions would be replaced or deleted. Only those are compared with git, which is slow.
  const plan = planPush(input, options);
  const uncertain = plan.steps.flatMap(({ action, overwrites, path, remote }) =>
    remote && (overwrites || (since && action === 'delete')) ? [{ path, remote }] : [],
  );
  const preexistingIds = findPreexistingIds(remotes);
  const findBase = async (steps: readonly Step[]): Promise<BaseVersions> => {
    if (since) {
      const { findReferenceVersions } = await import('./compare-with-reference.ts');
      return findReferenceVersions(
        steps.map(({ path }) => path),
        since,
        host,
      );
    }
    const { findBaseVersions } = await import('./find-base-versions.ts');
    return findBaseVersions(steps, tracking, host);
  };
  const prepared = { plan, ids, remotes: remotes.items, preexistingIds, tracking, isShallow: false, findBase };
  if (uncertain.length === 0) return prepared;
  const { compare, isShallow } = await (since
    ? compareSince(uncertain, since, host)
    : compareWithGit(uncertain, tracking, host));
  return { ...prepared, plan: planPush({ ...input, compare }, options), isShallow };
}

interface Comparison {
  compare: PlanInput['compare'];
  isShallow: boolean;
}

async function compareSince(pairs: readonly FolderPair[], since: SinceSelection, host: Host): Promise<Comparison> {
  const { compareWithReference } = await import('./compare-with-reference.ts');
  const states = await compareWithReference(pairs, since, host);
  return { compare: (path) => states.get(path) ?? 'unknown', isShallow: false };
}

/** Compares with baselines, and with earlier commits if a baseline is missing or shows a change by others. */
async function compareWithGit(pairs: readonly FolderPair[], tracking: Tracking, host: Host): Promise<Comparison> {
  const uncertain = pairs.filter(({ path, remote }) => tracking.compare(path, remote) !== 'same');
  const { findAncestors } = await import('./find-ancestors.ts');
  const { matches, isShallow } = await findAncestors(uncertain, host);
  return { compare: (path, remote) => matches.get(path) ?? tracking.compare(path, remote), isShallow };
}
