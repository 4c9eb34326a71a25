import { describe, expect, it } from 'vitest';
import { createNameMatcher } from '../../src/text/name-search.ts';

describe('the search by name', () => {
  it.each([
    ['tax', 'My Tax Numbers', true],
    ['TAX', 'my tax', true],
    ['größe', 'GRÖSSE 3', true],
    ['ÉTÉ', 'un été', true],
    ['ΟΔΟΣ', 'οδος', true],
    ['my*numbers', 'My Tax Numbers', true],
    ['numbers*my', 'My Tax Numbers', false],
    ['*x*', 'tax', true],
    ['ab*b', 'ab', false],
    ['a.c', 'abc', false],
    ['a.c', 'xa.cx', true],
    ['50%', '50% off', true],
    ['_', 'abc', false],
    ['?', 'abc', false],
    ['[a]', 'a', false],
    ['\\', 'a\\b', true],
    ["'", "o'hara", true],
  ])('for %j matches %j: %s', (pattern, name, fits) => {
    expect(createNameMatcher(pattern)?.(name)).toBe(fits);
  });

  it.each(['', '*', '***'])('for %j matches everything', (pattern) => {
    expect(createNameMatcher(pattern)).toBeUndefined();
  });

  it('takes linear time with many stars', () => {
    expect(createNameMatcher(`${'a*'.repeat(5000)}b`)?.('a'.repeat(200_000))).toBe(false);
  });
});
