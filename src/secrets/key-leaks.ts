/** Where the API key stands in what would be written of a formula. Pure. */

import { toSlug } from '../files/safe-names.ts';
import { toRequestBody } from '../formula-content.ts';
import type { Formula } from '../model.ts';

/** Takes the key out of a text. */
export type Redact = (text: string) => string;

/** The parts of a formula that hold the key, in a form in which it is hidden in output too. */
export function findFieldsWithKey(formula: Formula, redact: Redact): string[] {
  const { name, ...others } = toRequestBody(formula);
  const fields = { id: formula.id, name: getNameForms(name), ...others };
  if (!containsKey(fields, redact)) return [];
  return Object.entries(fields)
    .filter(([field, value]) => containsKey({ [field]: value }, redact))
    .map(([field]) => field);
}

/** What a folder may be named after: nothing where the name, or the folder's name that it gives, holds the key. */
export const getNameWithoutKey = ({ name }: Formula, redact: Redact): string =>
  containsKey({ name: getNameForms(name) }, redact) ? '' : name;

const getNameForms = (name: string) => [name, toSlug(name)];

/** As JSON, since short keys are left alone in some of its fields. */
function containsKey(fields: object, redact: Redact): boolean {
  const text = JSON.stringify(fields);
  return redact(text) !== text;
}
