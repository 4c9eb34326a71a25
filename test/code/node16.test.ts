/** What the analysis says of code, held against a real Node.js 16 that runs it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folders.ts';
import { node16 } from '../node16/setup.ts';
import { FUNCTIONS, NOT_FUNCTIONS } from './export-styles.ts';
import { LEGAL, REFUSED } from './syntax-cases.ts';

/** What each piece of code exports on Node.js 16. */
function exportedOnNode16(codes: readonly string[]): string[] {
  const folder = folderWith(Object.fromEntries(codes.map((code, i) => [`${i}.js`, code])));
  const out = execFileSync(node16 ?? '', [join(import.meta.dirname, '../node16/requires.cjs'), folder], {
    encoding: 'utf8',
    env: {},
  });
  const kinds = JSON.parse(out) as Record<string, string>;
  return codes.map((_, i) => kinds[`${i}.js`] ?? 'none');
}

describe.skipIf(!node16)('on a real Node.js 16', () => {
  it('every style that is called a function exports one', () => {
    const kinds = exportedOnNode16(FUNCTIONS);
    expect(FUNCTIONS.filter((_, i) => kinds[i] !== 'function')).toEqual([]);
  });

  it('no style that is refused exports a function', () => {
    const codes = NOT_FUNCTIONS.map(([code]) => code);
    const kinds = exportedOnNode16(codes);
    expect(codes.filter((_, i) => kinds[i] === 'function')).toEqual([]);
  });

  it('all legal syntax compiles', () => {
    const kinds = exportedOnNode16(LEGAL.map(([, code]) => code));
    expect(LEGAL.filter((_, i) => kinds[i] === 'syntax error')).toEqual([]);
  });

  it('all refused syntax does not compile', () => {
    const refused = REFUSED.filter(([, , kind]) => kind !== 'empty');
    const kinds = exportedOnNode16(refused.map(([, code]) => code));
    expect(refused.filter((_, i) => kinds[i] !== 'syntax error')).toEqual([]);
  });
});
