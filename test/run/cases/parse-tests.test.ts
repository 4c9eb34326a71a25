import { describe, expect, it } from 'vitest';
import { findMismatch, updateExpectation } from '../../../src/run/cases/compare-outcome.ts';
import { parseTests } from '../../../src/run/cases/parse-tests.ts';
import { replaceValue } from '../../../src/text/json-layout.ts';

const thrown = (message: string, status?: number) => ({ thrown: { message, ...(status !== undefined && { status }) } });

describe('an outcome', () => {
  it.each<[string, object, object]>([
    ['the same response', { raw: { a: 1, b: [1] } }, { response: { raw: { b: [1], a: 1 } } }],
    ['nothing, where nothing is expected', {}, { response: {} }],
    [
      'more, where a part is expected',
      { partial: true, raw: { a: { b: 1 } } },
      { response: { raw: { a: { b: 1, c: 2 }, d: 3 }, tokenize: {} } },
    ],
    [
      'lists of parts',
      { partial: true, raw: { all: [{ a: 1 }, { a: 2 }] } },
      { response: { raw: { all: [{ a: 1, b: 1 }, { a: 2 }] } } },
    ],
    ['any error', { error: {} }, thrown('x')],
    ['an error with that part in its message', { error: { message: 'not valid' } }, thrown('The card is not valid.')],
    ['an error of that status', { error: { status: 422 } }, thrown('x', 422)],
  ])('is as expected: %s', (_, expected, outcome) => {
    expect(findMismatch(expected, outcome)).toBeUndefined();
  });

  it.each<[string, object, object, object]>([
    ['another value', { raw: { a: 1 } }, { response: { raw: { a: 2 } } }, { raw: { a: 2 } }],
    ['a number for a text', { raw: { a: '1' } }, { response: { raw: { a: 1 } } }, { raw: { a: 1 } }],
    ['unexpected tokenize', { raw: {} }, { response: { raw: {}, tokenize: {} } }, { raw: {}, tokenize: {} }],
    [
      'too short a list of parts',
      { partial: true, raw: { all: [{}, {}] } },
      { response: { raw: { all: [{ a: 1 }] } } },
      { raw: { all: [{}] } },
    ],
    ['a missing part', { partial: true, raw: { a: 1 } }, { response: { tokenize: {} } }, {}],
    ['no error', { error: { message: 'x' } }, { response: { raw: {} } }, { raw: {} }],
    ['another error', { error: { message: 'x', status: 4 } }, thrown('x', 5), { error: { message: 'x', status: 5 } }],
    ['an error instead of a response', { raw: {} }, thrown('x'), { error: { message: 'x' } }],
    ['an error where nothing is expected', {}, thrown('x'), { error: { message: 'x' } }],
  ])('is not as expected: %s', (_, expected, outcome, actual) => {
    const { partial: __, ...shown } = expected as { partial?: boolean };
    expect(findMismatch(expected, outcome)).toEqual({ expected: shown, actual });
  });

  it.each<[object, object]>([
    [{ raw: { a: 1 } }, { response: { raw: { a: 2 }, tokenize: { b: 1 } } }],
    [{ partial: true, raw: { a: 1, gone: 1 } }, { response: { raw: { a: 2, b: 3 } } }],
    [{ error: { message: 'x' } }, { response: { raw: {} } }],
    [{ partial: true, raw: {} }, thrown('bad', 422)],
    [{ raw: {} }, { response: {} }],
  ])('matches the updated expectation of %j', (expected, outcome) => {
    const updated = updateExpectation(expected, outcome);
    expect(findMismatch(updated, outcome)).toBeUndefined();
    expect(parseTests(JSON.stringify({ expect: updated })).problems).toEqual([]);
  });
});

describe('a test file', () => {
  it('contains one test or an array; missing keys are empty', () => {
    expect(parseTests('{"expect": {}}').tests).toMatchObject([
      { name: 'case 1', path: [], args: {}, configuration: {}, expect: {} },
    ]);
    expect(
      parseTests('[{"name": "a", "args": [1], "expect": {"raw": {}}}, {"expect": {"error": {}}}]').tests,
    ).toMatchObject([
      { name: 'a', path: [0], args: [1] },
      { name: 'case 2', path: [1] },
    ]);
    expect(parseTests('[]')).toEqual({ tests: [], problems: [], warnings: [] });
  });

  it.each<[string, string, string, string]>([
    ['no JSON', '[{,}]', '1:3', 'value'],
    ['an empty file', '', '1:1', 'empty'],
    ['a text', '"x"', '1:1', 'a test must be an object'],
    ['an unknown key', '[{"arg": {},\n "expect": {}}]', '1:3', '"arg"'],
    ['an unknown key of expect', '{"expect": {"raws": {}}}', '1:13', '"raws"'],
    ['an unknown key of error', '{"expect": {"error": {"code": 1}}}', '1:23', '"code"'],
    ['a case without expect', '[\n {"args": {}}]', '2:2', 'expect'],
    ['expect that is a list', '{"expect": []}', '1:2', 'expect must be an object'],
    ['error that is a text', '{"expect": {"error": "x"}}', '1:13', 'error must be {'],
    ['error next to raw', '{"expect": {"error": {}, "raw": {}}}', '1:26', 'raw cannot be combined with error'],
    ['a message that is a number', '{"expect": {"error": {"message": 1}}}', '1:23', 'message'],
    ['partial that is a text', '{"expect": {"partial": "yes"}}', '1:13', 'partial'],
    ['a name that is a number', '{"name": 1, "expect": {}}', '1:2', 'name'],
    [
      'text in an unknown encoding',
      '{"expect": {}, "doubles": {"http": [{"request": "GET https://a.example/", "response": {"status": 200, "text": "a",\n"headers": {"Content-Encoding": "zstd"}}}]}}',
      '2:13',
      'Content-Encoding of JSON and text must be gzip, br, or deflate (got "zstd")',
    ],
    ['a key twice', '{"expect": {}, "expect": {}}', '1:16', 'duplicate key'],
  ])('is rejected with the position: %s', (_, text, place, words) => {
    const { problems } = parseTests(text);
    expect(problems.map(({ position: { line, column } }) => `${line}:${column}`)).toEqual([place]);
    expect(problems[0]?.message).toContain(words);
  });

  it('may contain args as deep as in run, and warns of numbers that lose precision', () => {
    const deep = '['.repeat(200) + ']'.repeat(200);
    const { tests, problems, warnings } = parseTests(`{"args": {"d": ${deep}, "n": 9007199254740993}, "expect": {}}`);
    expect({ tests: tests.length, problems, warnings: warnings.length }).toEqual({
      tests: 1,
      problems: [],
      warnings: 1,
    });
  });
});

describe('a replaced value', () => {
  it.each<[string, string, string]>([
    [
      'two spaces',
      '{\n  "a": 1,\n  "expect": {}\n}\n',
      '{\n  "a": 1,\n  "expect": {\n    "raw": {\n      "x": 1\n    }\n  }\n}\n',
    ],
    [
      'tabs and CR LF',
      '{\r\n\t"expect": {"raw": 2},\r\n\t"b": [1,  2]\r\n}',
      '{\r\n\t"expect": {\r\n\t\t"raw": {\r\n\t\t\t"x": 1\r\n\t\t}\r\n\t},\r\n\t"b": [1,  2]\r\n}',
    ],
  ])('preserves everything around it, and is indented with %s', (_, before, after) => {
    expect(replaceValue(before, ['expect'], { raw: { x: 1 } })).toBe(after);
  });
});
