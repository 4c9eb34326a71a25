import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../../src/api/http/json-body.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a JSON body', () => {
  it.each([
    ['{"a":[1,{"b":null}]}'],
    ['"a \\\\"'],
    [JSON.stringify({ code: `"\\\\" ${'[{,:'.repeat(600_000)}` })],
    [JSON.stringify(Array.from({ length: 900_000 }, () => 0))],
    [JSON.stringify({ data: [{ code: 'x'.repeat(5_000_000) }] })],
    [nested(500)],
  ])('is parsed', (text) => {
    const parsed = parseJsonBody(Buffer.from(text));
    expect('value' in parsed && JSON.stringify(parsed.value) === JSON.stringify(JSON.parse(text))).toBe(true);
  });

  it.each<[string, string, RegExp]>([
    ['empty arrays', `[${'[],'.repeat(1_100_000)}0]`, /too many values/],
    ['numbers', `[${'1,'.repeat(2_100_000)}0]`, /too many values/],
    ['keys', `{${'"a":1,'.repeat(1_100_000)}"b":0}`, /too many values/],
    ['strings', `[${'"\\\\",'.repeat(2_100_000)}0]`, /too many values/],
    ['levels', nested(501), /nested deeper than 500/],
    ['levels without an end', '['.repeat(1_000_000), /nested deeper than 500/],
  ])('with too many %s is rejected before it is parsed', (_, text, words) => {
    expect(parseJsonBody(Buffer.from(text))).toEqual({ problem: expect.stringMatching(words) });
  });

  it.each(['', '{"a":', '"', '"\\', '"\\"', ']]]', '[1,]', '{"a" 1}', 'nul', '\\"['])(
    '%j is rejected as invalid JSON',
    (text) => {
      expect(parseJsonBody(Buffer.from(text))).toEqual({ problem: expect.stringContaining('not valid JSON') });
    },
  );
});
