/** Reduces the memory of remote formulas for a plan: their code together may not fit into memory. */
import { withoutContent } from '../../api/formula-reads.ts';
import { fieldsToChange, outline } from '../../formula-fields.ts';
import type { Formula } from '../../model.ts';
import type { PlanInput } from './plan.ts';

/**
 * Returns the function that reduces a listed formula. Code and icon are kept if the formula differs from its folder, or is
 * linked and has no folder, up to a total number of characters; hashes are kept if a folder may match the formula.
 */
export function createRemoteReducer(
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
