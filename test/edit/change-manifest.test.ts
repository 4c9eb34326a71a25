/** Manifests in any layout: the value is changed, and every other byte stays. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, changeManifest } from '../../src/edit/change-manifest.ts';
import { type ParsedKey, parseKey } from '../../src/edit/parse-key.ts';
import { runs } from '../helpers/runs.ts';

/** The text after a change; fails if the KEY does not apply. */
function edited(text: string, change: Change): string {
  const result = changeManifest(text, change);
  if (!('text' in result)) throw new Error(JSON.stringify(result));
  return result.text;
}

const set = (key: string, value: unknown): Change => ({ kind: 'set', key: parseKey(key) as ParsedKey, value });
const unset = (key: string): Change => ({ kind: 'unset', key: parseKey(key) as ParsedKey });

describe('an change', () => {
  it.each<[string, string, Change, string]>([
    ['replaces a value', '{"name":"a","type":"b"}', set('name', 'é"'), '{"name":"é\\"","type":"b"}'],
    ['keeps the escapes of an equal value', '{"name":"\\u0061"}', set('name', 'a'), '{"name":"\\u0061"}'],
    ['adds a key', '{"name":"a","type":"b"}', set('description', 'd'), '{"name":"a","description":"d","type":"b"}'],
    [
      'adds a key with the separators of the others',
      '{ "name" : "a" , "type" : "b" }',
      set('description', 'd'),
      '{ "name" : "a" , "description" : "d" , "type" : "b" }',
    ],
    [
      'adds a key before the others',
      '{\r\n\t"type": "b"\r\n}\r\n',
      set('name', 'a'),
      '{\r\n\t"name": "a",\r\n\t"type": "b"\r\n}\r\n',
    ],
    [
      'adds a key to an element in a list',
      '{\n  "configuration": [\n    { "name": "A", "type": "string" },\n    {"name":"B","type":"string"}\n  ]\n}',
      set('configuration[B].description', 'd'),
      '{\n  "configuration": [\n    { "name": "A", "type": "string" },\n    {"name":"B","description":"d","type":"string"}\n  ]\n}',
    ],
    [
      'adds a key where the commas begin the lines',
      '{ "name": "a"\n, "type": "b"\n}',
      set('configuration', []),
      '{ "name": "a"\n, "type": "b"\n, "configuration": []\n}',
    ],
    ['removes the first key', '{\n  "description": 1,\n  "name": "a"\n}', unset('description'), '{\n  "name": "a"\n}'],
    ['removes the last key', '{\n  "name": "a",\n  "x": [1,\n 2]\n}', unset('x'), '{\n  "name": "a"\n}'],
    ['removes the only key', '{\n  "x": 1\n}', unset('x'), '{}'],
    [
      'removes an element',
      '{"configuration":[{"name":"A"},\n{"name":"B"}, {"name":"C"}]}',
      unset('configuration[B]'),
      '{"configuration":[{"name":"A"}, {"name":"C"}]}',
    ],
    [
      'writes a list on lines of its own, where the others are',
      '{\r\n  "name": "a",\r\n  "configuration": []\r\n}',
      set('configuration', [{ name: 'A', type: 'string' }]),
      '{\r\n  "name": "a",\r\n  "configuration": [\r\n    {\r\n      "name": "A",\r\n      "type": "string"\r\n    }\r\n  ]\r\n}',
    ],
    [
      'writes a list on one line, where all is',
      '{ "configuration": [] }',
      set('configuration', [{ name: 'A' }]),
      '{ "configuration": [{"name":"A"}] }',
    ],
    [
      'adds an element like the others',
      '{\n  "configuration": [\n    { "name": "A", "type": "string" }\n  ]\n}',
      set('configuration[B]', { type: 'number' }),
      '{\n  "configuration": [\n    { "name": "A", "type": "string" },\n    { "name": "B", "type": "number" }\n  ]\n}',
    ],
    [
      'adds the first element',
      '{\n  "configuration": []\n}',
      set('configuration[B]', { type: 'number' }),
      '{\n  "configuration": [\n    {\n      "name": "B",\n      "type": "number"\n    }\n  ]\n}',
    ],
    [
      'replaces an element and keeps its name',
      '{"configuration":[{"name":"A","type":"string","description":"a"}]}',
      set('configuration[A]', { type: 'number' }),
      '{"configuration":[{"name":"A","type":"number"}]}',
    ],
    ['keeps numbers and escapes', '{"n":1e2,"s":"\\u0061"}', set('type', 'b'), '{"type":"b","n":1e2,"s":"\\u0061"}'],
    [
      'renames an element and keeps its layout',
      '{"configuration":[{"name":"A"},\n{ "name" :"B" }]}',
      set('configuration[B].name', 'C'),
      '{"configuration":[{"name":"A"},\n{ "name" :"C" }]}',
    ],
    [
      'is not misled by names and values that look like the key',
      '{"x":"\\"type\\": \\"a\\"","y":{"type":"a"},"type":"a"}',
      set('type', 'b'),
      '{"x":"\\"type\\": \\"a\\"","y":{"type":"a"},"type":"b"}',
    ],
    ['sets a key with an odd name', '{"__proto__":1,"a":2}', set('["__proto__"]', 3), '{"__proto__":3,"a":2}'],
  ])('%s', (_, before, change, after) => {
    expect(edited(before, change)).toBe(after);
  });

  it.each<[string, Change, object]>([
    ['an element that is not there', set('configuration[X].type', 'a'), { skipped: 'does not have configuration[X]' }],
    ['an index that is not there', set('configuration[9].type', 'a'), { skipped: 'does not have configuration[9]' }],
    ['an untyped element', set('configuration[X]', { optional: true }), { skipped: 'does not have configuration[X]' }],
    ['a key of a list', set('configuration.type', 'a'), { skipped: 'does not have configuration.type' }],
    ['a key that the schema does not have', set('owner', 'a'), { skipped: 'does not have owner' }],
    ['a missing key', set('configuration[A].optional', true), { skipped: 'does not have configuration[A].optional' }],
    ['a key that is not there, to unset', unset('description'), { skipped: 'does not have description' }],
    [
      'a name that two elements have',
      set('configuration[B].type', 'a'),
      { ambiguous: 'configuration has several elements with the name "B"', path: ['configuration'] },
    ],
  ])('does not apply to %s', (_, change, result) => {
    const manifest = { configuration: [{ name: 'A' }, { name: 'B' }, { name: 'B' }, null] };
    expect(changeManifest(JSON.stringify(manifest), change)).toEqual(result);
  });
});

