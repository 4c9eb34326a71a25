/** Generates inputs for a formula from its manifest, its code, and its tests. Pure: the same for the same seed. */
import type { InputHints } from '../../code/input-hints.ts';
import type { ConfigurationElement, RequestParameter, ValueType } from '../../model.ts';
import { isObject } from '../../text/json-type.ts';
import { createRandom, type Random } from '../../text/random.ts';
import { createObject, setValue } from '../example-request.ts';
import { samplePattern } from './sample-pattern.ts';

/** What a formula is called with. */
export interface CallInput {
  args: unknown;
  configuration: unknown;
}

/** What the methods that the code calls tell of an arg. */
export type ArgType = 'string' | 'array' | undefined;

/** What inputs are generated from. */
export interface InputSource {
  parameters: readonly RequestParameter[];
  settings: readonly ConfigurationElement[];
  /** Args that the code reads and the manifest does not declare. */
  undeclared: readonly { path: readonly string[]; type: ArgType }[];
  hints: Omit<InputHints, 'reads'>;
  /** Inputs of tests. */
  examples: readonly CallInput[];
}

const EDGES: { [T in ValueType]: readonly (T extends 'string' ? string : T extends 'number' ? number : boolean)[] } = {
  string: ['', '0', ' ', 'a', 'Zoë 😀 <b>"\'&', 'x'.repeat(1000), 'a\nb', 'null'],
  number: [0, 1, -1, 0.1, 2 ** 31, Number.MAX_SAFE_INTEGER, -0.5, 1e-7],
  boolean: [false, true],
};
/** The number of calls with edge values, which come first. */
const EDGE_CALLS = 8;

/** Values that formulas process, by names of parameters that may have them. */
const SAMPLES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/card|number|pan$/i, ['4242424242424242', '378282246310005', '5555 5555 5555 4444', '4000-0000-0000-0002']],
  [/iban|account/i, ['DE89370400440532013000', 'GB82 WEST 1234 5698 7654 32', '000123456789']],
  [/mail/i, ['ada@example.com', 'Grace.Hopper@mail.example.org', 'a@b']],
  [/date|birth|dob|_at$/i, ['2026-01-31', '1990-02-28', '2030-12-31T23:59:59Z', '01/31/2026']],
  [/exp/i, ['12/30', '01/26', '12/2025', '2030-01']],
  [/month|year|cv[cv2]/i, ['1', '01', '12', '2026', '123', '0123']],
  [/phone|tel/i, ['+14155550100', '(415) 555-0100', '0049 30 123456']],
  [/countr/i, ['US', 'DE', 'gb']],
  [/currenc/i, ['USD', 'EUR', 'jpy']],
  [/zip|postal/i, ['94107', '94107-1234', 'SW1A 1AA', '10115']],
  [/ssn|tax|routing/i, ['123-45-6789', '123456789', '021000021']],
  [/name/i, ['Ada Lovelace', 'O’Brien', 'Grace Brewster Murray Hopper']],
  [/ur[il]|host|endpoint/i, ['https://example.com/a?b=c', 'http://localhost:8080']],
  [/id$|token/i, ['550e8400-e29b-41d4-a716-446655440000', 'tok_1A2b3C', 'eyJhIjoxfQ==']],
  [/json|body|payload|data/i, ['{"a":1}', '[1,2]', '<a>1</a>', 'a,b;c']],
];
const ALL_SAMPLES = SAMPLES.flatMap(([, values]) => values);

/** The input of a call, by its position. */
export function generateInput(source: InputSource, seed: number, index: number): CallInput {
  const random = createRandom(seed + Math.imul(index + 1, 0x9e3779b1));
  const example = index >= EDGE_CALLS && index % 2 === 0 ? random.pick(source.examples) : undefined;
  if (example) return mutate(example, source, random);
  const edge = index < EDGE_CALLS ? index : undefined;
  const value = (type: ValueType, name: string) =>
    edge === undefined ? generateValue(type, name, source, random) : (EDGES[type][edge % EDGES[type].length] as string);
  const isLeftOut = () => (edge === undefined ? random.integer(4) === 0 : edge % 2 === 0);
  const args = createObject();
  for (const { path, type } of source.undeclared)
    if (!isLeftOut()) setValue(args, path, generateAny(type, path.join('.'), source, random) as string);
  for (const { name, type, optional } of source.parameters)
    if (!optional || !isLeftOut()) setValue(args, name.split('.'), value(type, name));
  const configuration = createObject();
  for (const { name, type } of source.settings) configuration[name] = value(type, name);
  return { args, configuration };
}

