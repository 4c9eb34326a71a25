/** Completes a list that lacks something by the service's own account, as far as a plan rests on it. */
import type { ServiceClient } from '../../api/client.ts';
import { findNameMatches, lookUpIds, type NameMatches } from '../../api/incomplete-list.ts';
import type { ListResult } from '../../api/pagination.ts';
import { mapInParallel } from '../../host/parallel.ts';
import type { Formula } from '../../model.ts';
import type { PlanInput } from './plan.ts';

type LinkedFolders = Pick<PlanInput, 'locals' | 'ids'>;

/** Asks for the ids of the lock, then for the names in question, so many at once; a complete list is taken as it is. */
export async function completeList(
  client: ServiceClient,
  list: ListResult<Formula>,
  folders: LinkedFolders,
  concurrency: number,
): Promise<Pick<PlanInput, 'remotes' | 'unknowns'>> {
  const { formulas, incompleteReasons: ids } = await lookUpIds(client, list, folders.ids.values(), concurrency);
  if (list.incompleteReason === undefined) return { remotes: formulas, unknowns: { ids, names: new Map() } };
  const uncertainNames = findUncertainNames(folders, formulas);
  const found = await mapInParallel(uncertainNames, concurrency, (name) =>
    findNameMatches(client, { ...list, items: [...formulas] }, name),
  );
  return {
    remotes: [...new Set([...formulas, ...found.flatMap((matches) => matches.formulas)])],
    unknowns: { ids, names: collectIncompleteReasons(uncertainNames, found) },
  };
}

/** The names of folders that are matched by it, or that a formula is to be given. Pure. */
export function findUncertainNames({ locals, ids }: LinkedFolders, formulas: readonly Formula[]): string[] {
  const names = new Map(
    formulas.map(({ id, name, type }) => [id.toLowerCase(), type === 'official' ? undefined : name]),
  );
  const unmatched = locals.filter(({ path, name }) => names.get(ids.get(path)?.toLowerCase() ?? '') !== name);
  return [...new Set(unmatched.map(({ name }) => name))];
}

const collectIncompleteReasons = (names: readonly string[], found: readonly NameMatches[]) =>
  new Map(
    names.flatMap((name, i) =>
      found[i]?.incompleteReason === undefined ? [] : [[name, found[i].incompleteReason] as const],
    ),
  );
