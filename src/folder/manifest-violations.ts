/** Validates a manifest against schema/manifest.schema.json. */
import validateManifest from '../generated/manifest-validator.js';
import { isObject } from '../text/json-type.ts';
import type { JsonPath } from '../text/json-with-positions.ts';
import { parsePointer } from '../text/schema-errors.ts';
import { MANIFEST_KEYS } from './manifest-keys.ts';

/** One violation of the schema. */
export interface Violation {
  path: JsonPath;
  /** The keyword of the schema: type, required, enum, …; maxItems if only a part of a list was checked. */
  keyword: string;
  params: Record<string, unknown>;
}

/** The violations, and the number of unknown keys that they omit. */
export interface Violations {
  violations: readonly Violation[];
  omittedKeys: number;
}

/** Known services allow 25; further elements are not checked. */
export const MAX_ELEMENTS = 10_000;
/** A violation takes 1 KB of memory, and a manifest may consist of them. */
const MAX_UNKNOWN_KEYS = 200_000;

/** Finds all violations; a manifest beyond the limits is checked up to them. */
export function findViolations(value: unknown): Violations {
  const limited = limitManifest(value);
  if (validateManifest(limited.value)) return { violations: limited.tooLong, omittedKeys: 0 };
  const violations = (validateManifest.errors ?? []).map(({ instancePath, keyword, params }) => ({
    path: parsePointer(instancePath, value),
    keyword,
    params,
  }));
  // Otherwise the validator keeps the last errors in memory.
  validateManifest.errors = null;
  return { violations: [...violations, ...limited.tooLong], omittedKeys: limited.omittedKeys };
}

type Json = Record<string, unknown>;

const LISTS = ['configuration', 'request_parameters'];
const KNOWN = new Set(['$schema', 'optional', ...MANIFEST_KEYS]);

/** The manifest, limited to the elements and unknown keys that are checked. */
function limitManifest(value: unknown): { value: unknown; omittedKeys: number; tooLong: Violation[] } {
  let left = MAX_UNKNOWN_KEYS;
  let omittedKeys = 0;
  const tooLong: Violation[] = [];
  const limitKeys = (object: Json): Json => {
    const unknown = Object.keys(object).filter((key) => !KNOWN.has(key));
    const omitted = new Set(unknown.slice(left));
    left -= unknown.length - omitted.size;
    omittedKeys += omitted.size;
    return omitted.size === 0
      ? object
      : Object.fromEntries(Object.entries(object).filter(([key]) => !omitted.has(key)));
  };
  const limitList = (list: string, elements: unknown): unknown => {
    if (!Array.isArray(elements)) return elements;
    if (elements.length > MAX_ELEMENTS)
      tooLong.push({ path: [list], keyword: 'maxItems', params: { length: elements.length } });
    return elements
      .slice(0, MAX_ELEMENTS)
      .map((element: unknown) => (isObject(element) ? limitKeys(element) : element));
  };
  if (!isObject(value)) return { value, omittedKeys, tooLong };
  const top = limitKeys(value);
  const lists = LISTS.filter((list) => Object.hasOwn(top, list));
  const checked = { ...top, ...Object.fromEntries(lists.map((list) => [list, limitList(list, top[list])])) };
  return { value: checked, omittedKeys, tooLong };
}