function generateValue(type: ValueType, name: string, source: InputSource, random: Random): string | number | boolean {
  if (type === 'boolean') return random.integer(2) === 1;
  if (type === 'number') return generateNumber(source.hints.numbers, random);
  return generateString(name, source.hints, random);
}

/** A string of one of several kinds. */
function generateString(name: string, { strings, patterns }: InputSource['hints'], random: Random): string {
  const { integer, pick } = random;
  const kinds: readonly (() => string | undefined)[] = [
    () => pick(patterns.map((pattern) => samplePattern(pattern, random))) ?? pick(strings),
    () => pick(strings),
    () => pick(SAMPLES.find(([names]) => names.test(name))?.[1] ?? ALL_SAMPLES),
    () => pick(ALL_SAMPLES),
    () => pick(EDGES.string),
    // With a separator that the code may look for.
    () => createWord(random) + (pick(strings.filter(({ length }) => length <= 2)) ?? '') + createWord(random),
    () => createWord(random),
  ];
  const text = kinds[[0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5, 5, 6][integer(14)] ?? 6]?.() ?? createWord(random);
  return [text.toLowerCase(), text.toUpperCase(), ` ${text}`, `${text}0`][integer(12)] ?? text;
}

function createWord({ integer, pick }: Random): string {
  const alphabet = pick(['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCXYZ019', ' aZ0.-_/:é😀']) ?? '';
  const length = pick([integer(4), integer(8), integer(20)]) ?? 0;
  return Array.from({ length }, () => pick([...alphabet])).join('');
}

/** Close to a constant of the code, an edge, or of any size, also with decimals. */
function generateNumber(constants: readonly number[], { integer, pick }: Random): number {
  const constant = integer(2) === 0 ? pick(constants) : undefined;
  if (constant !== undefined) return constant + (pick([0, 0, 1, -1]) ?? 0);
  if (integer(5) === 0) return pick(EDGES.number) ?? 0;
  const value = integer(10 ** (1 + integer(6)));
  return [-value, value / 100, value / 100, value / 1000][integer(8)] ?? value;
}

function generateAny(type: ArgType, name: string, source: InputSource, random: Random): unknown {
  const { integer } = random;
  if (type === 'array') return Array.from({ length: integer(4) }, () => generateAny(undefined, name, source, random));
  const kind = type === 'string' ? 0 : integer(10);
  if (kind < 5) return generateValue('string', name, source, random);
  if (kind < 7) return generateValue('number', name, source, random);
  if (kind === 7) return generateValue('boolean', name, source, random);
  return kind === 8 ? null : { id: generateValue('string', name, source, random) };
}

/** An example with some other values of the same types, and without some optional ones. */
function mutate({ args, configuration }: CallInput, source: InputSource, random: Random): CallInput {
  const declared = new Map(source.parameters.map(({ name, optional }) => [name, optional ?? false]));
  const change = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item, i) => change(item, [...path, String(i)]));
    if (isObject(value)) {
      const isDropped = (key: string) => declared.get([...path, key].join('.')) === true && random.integer(6) === 0;
      const kept = Object.entries(value).filter(([key]) => !isDropped(key));
      return Object.fromEntries(kept.map(([key, member]) => [key, change(member, [...path, key])]));
    }
    const type = typeof value;
    const isValue = type === 'string' || type === 'number' || type === 'boolean';
    return isValue && random.integer(3) === 0 ? generateValue(type, path.join('.'), source, random) : value;
  };
  return { args: change(args, []), configuration: change(configuration, ['']) };
}
