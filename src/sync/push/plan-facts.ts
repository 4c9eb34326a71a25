/** The facts that a plan is made from: the formulas of the service, the ids of the lock files, and which formula each folder is. */
import type { ServiceClient } from '../../api/client.ts';
import { listFormulas, withoutContent } from '../../api/formula-reads.ts';
import { formatIncomplete } from '../../api/incomplete-list.ts';
import type { ValidFolder } from '../../check/check-tree.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { preferCommitted, readCommittedIds, type SelectedTree } from '../since.ts';
import type { Tracking } from '../tracking.ts';
import { findIdentities, identifyCommitted } from './find-identities.ts';
import { findMissing } from './find-missing.ts';
import type { PlanFacts } from './plan-steps.ts';

interface FactSources extends Pick<PlanFacts, 'shouldPrune'> {
  tracking: Tracking;
  /** Of folders that were removed since the reference of --since. */
  removedIds?: Iterable<[path: string, id: string]>;
  usesLockFiles?: boolean;
}

/** Lists the formulas, and finds what decides which one each folder is. Raises the errors of the list. */
export async function readFacts(
  tree: SelectedTree,
  { tracking, removedIds = [], usesLockFiles = true, shouldPrune }: FactSources,
  client: ServiceClient,
  host: Host,
): Promise<{ facts: PlanFacts; notes: readonly string[] }> {
  const { roots, at } = tree;
  const committedIds =
    at && usesLockFiles ? await readCommittedIds(at, tracking.target, host) : new Map<string, string>();
  const folders = tree.folders.filter((one): one is ValidFolder => one.body !== undefined);
  const currentIds = new Map([...tracking.ids, ...removedIds]);
  const remotes = await listRemotes(client, folders, [...currentIds, ...committedIds]);
  const ids = at ? preferCommitted(committedIds, currentIds, folders, remotes.items) : currentIds;
  // The folders of a commit need not exist now.
  const { notes, ...missing } = await findMissing(at ? [] : [...ids.keys()], shouldPrune, host);
  const { missingFolders } = missing;
  const locals = folders.map(({ folder: { path }, body }) => ({ path, name: body.name, body }));
  const context = { folders: locals, roots, remotes: remotes.items, ids, missingFolders, tracking };
  const found = at ? identifyCommitted(context) : await findIdentities(context, host);
  return {
    facts: { folders, remotes, ids, lockFiles: tracking.files, ...missing, ...found, shouldPrune },
    notes: [...formatIncomplete(remotes), ...notes],
  };
}

/**
 * Lists the formulas; code and icon only of those that a folder or a lock entry may be. Where they are those of the
 * folder, they are the same strings, which are in memory once.
 */
async function listRemotes(
  client: ServiceClient,
  folders: readonly ValidFolder[],
  entries: readonly (readonly [path: string, id: string])[],
) {
  const bodies = new Map(folders.map(({ folder, body }) => [folder.path, body]));
  const linked = new Map(entries.map(([path, id]) => [id.toLowerCase(), bodies.get(path)]));
  const named = new Map(folders.map(({ body }) => [body.name, body]));
  const shared = new Map<string, Pick<Formula, 'code' | 'icon'>>();
  const reduce = (formula: Formula) => {
    const id = formula.id.toLowerCase();
    const candidates = [linked.get(id), named.get(formula.name)].filter((body) => body !== undefined);
    if (formula.type === 'official' || (candidates.length === 0 && !linked.has(id))) return withoutContent(formula);
    const same = candidates.find(
      ({ code, icon }) => code === formula.code && (icon ?? null) === (formula.icon ?? null),
    );
    if (!same) return formula;
    shared.set(id, { code: same.code, ...(same.icon != null && { icon: same.icon }) });
    return withoutContent(formula);
  };
  const list = await listFormulas(client, { reduce });
  return { ...list, items: list.items.map((one) => ({ ...one, ...shared.get(one.id.toLowerCase()) })) };
}
