/** Parses manifest.json, with schema violations and positions. */
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { readRegularFile } from '../files/regular-file.ts';
import validateManifest from '../generated/manifest-validator.js';
import type { FormulaBody } from '../model.ts';
import { type JsonPath, type JsonWithPositions, parseJsonWithPositions } from '../text/json-with-positions.ts';
import { pick } from '../text/pick.ts';
import { parsePointer } from '../text/schema-errors.ts';

/** One violation of schema/manifest.schema.json. */
export interface Violation {
  path: JsonPath;
  /** The keyword of the schema: type, required, enum, … */
  keyword: string;
  params: Record<string, unknown>;
}

export interface Manifest extends JsonWithPositions {
  text: string;
  violations: readonly Violation[];
}

/** Positions and violations can take 1,000 times the memory of the text. Known services allow 25 elements a list. */
const MAX_CHARACTERS = 250_000;

/** The value of a valid manifest. */
export type ManifestValue = Omit<FormulaBody, 'icon' | 'code'> & { $schema?: string | null };

/** The fields of the body that the manifest defines: only keys that the service accepts (spec 4.2). */
export function toManifestBody(value: ManifestValue): Omit<FormulaBody, 'icon' | 'code'> {
  return {
    ...pick(value, ['name', 'description', 'type']),
    configuration: value.configuration.map((one) => pick(one, ['name', 'description', 'type'])),
    request_parameters: value.request_parameters.map((one) => pick(one, ['name', 'description', 'type', 'optional'])),
  };
}

/** Parses the text of a manifest and validates it against the schema. Never throws. */
export function parseManifest(text: string): Manifest {
  const located = text.length > MAX_CHARACTERS ? createTooLargeResult(text) : parseJsonWithPositions(text);
  return { ...located, text, violations: located.value === undefined ? [] : findViolations(located.value) };
}

function findViolations(value: unknown): Violation[] {
  if (validateManifest(value)) return [];
  const violations = (validateManifest.errors ?? []).map(({ instancePath, keyword, params }) => ({
    path: parsePointer(instancePath, value),
    keyword,
    params,
  }));
  // Otherwise the validator keeps the last errors in memory.
  validateManifest.errors = null;
  return violations;
}

function createTooLargeResult({ length }: string): JsonWithPositions {
  const top = { line: 1, column: 1 };
  const message = `the file must have at most ${MAX_CHARACTERS} characters (got ${length})`;
  return {
    value: undefined,
    problems: [{ kind: 'syntax', position: top, message }],
    locate: () => top,
    locateKey: () => top,
  };
}

/** The value of the manifest in a folder; undefined if it cannot be read. Without positions, which take long. */
export const readManifestValue = (folder: string): unknown =>
  parseValue(() => readRegularFile(join(folder, 'manifest.json')));

/** The name in the manifest of a folder; undefined if it cannot be read. */
export const readManifestName = (folder: string): string | undefined => getManifestName(readManifestValue(folder));

/** The name in the bytes of a manifest; undefined if they have none. */
export const parseManifestName = (bytes: Buffer): string | undefined => getManifestName(parseValue(() => bytes));

const parseValue = (read: () => Buffer): unknown => attempt(() => JSON.parse(`${read()}`.replace(/^\ufeff/, '')));

/** The name of a manifest; undefined if it has none. */
export function getManifestName(manifest: unknown): string | undefined {
  const name = (manifest as Partial<ManifestValue> | null | undefined)?.name;
  return typeof name === 'string' ? name : undefined;
}
