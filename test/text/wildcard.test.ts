import { describe, expect, it } from 'vitest';
import { createNameMatcher, createNameSearch } from '../../src/text/wildcard.ts';

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
    expect(createNameSearch(pattern)?.(name)).toBe(fits);
  });

  it.each(['', '*', '***'])('for %j matches everything', (pattern) => {
    expect(createNameSearch(pattern)).toBeUndefined();
  });

  it('takes linear time with many stars', () => {
    expect(createNameSearch(`${'a*'.repeat(5000)}b`)?.('a'.repeat(200_000))).toBe(false);
  });
});

describe('a pattern of complete names', () => {
  it.each([
    ['tax 2', 'Tax 2', true],
    ['tax 2', 'Tax 20', false],
    ['tax*', 'Tax 20', true],
    ['*20', 'Tax 20', true],
    ['t*x*0', 'Tax 20', true],
    ['aba*aba', 'aba', false],
    ['a*b*b', 'ab', false],
    ['*', '', true],
    ['', 'a', false],
  ])('%j matches %j: %s', (pattern, name, fits) => {
    expect(createNameMatcher(pattern)(name)).toBe(fits);
  });
});
