/** Lists that lack something by the service's own account: they prove that a formula exists, never that one does not. */
import type { Formula } from '../model.ts';
import type { ListResult } from './pagination.ts';

/** The formulas of an exact name; the result is as incomplete as the list. */
export const filterByName = (list: ListResult<Formula>, name: string): ListResult<Formula> => ({
  ...list,
  items: list.items.filter((formula) => formula.name === name),
});

/** The warning for an incomplete list. */
export const formatIncomplete = ({ incompleteReason }: ListResult<unknown>): string[] =>
  incompleteReason === undefined ? [] : [`warning: ${incompleteReason}`];

/** The ids before a create; undefined if the list may lack some. */
export const findPreexistingIds = (list: ListResult<Formula>): ReadonlySet<string> | undefined =>
  list.incompleteReason === undefined ? new Set(list.items.map(({ id }) => id)) : undefined;
