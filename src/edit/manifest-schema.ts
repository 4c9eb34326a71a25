/** What the manifest's JSON Schema says about the value of a KEY. Pure. */
import schema, { type Schema } from '../generated/manifest-schema.js';
import { formatKey, type KeyStep } from './parse-key.ts';

const ELEMENTS = Object.values(schema.properties ?? {}).flatMap(({ items }) => items ?? []);

/** The order of keys in a manifest and in its elements, for keys that are added. */
export const KEY_ORDER: readonly string[] = [
  ...new Set([schema, ...ELEMENTS].flatMap(({ properties }) => Object.keys(properties ?? {}))),
];

/** The schema of the value of a KEY; undefined where the schema has none. */
export function schemaFor(steps: readonly KeyStep[]): Schema | undefined {
  let at: Schema | undefined = schema;
  for (const step of steps) {
    const key = step.kind === 'key' ? step.key : step.kind === 'name' ? step.name : '';
    at = step.kind !== 'key' && at?.items ? at.items : ownProperty(at, key);
  }
  return at;
}

const ownProperty = (at: Schema | undefined, key: string): Schema | undefined =>
  at?.properties && Object.hasOwn(at.properties, key) ? at.properties[key] : undefined;

/** The value that a string means for a type, or what it must be. */
export function readValue(text: string, { type }: Schema): { value: unknown } | { expected: string } {
  const types = [type].flat();
  if (types.includes('string')) return { value: text };
  if (types.includes('boolean'))
    return text === 'true' || text === 'false' ? { value: text === 'true' } : { expected: 'true or false' };
  if (types.includes('number') && text.trim() !== '' && Number.isFinite(Number(text))) return { value: Number(text) };
  return { expected: types.includes('number') ? 'a number' : 'JSON, with --set-json' };
}

/** The keys of an object at a KEY, or of the manifest. */
export const keysIn = (steps: readonly KeyStep[]): string[] => Object.keys(schemaFor(steps)?.properties ?? {});

/** The KEYs of a manifest: its keys, and those that each of its elements has or may have. */
export function listKeys(manifest: unknown): string[] {
  const top = keysIn([]).map((key) => [{ kind: 'key', key }] as const);
  const elements = top.flatMap(([list]) => {
    const value = (manifest as Record<string, unknown> | null | undefined)?.[list.key];
    return (Array.isArray(value) ? value : []).flatMap((element: { name?: unknown } | null) => {
      const name = element?.name;
      if (typeof name !== 'string') return [];
      const steps = [list, { kind: 'name', name }] as const;
      return [steps, ...keysIn(steps).map((key) => [...steps, { kind: 'key', key }] as const)];
    });
  });
  return [...top, ...elements].map(formatKey);
}
