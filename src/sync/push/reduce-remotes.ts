/** What a plan keeps of the formulas of a service: their codes together may not fit into memory. */

import { withoutContent } from '../../api/formula-reads.ts';
import { fieldsToChange, outline } from '../../formula-content.ts';
import type { Formula } from '../../model.ts';
import type { PlanInput } from './plan.ts';

/**
 * Makes the reduction of a list. Code and icon remain of formulas that differ from their folder and of those that have an
 * entry but no folder, up to so many characters together; of others that a folder may be matched with, their hashes.
 */
export function remoteReducer(
  { locals, ids }: Pick<PlanInput, 'locals' | 'ids'>,
  maxCharacters: number,
): (formula: Formula) => Formula {
  const linked = new Map(locals.map((local) => [ids.get(local.path)?.toLowerCase(), local]));
  const named = new Map(locals.map((local) => [local.name, local]));
  const entries = new Set([...ids.values()].map((id) => id.toLowerCase()));
  let left = maxCharacters;
  return (formula) => {
    const id = formula.id.toLowerCase();
    const folders = [linked.get(id), named.get(formula.name)].filter((local) => local !== undefined);
    if (formula.type === 'official' || (folders.length === 0 && !entries.has(id))) return withoutContent(formula);
    const outlined = outline(formula);
    const isSame = folders.length > 0 && folders.every((local) => fieldsToChange(local, outlined).length === 0);
    const length = (formula.code?.length ?? 0) + (formula.icon?.length ?? 0);
    if (isSame || length > left) return outlined;
    left -= length;
    return formula;
  };
}
