/** Looks up KEYs in the JSON Schema of the manifest. Pure. */
import schema from '../generated/manifest-schema.js';
import type { Schema } from '../text/schema-errors.ts';
import { formatKey, type KeyStep } from './parse-key.ts';

const ELEMENTS = Object.values(schema.properties ?? {}).flatMap(({ items }) => items ?? []);

/** The order in which keys are added to a manifest and its elements. */
export const KEY_ORDER: readonly string[] = [
  ...new Set([schema, ...ELEMENTS].flatMap(({ properties }) => Object.keys(properties ?? {}))),
];

/** The schema of the value of a KEY; undefined for an unknown KEY. */
export function findSchema(steps: readonly KeyStep[]): Schema | undefined {
  let at: Schema | undefined = schema;
  for (const step of steps) {
    const key = step.kind === 'key' ? step.key : step.kind === 'name' ? step.name : '';
    at = step.kind !== 'key' && at?.items ? at.items : getProperty(at, key);
  }
  return at;
}

const getProperty = (at: Schema | undefined, key: string): Schema | undefined =>
  at?.properties && Object.hasOwn(at.properties, key) ? at.properties[key] : undefined;

/** Parses a text as the type that a schema allows; if it is no such value, describes what is expected. */
export function parseValue(text: string, { type }: Schema): { value: unknown } | { expected: string } {
  const types: unknown[] = [type].flat();
  if (types.includes('string')) return { value: text };
  if (types.includes('boolean'))
    return text === 'true' || text === 'false' ? { value: text === 'true' } : { expected: 'true or false' };
  if (types.includes('number') && text.trim() !== '' && Number.isFinite(Number(text))) return { value: Number(text) };
  return { expected: types.includes('number') ? 'a number' : 'JSON, with --set-json' };
}

/** The keys of the object at a KEY. */
export const listSchemaKeys = (steps: readonly KeyStep[]): string[] => Object.keys(findSchema(steps)?.properties ?? {});

/** The KEYs that a manifest and its elements can have. */
export function listKeys(manifest: unknown): string[] {
  const top = listSchemaKeys([]).map((key) => [{ kind: 'key', key }] as const);
  const elements = top.flatMap(([list]) => {
    const value = (manifest as Record<string, unknown> | null | undefined)?.[list.key];
    return (Array.isArray(value) ? value : []).flatMap((element: { name?: unknown } | null) => {
      const name = element?.name;
      if (typeof name !== 'string') return [];
      const steps = [list, { kind: 'name', name }] as const;
      return [steps, ...listSchemaKeys(steps).map((key) => [...steps, { kind: 'key', key }] as const)];
    });
  });
  return [...top, ...elements].map(formatKey);
}
