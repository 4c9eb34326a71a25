/** What an incomplete list does not show: looked for by name, with the service's search, or by id. */
import { CliError } from '../errors.ts';
import { inParallel } from '../host/parallel.ts';
import type { Formula } from '../model.ts';
import type { Send } from './client.ts';
import { findFormulaById, listFormulas } from './formula-reads.ts';
import type { Collected } from './pagination.ts';

/** The formulas of an exact name; `doubt` says why there may be more than the service shows. */
export interface Namesakes {
  formulas: Formula[];
  doubt: string | undefined;
}

/** The formulas of a list that have a name; an incomplete list is completed with what the service's search finds. */
export async function findNamesakes(send: Send, list: Collected<Formula>, name: string): Promise<Namesakes> {
  const searches: Collected<Formula>[] = [];
  for (const pattern of list.doubt === undefined ? [] : searchPatterns(name)) {
    searches.push(await search(send, pattern));
  }
  return namesakesIn(name, list, searches);
}

async function search(send: Send, pattern: string): Promise<Collected<Formula>> {
  try {
    return await listFormulas(send, { name: pattern, doing: 'search for the name', warn: () => undefined });
  } catch (error) {
    return { items: [], doubt: doubtOf(error) };
  }
}

/** A command that is to stop asks no further; whatever else fails leaves a question open. */
function doubtOf(error: unknown): string {
  if (error instanceof CliError && error.outcome !== 'interrupted') return error.message;
  throw error;
}

/** What a search may read as more than itself: as an escape, a class, an operator, or white space to be cut off. */
const MAY_MEAN_MORE = /^\s+|\s+$|[^\p{L}\p{M}\p{N}\s*._,:-]+/gu;

/**
 * What to search for, so that whatever has the name is found: the name itself, which suits a search that takes it as it
 * is, and one with `*`, which suits one that reads signs in it. A `*` of the name may find more, never less.
 */
export function searchPatterns(name: string): string[] {
  return [...new Set([name, name.replace(MAY_MEAN_MORE, '*')])];
}

/** What a list and searches say together; each search alone could have overlooked the name. Pure. */
export function namesakesIn(
  name: string,
  list: Collected<Formula>,
  searches: readonly Collected<Formula>[],
): Namesakes {
  const byId = new Map<string, Formula>();
  for (const formula of [list, ...searches].flatMap(({ items }) => items)) {
    const id = formula.id.toLowerCase();
    if (formula.name === name && !byId.has(id)) byId.set(id, formula);
  }
  const open = searches.find(({ doubt }) => doubt !== undefined);
  return {
    formulas: [...byId.values()],
    doubt: open && `${list.doubt}; a search for the name could not tell either: ${open.doubt}`,
  };
}

/** The ids before a create; undefined where more may have been there than was shown. */
export function idsBefore(list: Collected<Formula>, namesakes: Namesakes): ReadonlySet<string> | undefined {
  if (namesakes.doubt !== undefined) return undefined;
  return new Set([...list.items, ...namesakes.formulas].map(({ id }) => id));
}

/** Formulas that the service has, and why it is open, by id in small letters, whether it has others. */
export interface Looked {
  formulas: readonly Formula[];
  doubts: ReadonlyMap<string, string>;
}

/** The formulas of a list, and those of some ids that an incomplete list does not show, asked for one by one. */
export async function findIds(
  send: Send,
  list: Collected<Formula>,
  ids: Iterable<string>,
  atOnce = 1,
): Promise<Looked> {
  const shown = new Set(list.items.map(({ id }) => id.toLowerCase()));
  // Asked for in the letters that the lock has, since a service may tell cases apart.
  const open = new Set([...ids].filter((id) => !shown.has(id.toLowerCase())));
  const doubts = new Map<string, string>();
  const asked = await inParallel(list.doubt === undefined ? [] : [...open], atOnce, async (id) => {
    try {
      return await findFormulaById(send, id);
    } catch (error) {
      doubts.set(id.toLowerCase(), `${list.doubt}; ${doubtOf(error)}`);
      return undefined;
    }
  });
  return { formulas: [...list.items, ...asked.filter((formula) => formula !== undefined)], doubts };
}
