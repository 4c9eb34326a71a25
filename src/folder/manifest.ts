/** manifest.json as a value, with the schema's complaints and the place of everything in it. */

import { join } from 'node:path';
import validateManifest from '../generated/manifest-validator.js';
import type { FormulaBody } from '../model.ts';
import { readRegularFile } from '../regular-file.ts';
import { type JsonPath, type LocatedJson, parseLocatedJson } from './located-json.ts';

/** One thing in which the manifest departs from schema/manifest.schema.json. */
export interface Violation {
  path: JsonPath;
  /** The keyword of the schema: type, required, enum, … */
  keyword: string;
  params: Record<string, unknown>;
}

export interface Manifest extends LocatedJson {
  text: string;
  violations: readonly Violation[];
}

/** What a manifest without violations holds. */
export type ManifestValue = Omit<FormulaBody, 'icon' | 'code'> & { $schema?: string | null };

/** What a manifest says of the formula: only the keys that the service knows (spec 4.2); what it does not say is left out. */
export function manifestBody(value: ManifestValue): Omit<FormulaBody, 'icon' | 'code'> {
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

/** Parses the text of a manifest and holds it against the schema. Never throws. */
export function parseManifest(text: string): Manifest {
  const located = parseLocatedJson(text);
  return { ...located, text, violations: located.value === undefined ? [] : violationsOf(located.value) };
}

function violationsOf(value: unknown): Violation[] {
  if (validateManifest(value)) return [];
  return (validateManifest.errors ?? []).map(({ instancePath, keyword, params }) => ({
    path: pathOf(instancePath, value),
    keyword,
    params,
  }));
}

/** A JSON pointer as a path; a step is an index where the value there is an array. */
function pathOf(pointer: string, root: unknown): JsonPath {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(value) ? Number(key) : key;
      value = (value as Record<string | number, unknown>)[step];
      return step;
    });
}

/** A path as messages write it: `request_parameters[0].type`. */
export function pathText(path: JsonPath): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
}

/** The name in the manifest of a folder; undefined where none can be read. */
export function manifestName(folder: string): string | undefined {
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
