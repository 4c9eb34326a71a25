/** Finds fields of a formula that contain the API key. Pure. */
import { toSlug } from '../files/safe-names.ts';
import { toRequestBody } from '../formula-fields.ts';
import type { Redactor } from '../host/host.ts';
import type { Formula } from '../model.ts';

/** The fields of a formula that contain the key, in any encoding. */
export function findFieldsWithKey(formula: Formula, redact: Redactor): string[] {
  const { name, ...others } = toRequestBody(formula);
  const fields = { id: formula.id, name: getNameForms(name), ...others };
  if (!containsKey(fields, redact)) return [];
  return Object.entries(fields)
    .filter(([field, value]) => containsKey({ [field]: value }, redact))
    .map(([field]) => field);
}

/** The name of a formula; '' if the name, or its folder name, contains the key. */
export const getNameWithoutKey = ({ name }: Formula, redact: Redactor): string =>
  containsKey({ name: getNameForms(name) }, redact) ? '' : name;

const getNameForms = (name: string) => [name, toSlug(name)];

/** As JSON, in which short keys are redacted in all fields but code and icon. */
function containsKey(fields: object, redact: Redactor): boolean {
  const text = JSON.stringify(fields);
  return redact(text) !== text;
}
