/** Rules about unknown and misspelled keys of manifest.json. */
import { formatJsonPath, type Manifest } from '../folder/manifest.ts';
import { ELEMENT_KEYS, MANIFEST_KEYS } from '../folder/manifest-keys.ts';
import type { Violation } from '../folder/manifest-violations.ts';
import { appendTo } from '../text/append-to.ts';
import { isLikelyTypo } from '../text/did-you-mean.ts';
import type { Problem, Rule } from './rule.ts';

const FILE = 'manifest.json';

/** Maximum unknown keys that are compared with the known ones. */
const MAX_COMPARED = 1000;

interface Misspelling {
  missing: Violation;
  unknown: Violation;
}

const getMissingKey = (violation: Violation) => String(violation.params['missingProperty']);
const getUnknownKey = (violation: Violation) => String(violation.params['additionalProperty']);

/** Cached, because three rules need them. */
const cache = new WeakMap<Manifest, readonly Misspelling[]>();

/** Missing required keys that are similar to an unknown key of the same object. */
export function getMisspellings(manifest: Manifest): readonly Misspelling[] {
  const found = cache.get(manifest) ?? findMisspellings(manifest);
  cache.set(manifest, found);
  return found;
}

function findMisspellings({ violations }: Manifest): Misspelling[] {
  const unknowns = new Map<string, Violation[]>();
  for (const violation of violations.filter(({ keyword }) => keyword === 'additionalProperties')) {
    appendTo(unknowns, formatJsonPath(violation.path), violation);
  }
  return violations
    .filter(({ keyword }) => keyword === 'required')
    .flatMap((missing) => {
      const here = unknowns.get(formatJsonPath(missing.path)) ?? [];
      const unknown = here
        .slice(0, MAX_COMPARED)
        .find((violation) => isLikelyTypo(getUnknownKey(violation), getMissingKey(missing)));
      return unknown ? [{ missing, unknown }] : [];
    });
}

const manifestMisspelledKey: Rule = {
  id: 'manifest-misspelt-key',
  level: 'error',
  description: 'An unknown key is close to a required key that is missing.',
  check: ({ manifest }) => {
    if (!manifest) return [];
    return getMisspellings(manifest).map(({ missing, unknown }) => {
      const path = [...unknown.path, getUnknownKey(unknown)];
      const message = `${formatJsonPath(path)} is unknown, and ${getMissingKey(missing)} is missing; it is likely misspelled`;
      return { file: FILE, position: manifest.locateKey(path), message, fix: `write "${getMissingKey(missing)}"` };
    });
  },
};

const manifestUnknownKey: Rule = {
  id: 'manifest-unknown-key',
  level: 'warning',
  description: 'A key of the manifest or of an element is unknown; it is not sent.',
  check: ({ manifest }) => {
    if (!manifest) return [];
    const misspelled = new Set(getMisspellings(manifest).map(({ unknown }) => unknown));
    const { violations, omittedKeys } = manifest;
    const problems = violations
      .filter((violation) => violation.keyword === 'additionalProperties' && !misspelled.has(violation))
      .map((violation, i): Problem => {
        const path = [...violation.path, getUnknownKey(violation)];
        const suggestion =
          i < MAX_COMPARED
            ? listKnownKeys(violation.path).find((key) => isLikelyTypo(getUnknownKey(violation), key))
            : undefined;
        const message = `${formatJsonPath(path)} is unknown and is not sent${suggestion ? `; did you mean \`${suggestion}\`?` : ''}`;
        return { file: FILE, position: manifest.locateKey(path), message };
      });
    const [last] = problems.slice(-1);
    if (last && omittedKeys > 0)
      problems.push({ ...last, message: `${omittedKeys} more keys are unknown and are not sent` });
    return problems;
  },
};

const listKnownKeys = ([list]: Violation['path']) =>
  list === undefined
    ? ['$schema', ...MANIFEST_KEYS]
    : list === 'request_parameters'
      ? [...ELEMENT_KEYS, 'optional']
      : ELEMENT_KEYS;

export const manifestKeyRules: readonly Rule[] = [manifestMisspelledKey, manifestUnknownKey];
