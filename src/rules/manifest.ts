/** Rules about manifest.json: it exists, is JSON, and matches the schema. */
import type { Manifest, Violation } from '../folder/manifest.ts';
import { MANIFEST_FIELDS } from '../formula-fields.ts';
import { isLikelyTypo } from '../text/did-you-mean.ts';
import { groupBy } from '../text/group-by.ts';
import { describeType } from '../text/json-type.ts';
import type { JsonProblem } from '../text/json-with-positions.ts';
import { formatJsonPath } from '../text/schema-errors.ts';
import {
  createManifestFinding,
  createMissingFinding,
  once,
  type Rule,
  type RuleFinding,
  type Subject,
} from './rule.ts';

const FILE = 'manifest.json';

const forJsonProblem = (kind: JsonProblem['kind']) => (subject: Subject) =>
  (subject.manifest?.problems ?? [])
    .filter((problem) => problem.kind === kind)
    .map(({ position, message, path = [] }): RuleFinding => {
      return { file: FILE, ...position, message: path.length > 1 ? `${formatJsonPath(path)}: ${message}` : message };
    });

const EXPECTED_TYPES: Record<string, string> = {
  string: 'a string',
  boolean: 'a boolean (true or false)',
  array: 'an array of elements',
  object: 'an object',
  'string,null': 'a string or null',
  'boolean,null': 'a boolean (true or false) or null',
};

/** The value at a path, or undefined. */
function getValueAt(manifest: Manifest, path: Violation['path']): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], manifest.value);
}

function toShapeFinding(manifest: Manifest, { path, keyword, params }: Violation): RuleFinding {
  const name = formatJsonPath(path) || 'the manifest';
  if (keyword === 'required') {
    const key = String(params['missingProperty']);
    const isList = path.length === 0 && key in EMPTY_LISTS;
    const message = `${formatJsonPath([...path, key])} is required${path.length > 0 ? ` (${name} has no key ${key})` : ''}${isList ? '; use [] for none' : ''}`;
    return createManifestFinding(manifest, path, message, { fix: `Add "${key}": ${isList ? '[]' : '…'}` });
  }
  const expected = EXPECTED_TYPES[String(params['type'])] ?? String(params['type']);
  return createManifestFinding(
    manifest,
    path,
    `${name} must be ${expected} (got ${describeType(getValueAt(manifest, path))})`,
  );
}

const EMPTY_LISTS = { configuration: true, request_parameters: true };

/** Maximum unknown keys that are compared with the known ones. */
const MAX_COMPARED = 1000;

interface Misspelling {
  missing: Violation;
  unknown: Violation;
}

const getMissingKey = (violation: Violation) => String(violation.params['missingProperty']);
const getUnknownKey = (violation: Violation) => String(violation.params['additionalProperty']);

/** Missing required keys that are similar to an unknown key of the same object. */
const getMisspellings = once(({ violations }: Manifest): Misspelling[] => {
  const unknown = violations.filter(({ keyword }) => keyword === 'additionalProperties');
  const unknowns = groupBy(unknown, ({ path }) => formatJsonPath(path));
  return violations
    .filter(({ keyword }) => keyword === 'required')
    .flatMap((missing) => {
      const here = unknowns.get(formatJsonPath(missing.path)) ?? [];
      const unknown = here
        .slice(0, MAX_COMPARED)
        .find((violation) => isLikelyTypo(getUnknownKey(violation), getMissingKey(missing)));
      return unknown ? [{ missing, unknown }] : [];
    });
});

const ELEMENT_KEYS: readonly string[] = ['name', 'description', 'type'];

const listKnownKeys = ([list]: Violation['path']) =>
  list === undefined
    ? ['$schema', ...MANIFEST_FIELDS]
    : list === 'request_parameters'
      ? [...ELEMENT_KEYS, 'optional']
      : ELEMENT_KEYS;

export const manifestRules: readonly Rule[] = [
  {
    id: 'manifest-missing',
    level: 'error',
    description: 'manifest.json is missing, or is not a regular file.',
    check: ({ contents }) => {
      if (contents.manifest.state === 'read' || contents.isMisnamed) return [];
      const fix = 'To create a formula folder, run: formulary formula init DIR';
      return [createMissingFinding(contents.manifest, FILE, contents, fix)];
    },
  },
  {
    id: 'manifest-syntax',
    level: 'error',
    description: 'manifest.json is not valid JSON: it is empty, or has comments, trailing commas, or other errors.',
    check: forJsonProblem('syntax'),
  },
  {
    id: 'manifest-duplicate-key',
    level: 'error',
    description: 'An object contains a duplicate key, at any depth.',
    check: forJsonProblem('duplicate-key'),
  },
  {
    id: 'manifest-depth',
    level: 'error',
    description: 'Objects and arrays are nested deeper than 64 levels.',
    check: forJsonProblem('depth'),
  },
  {
    id: 'manifest-shape',
    level: 'error',
    description: 'The manifest is not an object, lacks a required key, or has a value of the wrong JSON type.',
    check: ({ manifest }) => {
      if (!manifest) return [];
      const misspelled = new Set(getMisspellings(manifest).map(({ missing }) => missing));
      return manifest.violations
        .filter(({ keyword }) => /^(?:type|required)$/.test(keyword))
        .filter((violation) => !misspelled.has(violation))
        .map((violation) => toShapeFinding(manifest, violation));
    },
  },
  {
    id: 'manifest-misspelt-key',
    level: 'error',
    description: 'An unknown key is close to a required key that is missing.',
    check: ({ manifest }) => {
      if (!manifest) return [];
      return getMisspellings(manifest).map(({ missing, unknown }) => {
        const path = [...unknown.path, getUnknownKey(unknown)];
        const message = `${formatJsonPath(path)} is unknown, and ${getMissingKey(missing)} is missing; it is likely misspelled`;
        return { file: FILE, ...manifest.locateKey(path), message, fix: `write "${getMissingKey(missing)}"` };
      });
    },
  },
  {
    id: 'manifest-unknown-key',
    level: 'warning',
    description: 'A key of the manifest or of an element is unknown; it is not sent.',
    check: ({ manifest }) => {
      if (!manifest) return [];
      const misspelled = new Set(getMisspellings(manifest).map(({ unknown }) => unknown));
      return manifest.violations
        .filter((violation) => violation.keyword === 'additionalProperties' && !misspelled.has(violation))
        .map((violation, i): RuleFinding => {
          const path = [...violation.path, getUnknownKey(violation)];
          const suggestion =
            i < MAX_COMPARED
              ? listKnownKeys(violation.path).find((key) => isLikelyTypo(getUnknownKey(violation), key))
              : undefined;
          const message = `${formatJsonPath(path)} is unknown and is not sent${suggestion ? `; did you mean \`${suggestion}\`?` : ''}`;
          return { file: FILE, ...manifest.locateKey(path), message };
        });
    },
  },
];
