/** What an update sends, and whether it is needed: the folder's body laid over what the service has. Pure. */
import { changedFields, isSameIcon } from '../formula-content.ts';
import type { Formula, FormulaBody } from '../model.ts';

export interface MergedUpdate {
  /** The whole body of the PUT; what the folder says nothing of is kept (a PUT replaces everything, spec 4.5). */
  body: FormulaBody;
  /** The fields that would change; none: no PUT is needed. */
  changed: readonly (keyof FormulaBody)[];
  /** The fields that are kept since the folder says nothing of them. */
  preserved: readonly ('icon' | 'description')[];
}

/** Lays a folder's body over the formula that the service has. */
export function mergeFormula(local: FormulaBody, remote: Formula, options: { removeIcon: boolean }): MergedUpdate {
  const preserved = (['icon', 'description'] as const).filter(
    (field) => local[field] === undefined && remote[field] != null && !(field === 'icon' && options.removeIcon),
  );
  const preservedValues = Object.fromEntries(preserved.map((field) => [field, remote[field]]));
  // The text of the remote icon is sent back as it is, so that an update of the code changes nothing else.
  const isSameImage = local.icon && remote.icon && isSameIcon(local.icon, remote.icon);
  const body: FormulaBody = {
    ...local,
    ...preservedValues,
    ...(isSameImage && { icon: remote.icon }),
    ...(options.removeIcon && { icon: null }),
  };
  const changed = changedFields(body, remote);
  return { body, changed, preserved };
}
