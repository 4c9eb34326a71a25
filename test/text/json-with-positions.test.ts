import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonWithPositions } from '../../src/text/json-with-positions.ts';
import { runs } from '../helpers/runs.ts';

describe('JSON with positions', () => {
  it.each([
    ['an empty file', '', 'empty', 1, 1],
    ['white space alone', ' \n\n', 'empty', 1, 1],
    ['a trailing comma', '{\n  "a": 1,\n}', 'trailing comma', 2, 9],
    ['a trailing comma in an array', '[1,\n 2,]', 'trailing comma', 2, 3],
    ['a comment', '{\n  // why\n  "a": 1}', 'comments', 2, 3],
    ['single quotes', "{'a': 1}", 'double quotes', 1, 2],
    ['a missing brace', '{"a": 1', 'closing brace', 1, 8],
    ['a missing colon', '{"a" 1}', 'colon', 1, 6],
    ['a missing comma', '{"a": 1\n "b": 2}', 'comma', 2, 2],
    ['text after the end', '{} {}', 'end of the file', 1, 4],
    ['conflict markers', '{\n<<<<<<< ours\n"a": 1\n=======\n', 'conflict markers', 2, 1],
    ['a bare word', '{"a": yes}', 'unexpected token', 1, 7],
    ['a line break in a text', '{"a": "x\ny"}', 'not closed', 1, 7],
    ['lines that end with CR LF', '{\r\n"a": 1,\r\n}', 'trailing comma', 2, 7],
  ])('reports %s and its position', (_, text, words, line, column) => {
    const { value, problems } = parseJsonWithPositions(text);
    expect(value).toBeUndefined();
    expect(problems[0]).toMatchObject({
      kind: 'syntax',
      message: expect.stringContaining(words),
      position: { line, column },
    });
  });

  it('finds a duplicate key at any depth', () => {
    const { problems } = parseJsonWithPositions('{"a": [{"b": 1,\n "b": 2}], "c": 1}');
    expect(problems).toMatchObject([{ kind: 'duplicate-key', position: { line: 2, column: 2 } }]);
  });

  it('survives a hundred thousand levels, and reads the values around them', () => {
    const { value, problems } = parseJsonWithPositions(
      `{"name": "x", "description": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    );
    expect(value).toMatchObject({ name: 'x', description: [[expect.any(Array)]] });
    expect(problems).toMatchObject([{ kind: 'depth', position: { line: 1, column: 93 } }]);
  });

  it('survives levels that are never closed', () => {
    expect(parseJsonWithPositions('['.repeat(100_000)).problems.map(({ kind }) => kind)).toContain('depth');
  });

  it('allows 64 levels', () => {
    expect(parseJsonWithPositions(`${'['.repeat(64)}${']'.repeat(64)}`).problems).toEqual([]);
  });

  it('locates values and keys', () => {
    const located = parseJsonWithPositions('{\n  "list": [\n    {"name": "x"}\n  ]\n}');
    expect(located.locate(['list', 0, 'name'])).toEqual({ line: 3, column: 14 });
    expect(located.locateKey(['list', 0, 'name'])).toEqual({ line: 3, column: 6 });
    expect(located.locate(['list', 0, 'absent'])).toEqual({ line: 3, column: 5 });
  });

  it('reads every JSON value as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJsonWithPositions(text).value).toEqual(JSON.parse(text));
      }),
      { numRuns: runs(100) },
    );
  });

  it('never throws, and rejects the same input as JSON.parse', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      'null',
      ' ',
      '\n',
      '"',
      '\\',
      '//',
      "'",
      '-',
      '01',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (words) => {
        const text = words.join('');
        const { value, problems } = parseJsonWithPositions(text);
        const isJson = (() => {
          try {
            return JSON.parse(text) !== undefined;
          } catch {
            return false;
          }
        })();
        expect(value !== undefined).toBe(isJson);
        expect(problems.some(({ kind }) => kind === 'syntax')).toBe(!isJson);
      }),
      { numRuns: runs(100) },
    );
  });
});
