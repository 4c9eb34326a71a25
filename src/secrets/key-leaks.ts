/** Where the API key stands in what would be written of a formula. Pure. */

import { slug } from '../files/safe-names.ts';
import { bodyOf } from '../formula-content.ts';
import type { Formula } from '../model.ts';

/** Takes the key out of a text. */
export type Hide = (text: string) => string;

/** The parts of a formula that hold the key, in a form in which it is hidden in output too. */
export function partsWithKey(formula: Formula, hide: Hide): string[] {
  const { name, ...others } = bodyOf(formula);
  const parts = { id: formula.id, name: namesOf(name), ...others };
  if (!holdsKey(parts, hide)) return [];
  return Object.entries(parts)
    .filter(([field, value]) => holdsKey({ [field]: value }, hide))
    .map(([field]) => field);
}

/** What a folder may be named after: nothing where the name, or the folder's name that it gives, holds the key. */
export const nameWithoutKey = ({ name }: Formula, hide: Hide): string =>
  holdsKey({ name: namesOf(name) }, hide) ? '' : name;

const namesOf = (name: string) => [name, slug(name)];

/** As JSON, since short keys are left alone in some of its fields. */
function holdsKey(parts: object, hide: Hide): boolean {
  const text = JSON.stringify(parts);
  return hide(text) !== text;
}
