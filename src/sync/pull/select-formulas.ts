/** Selects the formulas of a pull from the list of all. */
import type { ServiceClient } from '../../api/client.ts';
import { findInList } from '../../api/find-formula.ts';
import type { ListResult } from '../../api/pagination.ts';
import type { Formula } from '../../model.ts';

/** Characters of code and icons that are kept in memory, up to two bytes each; the rest is read again one by one. */
const MAX_CONTENT_LENGTH = 128 * 1024 * 1024;

/** Returns whether a formula of the list is pulled. */
export function createSelector(idsOrNames: readonly string[]): (formula: Formula) => boolean {
  if (idsOrNames.length === 0) return ({ type }) => type !== 'official';
  const ids = new Set(idsOrNames.map((idOrName) => idOrName.toLowerCase()));
  return ({ id, name }) => idsOrNames.includes(name) || ids.has(id.toLowerCase());
}

/** Returns a function that reserves memory for the code and icon of a formula; false if not enough is left. */
export function createContentBudget(): (formula: Formula) => boolean {
  let remaining = MAX_CONTENT_LENGTH;
  return ({ code, icon }) => {
    const length = (code?.length ?? 0) + (icon?.length ?? 0);
    if (length > remaining) return false;
    remaining -= length;
    return true;
  };
}

/** The formulas of the arguments, otherwise all private ones. Raises not_found (5) and conflict (6). */
export async function selectFormulas(
  client: ServiceClient,
  list: ListResult<Formula>,
  idsOrNames: readonly string[],
): Promise<Formula[]> {
  if (idsOrNames.length === 0) return list.items.filter(({ type }) => type !== 'official');
  const byId = new Map<string, Formula>();
  for (const idOrName of idsOrNames) {
    const formula = await findInList(client, list, idOrName);
    byId.set(formula.id, formula);
  }
  return [...byId.values()];
}