interface Layout {
  lineBreak: string;
  gaps: readonly string[];
}

/** Writes JSON with white space of a layout, drawn for each place, and some names in escapes. */
function written(value: unknown, layout: Layout, draw: () => number): string {
  const gap = () => (layout.gaps[draw() % layout.gaps.length] ?? '').replaceAll('\n', layout.lineBreak);
  const text = (string: string) => {
    const json = JSON.stringify(string);
    return draw() % 7 === 0 ? json.replace(/[a-z]/, (c) => `\\u00${c.charCodeAt(0).toString(16)}`) : json;
  };
  const write = (one: unknown): string => {
    if (typeof one === 'string') return text(one);
    if (typeof one !== 'object' || one === null) return JSON.stringify(one);
    const parts = Array.isArray(one)
      ? one.map((item) => gap() + write(item) + gap())
      : Object.entries(one).map(([key, item]) => `${gap()}${text(key)}${gap()}:${gap()}${write(item)}${gap()}`);
    const inside = parts.length === 0 ? gap() : parts.join(',');
    return Array.isArray(one) ? `[${inside}]` : `{${inside}}`;
  };
  return gap() + write(value) + gap();
}

const LAYOUTS: readonly Layout[] = [
  { lineBreak: '\n', gaps: [''] },
  { lineBreak: '\n', gaps: [' '] },
  { lineBreak: '\n', gaps: ['', '', ' ', '\n', '\n  ', '\n    ', '\n\n'] },
  { lineBreak: '\r\n', gaps: ['', ' ', '\n\t', '\n\t\t', '\t'] },
  { lineBreak: '\r', gaps: ['', '\n', '  '] },
];

const element = (names: readonly string[], isParameter: boolean) =>
  fc.record(
    {
      name: fc.constantFrom(...names),
      description: fc.constantFrom('"type": "string"', 'REGION', 'x, y', '{', null),
      type: fc.constantFrom('string', 'number'),
      ...(isParameter && { optional: fc.boolean() }),
    },
    { requiredKeys: ['name', 'type'] },
  );
