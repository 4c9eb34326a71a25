/** A large body is parsed in parts; what comes of it is what JSON.parse says of the whole. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInParts } from '../../src/api/json-parts.ts';
import { scanJson } from '../../src/api/json-scan.ts';
import { runs } from '../helpers/runs.ts';

function inParts(text: string): unknown {
  const json = Buffer.from(text);
  const scanned = scanJson(json);
  return 'problem' in scanned ? scanned : parseInParts(json, scanned.spans);
}

function asWhole(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'SyntaxError';
  }
}

function asParts(text: string): unknown {
  try {
    return { value: inParts(text) };
  } catch {
    return 'SyntaxError';
  }
}

describe('a JSON text that is parsed in parts', () => {
  it('has each element of a list, and each text of the object, as a part', () => {
    const json = Buffer.from('{"data":[{"id":[1]},2],"count":3,"page":{"next":[4]}}');
    const scanned = scanJson(json);
    const parts = 'spans' in scanned && scanned.spans.map(({ start, end }) => json.toString('utf8', start, end));
    expect(parts).toEqual(['{"id":[1]}', '2', '3']);
  });

  it.each([
    '{"data":[]}',
    '{"data":[ ]}',
    '{"data":[ 1 , "a,]" ] , "x" : -5 }',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1},"constructor":[1]}',
    '{"__proto__":1}',
    '[[1],{"a":[2]}]',
    '"text"',
    '{"a":"\\"\\\\","é":["→"]}',
    // Not JSON.
    '{"data":[1,]}',
    '{"data":[,1]}',
    '{"data":[1 2]}',
    '{"data":[1}',
    '{"data":[{]}}',
    '{"a":1 2}',
    '{"a":1:2}',
    '{"a":[1] 5}',
    '{"a":5 [1]}',
    '{"a":}',
    '{"a"}',
    '{"a":1}}',
    '{"a":1} {"b":2}',
    ']{"a":[1]}',
    '{"a":[1],}',
    '{1:[1]}',
    '{"a":1',
    '{"a":"',
  ])('is what JSON.parse makes of %s', (text) => {
    expect(isDeepStrictEqual(asParts(text), asWhole(text))).toBe(true);
  });

  it('is what JSON.parse makes of any value, and of one with a character changed', () => {
    const key = fc.constantFrom('data', 'a', '__proto__', 'é');
    const value = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(key, fc.array(fc.jsonValue())),
      fc.dictionary(key, fc.jsonValue()),
    );
    const signs = fc.constantFrom('', ' ', ',', ':', '[', ']', '{', '}', '"', '0', '-', '\\');
    fc.assert(
      fc.property(value, fc.nat(), signs, fc.constantFrom(undefined, 1), (one, at, sign, indent) => {
        const text = JSON.stringify(one, null, indent);
        const changed = text.slice(0, at % text.length) + sign + text.slice((at % text.length) + 1);
        for (const each of [text, changed]) expect(asParts(each)).toStrictEqual(asWhole(each));
      }),
      { numRuns: runs(500) },
    );
  });
});
