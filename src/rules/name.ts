/** Rules about the formula's name and type. */
import type { Manifest } from '../folder/manifest.ts';
import { countCodePoints } from '../text/code-points.ts';
import { isObject } from '../text/json-type.ts';
import { createManifestFinding, type Rule, type RuleFinding, type Subject } from './rule.ts';

const MAX_NAME = 200;

/** A rule about one string of the manifest's top level. */
function forText(key: 'name' | 'type', describe: (text: string) => string | undefined) {
  return ({ manifest }: Subject): RuleFinding[] => {
    const text = getText(manifest, key);
    const message = text !== undefined && describe(text);
    return manifest && message ? [createManifestFinding(manifest, [key], message)] : [];
  };
}

function getText(manifest: Manifest | undefined, key: string): string | undefined {
  const value = isObject(manifest?.value) ? manifest.value[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Why a name is blank or too long; undefined if it is neither. */
export function findNameLengthProblem(name: string): string | undefined {
  if (name.trim() === '')
    return `name must have 1 to ${MAX_NAME} characters (got ${name === '' ? 'none' : 'only whitespace'})`;
  const length = countCodePoints(name);
  return length > MAX_NAME ? `name must have at most ${MAX_NAME} characters (got ${length})` : undefined;
}

export const nameRules: readonly Rule[] = [
  {
    id: 'name-length',
    level: 'error',
    description: 'The name is blank, or longer than 200 characters (code points; spec 8).',
    check: forText('name', findNameLengthProblem),
  },
  {
    id: 'name-units',
    level: 'warning',
    description: 'The name has at most 200 characters, but more than 200 UTF-16 units, which some services count.',
    check: forText('name', (name) =>
      name.length > MAX_NAME && countCodePoints(name) <= MAX_NAME
        ? `name has ${countCodePoints(name)} characters but ${name.length} UTF-16 units; a service that counts those allows ${MAX_NAME}`
        : undefined,
    ),
  },
  {
    id: 'name-text',
    level: 'error',
    description: 'The name contains an unpaired surrogate, which is not valid Unicode.',
    check: forText('name', (name) => {
      if (name.isWellFormed()) return undefined;
      const half = /\p{Surrogate}/u.exec(name)?.[0].charCodeAt(0).toString(16) ?? '';
      return `name must be valid Unicode (got the unpaired surrogate \\u${half})`;
    }),
  },
  {
    id: 'name-control',
    level: 'warning',
    description: 'The name contains control characters or line breaks, or begins or ends with whitespace.',
    check: forText('name', (name) => {
      if (name.trim() === '') return undefined;
      const control = /[\p{Cc}\u2028\u2029]/u.exec(name)?.[0].codePointAt(0);
      if (control !== undefined)
        return `name must not contain control characters or line breaks (got U+${control.toString(16).toUpperCase().padStart(4, '0')})`;
      return name === name.trim() ? undefined : 'name begins or ends with whitespace, which is part of the name';
    }),
  },
  {
    id: 'type-value',
    level: 'error',
    description: 'type is not `official` or `private` (case-sensitive).',
    check: forText('type', (type) =>
      type === 'official' || type === 'private'
        ? undefined
        : `type must be "private" or "official" (got ${JSON.stringify(type)})`,
    ),
  },
  {
    id: 'type-official',
    level: 'note',
    description: 'The type is `official`; only the service operator can publish these.',
    check: forText('type', (type) =>
      type === 'official' ? 'type is "official", which only the service operator can publish' : undefined,
    ),
  },
];