const list = (isParameter: boolean) =>
  fc.uniqueArray(element(['REGION', 'card.number', 'type', 'a]b', '0', 'ü'], isParameter), {
    selector: ({ name }) => name,
    maxLength: 4,
  });
const manifests = fc.record(
  {
    name: fc.constantFrom('type', 'Tokenize a card', '}'),
    owner: fc.constant({ type: 'string', configuration: [{ name: 'REGION' }] }),
    description: fc.string(),
    type: fc.constant('private'),
    configuration: list(false),
    request_parameters: list(true),
  },
  { requiredKeys: ['name', 'type', 'configuration', 'request_parameters'] },
);

/** The tokens of a JSON text with the white space before each, by a pattern of its own. */
const tokensIn = (text: string) => text.match(/\s*(?:"(?:[^"\\]|\\.)*"|[-\w.+]+|[{}[\]:,])|\s+$/gs) ?? [];

/** How many tokens two texts have in common at the start and at the end. */
function commonTokens(before: readonly string[], after: readonly string[]): number {
  let [start, end] = [0, 0];
  const least = Math.min(before.length, after.length);
  while (start < least && before[start] === after[start]) start += 1;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return start + end;
}

/** The value after a change, by plain assignment. */
function changedValue(manifest: Record<string, unknown>, change: Change): unknown {
  const keys = change.key.steps.map((step) => Object.values(step)[1]);
  const find = (parent: unknown, key: string | number) =>
    Array.isArray(parent) && typeof key === 'string' ? parent.findIndex(({ name }) => name === key) : key;
  const parent = keys
    .slice(0, -1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[find(at, key)], manifest);
  const key = find(parent, keys.at(-1) ?? '');
  if (change.kind === 'set') Object.assign(parent as object, { [key]: change.value });
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete (parent as Record<string, unknown>)[key];
  return manifest;
}

describe('a thousand manifests of odd layouts', () => {
  const names = fc.constantFrom('REGION', 'card.number', 'type', 'a]b', '0', 'ü');
  const lists = fc.constantFrom('configuration', 'request_parameters');
  const keys = fc.oneof(
    fc.constantFrom('name', 'description', 'type', '["owner"].type'),
    fc.tuple(lists, names).map(([at, name]) => `${at}[${JSON.stringify(name)}].description`),
    fc.tuple(lists, names).map(([at, name]) => `${at}[${JSON.stringify(name)}].type`),
    names.map((name) => `request_parameters[${JSON.stringify(name)}].optional`),
    fc.constantFrom('configuration[0].type', 'configuration[1]'),
  );
  const values = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'type', '\r\n', '\u2028'), fc.boolean());

  it('get the value, and all other bytes are preserved', () => {
    fc.assert(
      fc.property(
        manifests,
        fc.constantFrom(...LAYOUTS),
        fc.infiniteStream(fc.nat(1000)),
        keys,
        fc.option(values, { nil: undefined }),
        (manifest, layout, draws, key, value) => {
          const before = written(manifest, layout, () => draws.next().value);
          const change = value === undefined ? unset(key) : set(key, value);
          const result = changeManifest(before, change);
          if (!('text' in result)) return;
          const after = result.text;
          assert.deepEqual(JSON.parse(after), changedValue(JSON.parse(before), change));
          const [old, now] = [tokensIn(before), tokensIn(after)];
          assert.equal(now.join(''), after);
          if (value !== undefined && old.length === now.length) {
            // A value was replaced: of one token.
            assert.ok(commonTokens(old, now) >= old.length - 1);
          } else if (value !== undefined && old.length < now.length) {
            // A key was added, in one place.
            assert.equal(now.length - old.length, 4);
            assert.ok(commonTokens(old, now) >= old.length - 1);
          } else {
            // One place was removed; white space next to it may go too.
            assert.ok(commonTokens(old, now) >= now.length - 1);
          }
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it('are the same bytes after a key was added and removed again', () => {
    fc.assert(
      fc.property(manifests, fc.constantFrom(...LAYOUTS.slice(0, 2)), (manifest, layout) => {
        const { description: _, ...without } = manifest;
        const before = written(without, layout, () => 0);
        expect(edited(edited(before, set('description', 'x')), unset('description'))).toBe(before);
      }),
      { numRuns: runs(100) },
    );
  });
});
