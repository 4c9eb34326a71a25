/** Patterns for paths. */
import { describe, expect, it } from 'vitest';
import { createPathMatcher } from '../../src/text/glob.ts';

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
