import { describe, expect, it } from 'vitest';
import type { CliError } from '../../src/errors.ts';
import { assertKnownFields, assertPresentFields, selectFields } from '../../src/output/fields.ts';
import { FORMATS, joinText, type View } from '../../src/output/formats.ts';

const PIPE = { isTerminal: false, hasColor: false, columns: 80, redact: (text: string) => text };
const ITEMS = [
  { id: '1', name: 'plain', list: ['a'], none: null },
  { id: '2', name: 'a "quoted", one\n::error::x', more: true },
];
const DOCUMENT = { schema_version: 1, items: ITEMS, summary: { total: 2 } };

const answer = (value: unknown): View => ({ value, table: () => '' });
const print = async (format: string, value: unknown) => joinText((await FORMATS[format]?.(answer(value), PIPE)) ?? '');

describe('output', () => {
  it.each([
    ['a list', ITEMS],
    ['a result document', DOCUMENT],
  ])('that is %s is one item per line as jsonl', async (_, value) => {
    const text = (await print('jsonl', value)) ?? '';
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(ITEMS);
  });

  it('of one item is one line as jsonl', async () => {
    expect(await print('jsonl', ITEMS[0])).toBe('{"id":"1","name":"plain","list":["a"],"none":null}\n');
  });

  it('is RFC 4180 as csv: a header, CR LF, doubled quotes, nested values as JSON', async () => {
    expect(await print('csv', DOCUMENT)).toBe(
      'id,name,list,none,more\r\n1,plain,"[""a""]",,\r\n2,"a ""quoted"", one\n\\u003a:error::x",,,true\r\n',
    );
  });

  it('as csv has a header in which no key of a service controls a terminal', async () => {
    expect(await print('csv', [{ '\x1b[2J': 1, '::x': 2 }])).toBe('\\u001b[2J,\\u003a:x\r\n1,2\r\n');
  });

  it('as csv has an empty cell for an item without a key, for any key', async () => {
    const keys = ['constructor', 'toString', '__proto__'];
    const other = JSON.parse(`{${keys.map((key) => `"${key}":1`)}}`);
    expect(await print('csv', [other, {}])).toBe(`${keys}\r\n1,1,1\r\n,,\r\n`);
  });

  it('without items is empty as jsonl and csv, and an empty array as json', async () => {
    expect(await print('jsonl', [])).toBe('');
    expect(await print('csv', [])).toBe('');
    expect(await print('json', [])).toBe('[]\n');
  });
});

describe('--fields', () => {
  it.each<[string, unknown, unknown]>([
    [
      'a list',
      ITEMS,
      [
        { more: null, id: '1' },
        { more: true, id: '2' },
      ],
    ],
    [
      'a result document',
      DOCUMENT,
      {
        ...DOCUMENT,
        items: [
          { more: null, id: '1' },
          { more: true, id: '2' },
        ],
      },
    ],
    ['one thing', ITEMS[1], { more: true, id: '2' }],
  ])('selects and orders the fields of %s', (_, value, picked) => {
    expect(JSON.stringify(selectFields(answer(value), ['more', 'id']).value)).toBe(JSON.stringify(picked));
  });

  it('selects the columns of a table', async () => {
    const { table } = selectFields(answer(ITEMS), ['list', 'id']);
    expect(joinText(await table(PIPE))).toBe('["a"]\t1\n\t2\n');
    expect(await table({ ...PIPE, isTerminal: true })).toBe('LIST   ID\n["a"]  1\n       2\n');
  });

  it.each(['hasOwnProperty', 'constructor', '__proto__'])('treats %s as a missing field', (field) => {
    expect(() => assertPresentFields(answer(ITEMS), [field], [])).toThrow(`unknown field "${field}"`);
    expect(JSON.stringify(selectFields(answer(ITEMS[0]), [field]).value)).toBe(`{"${field}":null}`);
  });

  const known = ['id', 'icon'];
  const message = (check: () => void) => {
    try {
      check();
      return '';
    } catch (error) {
      return (error as CliError).message;
    }
  };

  it('rejects fields that no item can have', () => {
    expect(message(() => assertKnownFields(['id', 'nmae', 'x'], known))).toBe(
      'unknown fields "nmae", "x" for --fields',
    );
  });

  it('rejects unknown fields that no item of the response has', () => {
    const check = (items: object[], fields: string[]) =>
      message(() => assertPresentFields(answer(items), fields, known));
    expect(check(ITEMS, ['id', 'icon', 'more'])).toBe('');
    expect(check(ITEMS, ['id', 'more', 'nmae'])).toBe('unknown field "nmae" for --fields');
    expect(check([], ['nmae'])).toBe('');
  });
});
