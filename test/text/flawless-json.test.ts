/** JSON that needs no closer look, and JSON that does. */
import { describe, expect, it } from 'vitest';
import { tryParseCleanJson } from '../../src/text/flawless-json.ts';
import { parseJsonWithPositions } from '../../src/text/json-with-positions.ts';

const DEPTH = 64;

describe('JSON', () => {
  it.each([
    'null',
    ' [1, "a:b", {"c": []}] ',
    '{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]}',
    '{"\\"": "{:[\\\\", "\\\\": ":", "__proto__": 1, "": 2}',
    '[[],[],[]]',
  ])('with nothing wrong is known without its tree: %s', (text) => {
    expect(tryParseCleanJson(text, DEPTH)).toEqual({ json: JSON.parse(text) });
  });

  it.each([
    ['that is none', '{"a": 1'],
    ['with a key twice', '{"a": 1, "a": 2}'],
    ['with a key twice deep inside', '[{"b": {"a": 1, "c": 2, "a": 3}}]'],
    ['with a key twice, once as an escape', '{"a": 1, "\\u0061": 2}'],
    ['with __proto__ twice', '{"__proto__": 1, "__proto__": 2}'],
    ['that is too deep', `${'['.repeat(DEPTH + 1)}${']'.repeat(DEPTH + 1)}`],
  ])('%s is looked at closer', (_, text) => {
    expect(tryParseCleanJson(text, DEPTH)).toBeUndefined();
    expect(parseJsonWithPositions(text).problems).not.toEqual([]);
  });

  it('with twenty million escapes is looked at closer, since a pattern would run out of stack', () => {
    expect(tryParseCleanJson(`{"a":"${'\\n'.repeat(20_000_000)}"}`, DEPTH)).toBeUndefined();
  });
});
