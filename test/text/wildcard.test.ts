import { describe, expect, it } from 'vitest';
import { createPathMatcher } from '../../src/text/glob.ts';
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

describe('a pattern', () => {
  it.each<[string, string[], string[]]>([
    ['legacy', ['legacy', 'legacy/a', 'legacy/a/b'], ['legacy2', 'a/legacy']],
    ['./legacy/', ['legacy/a'], ['other']],
    ['legacy/*', ['legacy/a', 'legacy/a/b'], ['legacy']],
    ['*-old', ['a-old', '-old/x'], ['a-older', 'a/b-old']],
    ['**/*-old', ['a-old', 'a/b/c-old', 'a-old/x'], ['a-older']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'ab']],
    ['a/**/z', ['a/z', 'a/b/c/z'], ['az', 'a/bz']],
    ['v?', ['v1', 'v2/x'], ['v', 'v10']],
    ['v[0-9]', ['v1'], ['vx']],
    ['v[!0-9]', ['vx'], ['v1', 'v/']],
    ['v[', ['v['], ['v']],
    ['{a,b*}/c', ['a/c', 'bb/c/d'], ['c/c', '{a,b}/c']],
    ['a.b+(c)', ['a.b+(c)'], ['axb+(c)']],
    ['\\*', ['*'], ['a']],
    ['ü?', ['ü😀'], ['ü']],
  ])('%s matches %j and not %j', (pattern, matching, others) => {
    const matches = createPathMatcher(pattern);
    expect(matching.filter((path) => !matches?.(path))).toEqual([]);
    expect(others.filter((path) => matches?.(path))).toEqual([]);
  });

  it.each(['', './', '/'])('%j is not a pattern', (pattern) => {
    expect(createPathMatcher(pattern)).toBeUndefined();
  });
});
