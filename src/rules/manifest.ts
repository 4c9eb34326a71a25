/** Rules about manifest.json: it exists, is JSON, and matches the schema. */
import { formatJsonPath, type Manifest } from '../folder/manifest.ts';
import { MAX_ELEMENTS, type Violation } from '../folder/manifest-violations.ts';
import { describeType } from '../text/json-type.ts';
import type { JsonProblem } from '../text/json-with-positions.ts';
import { getMisspellings, manifestKeyRules } from './manifest-keys.ts';
import { createManifestProblem, createMissingProblem } from './problems.ts';
import type { Problem, Rule, Subject } from './rule.ts';

const FILE = 'manifest.json';

const manifestMissing: Rule = {
  id: 'manifest-missing',
  level: 'error',
  description: 'manifest.json is missing, or is not a regular file.',
  check: ({ contents }) => {
    if (contents.manifest.state === 'read' || contents.isMisnamed) return [];
    const fix = 'To create a formula folder, run: formulary formula init DIR';
    return [createMissingProblem(contents.manifest, FILE, contents, fix)];
  },
};

const forJsonProblem = (kind: JsonProblem['kind']) => (subject: Subject) =>
  (subject.manifest?.problems ?? [])
    .filter((problem) => problem.kind === kind)
    .map(({ position, message, path = [] }): Problem => {
      return { file: FILE, position, message: path.length > 1 ? `${formatJsonPath(path)}: ${message}` : message };
    });

const manifestSyntax: Rule = {
  id: 'manifest-syntax',
  level: 'error',
  description: 'manifest.json is not valid JSON: it is empty, or has comments, trailing commas, or other errors.',
  check: forJsonProblem('syntax'),
};

const manifestDuplicateKey: Rule = {
  id: 'manifest-duplicate-key',
  level: 'error',
  description: 'An object contains a duplicate key, at any depth.',
  check: forJsonProblem('duplicate-key'),
};

const manifestDepth: Rule = {
  id: 'manifest-depth',
  level: 'error',
  description: 'Objects and arrays are nested deeper than 64 levels.',
  check: forJsonProblem('depth'),
};

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

function toShapeProblem(manifest: Manifest, { path, keyword, params }: Violation): Problem {
  const name = formatJsonPath(path) || 'the manifest';
  if (keyword === 'required') {
    const key = String(params['missingProperty']);
    const isList = path.length === 0 && key in EMPTY_LISTS;
    const message = `${formatJsonPath([...path, key])} is required${path.length > 0 ? ` (${name} has no key ${key})` : ''}${isList ? '; use [] for none' : ''}`;
    return createManifestProblem(manifest, path, message, { fix: `Add "${key}": ${isList ? '[]' : '…'}` });
  }
  if (keyword === 'maxItems') {
    const message = `${name} must have at most ${MAX_ELEMENTS} elements (got ${params['length']}); the rest is not checked`;
    return createManifestProblem(manifest, path, message);
  }
  const expected = EXPECTED_TYPES[String(params['type'])] ?? String(params['type']);
  return createManifestProblem(
    manifest,
    path,
    `${name} must be ${expected} (got ${describeType(getValueAt(manifest, path))})`,
  );
}

const EMPTY_LISTS = { configuration: true, request_parameters: true };

const manifestShape: Rule = {
  id: 'manifest-shape',
  level: 'error',
  description: 'The manifest is not an object, lacks a required key, or has a value of the wrong JSON type.',
  check: ({ manifest }) => {
    if (!manifest) return [];
    const misspelled = new Set(getMisspellings(manifest).map(({ missing }) => missing));
    return manifest.violations
      .filter(({ keyword }) => /^(?:type|required|maxItems)$/.test(keyword))
      .filter((violation) => !misspelled.has(violation))
      .map((violation) => toShapeProblem(manifest, violation));
  },
};

export const manifestRules: readonly Rule[] = [
  manifestMissing,
  manifestSyntax,
  manifestDuplicateKey,
  manifestDepth,
  manifestShape,
  ...manifestKeyRules,
];
