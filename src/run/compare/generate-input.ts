/** Generates inputs for a formula from its manifest, its code, and its tests: the same for the same seed. */
import { findInputHints } from '../../code/input-hints.ts';
import type { RequestParameter, ValueType } from '../../model.ts';
import { isObject } from '../../text/json-type.ts';
import { createRandom, type Random } from '../../text/random.ts';
import { createObject, setValue } from '../example-request.ts';
import type { Executable } from '../executable.ts';
import type { RunRequest } from '../validate-request.ts';

/** What inputs are generated from. */
export type InputSource = Awaited<ReturnType<typeof createInputSource>>;

type Version = Pick<Executable, 'code' | 'declarations'>;

/** Inputs fit the manifest of the new version; `examples` are those of tests. */
export async function createInputSource(older: Version, newer: Version, examples: readonly RunRequest[]) {
  const before = await findInputHints(older.code);
  const after = await findInputHints(newer.code);
  const declared = newer.declarations.request_parameters.map(({ name }) => name);
  const reads = [...before.reads, ...after.reads].filter(([top, key]) => top === 'args' && key !== undefined);
  const read = [...new Set(reads.map(([, ...path]) => path.join('.')))];
  // `args.card` is generated with `args.card.number`.
  const isKnown = (path: string) =>
    declared.some((name) => `${path}.`.startsWith(`${name}.`)) ||
    [...declared, ...read].some((name) => name.startsWith(`${path}.`));
  return {
    declarations: newer.declarations,
    /** The paths of args that the code reads and the manifest does not declare. */
    undeclared: read.filter((path) => !isKnown(path)),
    /** Constants of the code. */
    constants: {
      strings: preferChanged(before.strings, after.strings),
      numbers: preferChanged(before.numbers, after.numbers),
    },
    examples,
  };
}

/** The constants of both versions; half of the list are those that only one of them has, if there are any. */
function preferChanged<T>(before: readonly T[], after: readonly T[]): T[] {
  const all = [...new Set([...before, ...after])];
  const changed = all.filter((value) => !before.includes(value) || !after.includes(value));
  return changed.length === 0 ? all : [...all, ...all.map((_, i) => changed[i % changed.length] as T)];
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
  [/countr|currenc/i, ['US', 'DE', 'gb', 'USD', 'EUR', 'jpy']],
  [/zip|postal/i, ['94107', '94107-1234', 'SW1A 1AA', '10115']],
  [/ssn|tax|routing/i, ['123-45-6789', '123456789', '021000021']],
  [/name/i, ['Ada Lovelace', 'O’Brien', 'Grace Brewster Murray Hopper']],
  [/ur[il]|host|endpoint/i, ['https://example.com/a?b=c', 'http://localhost:8080']],
  [/id$|token/i, ['550e8400-e29b-41d4-a716-446655440000', 'tok_1A2b3C', 'eyJhIjoxfQ==']],
  [/json|body|payload|data/i, ['{"a":1}', '[1,2]', '<a>1</a>', 'a,b;c']],
];

/** The input of a call, by its position. */
export function generateInput(source: InputSource, seed: number, index: number): RunRequest {
  const { declarations, undeclared, constants, examples } = source;
  const random = createRandom(seed + Math.imul(index + 1, 0x9e3779b1));
  const isEdge = index < EDGE_CALLS;
  const example = !isEdge && index % 2 === 0 ? random.pick(examples) : undefined;
  const generate: Generate = (type, name) =>
    isEdge ? (EDGES[type][index % EDGES[type].length] as string) : generateValue(type, name, constants, random);
  if (example) return mutate(example, declarations.request_parameters, generate, random);
  const isLeftOut = () => (isEdge ? index % 2 === 0 : random.integer(4) === 0);
  const args = createObject();
  for (const path of undeclared) if (!isLeftOut()) setValue(args, path.split('.'), generateAny(path, generate, random));
  for (const { name, type, optional } of declarations.request_parameters)
    if (!optional || !isLeftOut()) setValue(args, name.split('.'), generate(type, name));
  const configuration = createObject();
  for (const { name, type } of declarations.configuration) configuration[name] = generate(type, name);
  return { args, configuration };
}

type Generate = (type: ValueType, name: string) => string | number | boolean;

function generateAny(name: string, generate: Generate, random: Random): unknown {
  const type = random.pick(['string', 'string', 'number', 'boolean', 'null', 'list'] as const) ?? 'null';
  if (type === 'null') return null;
  if (type !== 'list') return generate(type, name);
  return Array.from({ length: random.integer(4) }, () => generateAny(name, generate, random));
}

/** An example with some other values of the same types, and without some optional ones. */
function mutate(input: RunRequest, parameters: readonly RequestParameter[], generate: Generate, { integer }: Random) {
  const optional = new Set(parameters.flatMap((one) => (one.optional ? [one.name] : [])));
  const change = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => change(item, path));
    if (isObject(value)) {
      const toPath = (key: string) => (path ? `${path}.${key}` : key);
      const kept = Object.entries(value).filter(([key]) => !optional.has(toPath(key)) || integer(6) > 0);
      return Object.fromEntries(kept.map(([key, member]) => [key, change(member, toPath(key))]));
    }
    const type = typeof value;
    const isValue = type === 'string' || type === 'number' || type === 'boolean';
    return isValue && integer(3) === 0 ? generate(type, path) : value;
  };
  return { args: change(input.args, ''), configuration: change(input.configuration, 'configuration.') };
}

function generateValue(type: ValueType, name: string, { strings, numbers }: InputSource['constants'], random: Random) {
  const { integer, pick } = random;
  if (type === 'boolean') return integer(2) === 1;
  if (type === 'number') return generateNumber(numbers, random);
  const similar = SAMPLES.find(([names]) => names.test(name)) ?? pick(SAMPLES);
  const separator = pick(strings.filter(({ length }) => length <= 2)) ?? '';
  const text =
    pick([
      pick(strings),
      pick(similar?.[1] ?? []),
      pick(EDGES.string),
      createWord(random) + separator + createWord(random),
    ]) ?? createWord(random);
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
