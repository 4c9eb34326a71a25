/** Merges a folder into the remote formula: a PUT replaces all fields (spec 4.5), also those that the folder does not set. Pure. */
import { fieldsToChange, isSameIcon } from '../formula-fields.ts';
import type { Formula, FormulaBody } from '../model.ts';

type PreservedField = 'icon' | 'description';

/** The fields that an update preserves, because the folder does not set them. */
export const listPreserved = (local: FormulaBody, remote: Formula): PreservedField[] =>
  (['icon', 'description'] as const).filter((field) => local[field] === undefined && remote[field]);

export interface MergedUpdate {
  /** The complete body of the PUT. */
  body: FormulaBody;
  /** The fields that would change; if there are none, no PUT is needed. */
  changed: readonly (keyof FormulaBody)[];
  preserved: readonly PreservedField[];
}

/** The body that is sent for a folder: to create a formula, or to replace the remote one. */
export const toSentBody = (body: FormulaBody, remote: Formula | undefined): FormulaBody =>
  remote ? mergeFormula(body, remote, { removeIcon: false }).body : body;

/** Merges the body of a folder into the remote formula. */
export function mergeFormula(local: FormulaBody, remote: Formula, options: { removeIcon: boolean }): MergedUpdate {
  const preserved = listPreserved(local, remote).filter((field) => field !== 'icon' || !options.removeIcon);
  // The data URL of an equal icon is sent back unchanged, so that an update of the code changes nothing else.
  const isSameImage = local.icon && remote.icon && isSameIcon(local.icon, remote.icon);
  const body: FormulaBody = {
    ...local,
    ...Object.fromEntries(preserved.map((field) => [field, remote[field]])),
    ...(isSameImage && { icon: remote.icon }),
    ...(options.removeIcon && { icon: null }),
  };
  return { body, changed: fieldsToChange(body, remote), preserved };
}
