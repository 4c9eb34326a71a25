/** What an incomplete list does not show: looked for by name, with the service's search, or by id. */
import { CliError } from '../errors.ts';
import { mapInParallel } from '../host/parallel.ts';
import type { Formula } from '../model.ts';
import type { ServiceClient } from './client.ts';
import { findFormulaById, listFormulas } from './formula-reads.ts';
import type { ListResult } from './pagination.ts';

/** The formulas of an exact name; `doubt` says why there may be more than the service shows. */
export interface NameMatches {
  formulas: Formula[];
  incompleteReason: string | undefined;
}

/** The formulas of a list that have a name; an incomplete list is completed with what the service's search finds. */
export async function findNameMatches(
  client: ServiceClient,
  list: ListResult<Formula>,
  name: string,
): Promise<NameMatches> {
  const searches: ListResult<Formula>[] = [];
  for (const pattern of list.incompleteReason === undefined ? [] : buildSearchPatterns(name)) {
    searches.push(await searchByName(client, pattern));
  }
  return mergeNameMatches(name, list, searches);
}

async function searchByName(client: ServiceClient, pattern: string): Promise<ListResult<Formula>> {
  try {
    return await listFormulas(client, { name: pattern, description: 'search for the name', warn: () => undefined });
  } catch (error) {
    return { items: [], incompleteReason: toIncompleteReason(error) };
  }
}

/** A command that is to stop asks no further; whatever else fails leaves a question open. */
function toIncompleteReason(error: unknown): string {
  if (error instanceof CliError && error.outcome !== 'interrupted') return error.message;
  throw error;
}

/** What a search may read as more than itself: as an escape, a class, an operator, or white space to be cut off. */
const SEARCH_SYNTAX = /^\s+|\s+$|[^\p{L}\p{M}\p{N}\s*._,:-]+/gu;

/**
 * What to search for, so that whatever has the name is found: the name itself, which suits a search that takes it as it
 * is, and one with `*`, which suits one that reads signs in it. A `*` of the name may find more, never less.
 */
export function buildSearchPatterns(name: string): string[] {
  return [...new Set([name, name.replace(SEARCH_SYNTAX, '*')])];
}

/** What a list and searches say together; each search alone could have overlooked the name. Pure. */
export function mergeNameMatches(
  name: string,
  list: ListResult<Formula>,
  searches: readonly ListResult<Formula>[],
): NameMatches {
  const byId = new Map<string, Formula>();
  for (const formula of [list, ...searches].flatMap(({ items }) => items)) {
    const id = formula.id.toLowerCase();
    if (formula.name === name && !byId.has(id)) byId.set(id, formula);
  }
  const unresolved = searches.find(({ incompleteReason }) => incompleteReason !== undefined);
  return {
    formulas: [...byId.values()],
    incompleteReason:
      unresolved &&
      `${list.incompleteReason}; a search for the name could not tell either: ${unresolved.incompleteReason}`,
  };
}

/** The ids before a create; undefined where more may have been there than was shown. */
export function findPreexistingIds(list: ListResult<Formula>, matches: NameMatches): ReadonlySet<string> | undefined {
  if (matches.incompleteReason !== undefined) return undefined;
  return new Set([...list.items, ...matches.formulas].map(({ id }) => id));
}

/** Formulas that the service has, and why it is open, by id in small letters, whether it has others. */
export interface LookupResult {
  formulas: readonly Formula[];
  incompleteReasons: ReadonlyMap<string, string>;
}

/** The formulas of a list, and those of some ids that an incomplete list does not show, asked for one by one. */
export async function lookUpIds(
  client: ServiceClient,
  list: ListResult<Formula>,
  ids: Iterable<string>,
  concurrency = 1,
): Promise<LookupResult> {
  const listedIds = new Set(list.items.map(({ id }) => id.toLowerCase()));
  // Asked for in the letters that the lock has, since a service may tell cases apart.
  const unlistedIds = new Set([...ids].filter((id) => !listedIds.has(id.toLowerCase())));
  const incompleteReasons = new Map<string, string>();
  const found = await mapInParallel(
    list.incompleteReason === undefined ? [] : [...unlistedIds],
    concurrency,
    async (id) => {
      try {
        return await findFormulaById(client, id);
      } catch (error) {
        incompleteReasons.set(id.toLowerCase(), `${list.incompleteReason}; ${toIncompleteReason(error)}`);
        return undefined;
      }
    },
  );
  return { formulas: [...list.items, ...found.filter((formula) => formula !== undefined)], incompleteReasons };
}
