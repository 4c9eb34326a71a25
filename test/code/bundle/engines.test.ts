/** Which ranges of Node.js versions leave Node.js 16 out. */
import { describe, expect, it } from 'vitest';
import { excludesNode16 } from '../../../src/code/bundle/engines.ts';

describe('a range of Node.js versions', () => {
  it.each([
    '>=18',
    '>= 18.0.0',
    '^18 || >=20',
    '^18.19.0 || >=20.5.0',
    '20 || >=22',
    '18.x',
    '>=20 <23',
    '18 - 22',
    'v18',
  ])('excludes Node.js 16: %s', (range) => {
    expect(excludesNode16(range)).toBe(true);
  });

  it.each([
    '*',
    '',
    '>=16',
    '>=0.10',
    '^14.13 || >=16.0.0',
    '4.x || >=6.0.0',
    '14 - 22',
    '<23',
    '>=12.*',
    'lts',
    '16 || 18',
  ])('includes Node.js 16, or does not exclude it: %s', (range) => {
    expect(excludesNode16(range)).toBe(false);
  });
});
