import { describe, expect, it } from 'vitest';
import { parseJsonInput } from '../../src/run/json-input.ts';

const problemOf = (text: string) => {
  const parsed = parseJsonInput(text);
  return 'problem' in parsed ? parsed.problem : undefined;
};

describe('a JSON value', () => {
  it.each<[string, string[]]>([
    ['{"id": 9007199254740993}', ['9007199254740993', '9007199254740992']],
    ['[1, -9007199254740993]', ['-9007199254740993']],
    ['{"big": 1e999}', ['1e999', 'Infinity']],
  ])('%s gets a warning for a number that JavaScript cannot represent', (text, words) => {
    const parsed = parseJsonInput(text);
    expect(parsed).toMatchObject({ warnings: [{ position: { line: 1 } }] });
    for (const word of words) expect('warnings' in parsed && parsed.warnings[0]?.message).toContain(word);
  });

  it.each([
    ['{"id": 9007199254740991, "two": 9007199254740992}'],
    ['{"text": "9007199254740993", "9007199254740993": "\\"9007199254740993"}'],
    ['{"pi": 3.14159265358979323846, "small": -1e-3, "hundred": 1E+2}'],
    ['{"power": 36893488147419103232}'],
    ['""'],
    ['[[[]]]'],
  ])('%s gets none', (text) => {
    expect(parseJsonInput(text)).toMatchObject({ value: JSON.parse(text), warnings: [] });
  });

  it.each<[string, string, number, number, string]>([
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3, 3, 'comma'],
    ['nothing', '', 1, 1, 'empty'],
    ['a cut', '{"a": [1, 2', 1, 12, ']'],
    ['a comment', '{} // x', 1, 4, 'comments'],
    ['plain words', 'hello', 1, 1, 'invalid JSON'],
    ['single quotes', "{'a': 1}", 1, 2, 'double quotes'],
  ])('is rejected with its position: %s', (_, text, line, column, word) => {
    expect(problemOf(text)).toEqual({ message: expect.stringContaining(word), position: { line, column } });
  });

  it.each([[100_000], [501]])('is rejected if it is nested %i levels deep', (depth) => {
    const fault = problemOf(`\n${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(fault).toEqual({ message: expect.stringContaining('deeper than 500'), position: { line: 2, column: 501 } });
  });

  it('may nest 500 deep', () => {
    expect(problemOf('['.repeat(500) + ']'.repeat(500))).toBeUndefined();
  });

  it('has the position of a value', () => {
    const parsed = parseJsonInput('{\n  "card": {"number": 4}\n}');
    expect('locate' in parsed && parsed.locate(['card', 'number'])).toEqual({ line: 2, column: 22 });
  });
});
