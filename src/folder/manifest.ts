/** Parses manifest.json, with schema violations and positions. */
import { join } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import type { FormulaBody } from '../model.ts';
import { type JsonPath, type JsonWithPositions, parseJsonWithPositions } from '../text/json-with-positions.ts';
import { findViolations, type Violations } from './manifest-violations.ts';

export interface Manifest extends JsonWithPositions, Violations {
  text: string;
}

/** Positions can take 100 times the memory of the text. */
const MAX_CHARACTERS = 4_000_000;

/** The value of a valid manifest. */
export type ManifestValue = Omit<FormulaBody, 'icon' | 'code'> & { $schema?: string | null };

/** The fields of the body that the manifest defines: only keys that the service accepts (spec 4.2). */
export function toManifestBody(value: ManifestValue): Omit<FormulaBody, 'icon' | 'code'> {
  return {
    name: value.name,
    ...(value.description !== undefined && { description: value.description }),
    type: value.type,
    configuration: value.configuration.map(({ name, description, type }) => ({
      name,
      ...(description !== undefined && { description }),
      type,
    })),
    request_parameters: value.request_parameters.map(({ name, description, type, optional }) => ({
      name,
      ...(description !== undefined && { description }),
      type,
      ...(optional !== undefined && { optional }),
    })),
  };
}

/** Parses the text of a manifest and validates it against the schema. Never throws. */
export function parseManifest(text: string): Manifest {
  const located = text.length > MAX_CHARACTERS ? createTooLargeResult(text) : parseJsonWithPositions(text);
  const { value } = located;
  return { ...located, text, ...(value === undefined ? { violations: [], omittedKeys: 0 } : findViolations(value)) };
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

/** A path for messages: `request_parameters[0].type`. */
export function formatJsonPath(path: JsonPath): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
}

/** The name in the manifest of a folder; undefined if it cannot be read. Without positions, which take long. */
export function readManifestName(folder: string): string | undefined {
  try {
    const text = readRegularFile(join(folder, 'manifest.json')).toString('utf8');
    const { name } = JSON.parse(text.replace(/^\ufeff/, ''));
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
