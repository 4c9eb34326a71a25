/** manifest.json as a value, with the schema's complaints and the place of everything in it. */

import { join } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import type { FormulaBody } from '../model.ts';
import { type JsonPath, type JsonWithPositions, parseJsonWithPositions } from '../text/json-with-positions.ts';
import { findViolations, type Violations } from './manifest-violations.ts';

export interface Manifest extends JsonWithPositions, Violations {
  text: string;
}

/** Places take 100 times the memory of a text that consists of brackets. */
const MAX_CHARACTERS = 4_000_000;

/** What a manifest without violations holds. */
export type ManifestValue = Omit<FormulaBody, 'icon' | 'code'> & { $schema?: string | null };

/** What a manifest says of the formula: only the keys that the service knows (spec 4.2); what it does not say is left out. */
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

/** A path as messages write it: `request_parameters[0].type`. */
export function formatJsonPath(path: JsonPath): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
}

/** The name in the manifest of a folder; undefined where none can be read. */
export function readManifestName(folder: string): string | undefined {
  try {
    const { value } = parseManifest(
      readRegularFile(join(folder, 'manifest.json'))
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    );
    const name = (value as Partial<ManifestValue> | null | undefined)?.name;
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
