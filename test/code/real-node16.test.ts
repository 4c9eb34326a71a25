/** The results of the analysis, compared with Node.js 16 running the code. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeProgram } from '../../src/code/analysis.ts';
import { parseCode } from '../../src/code/parse/parse.ts';
import { FUNCTIONS, NOT_FUNCTIONS, RARE_STYLES } from '../fixtures/code/export-styles.ts';
import { LEGAL, RARE_MISTAKES, REFUSED } from '../fixtures/code/syntax-cases.ts';
import { folderWith } from '../helpers/folders.ts';
import { node16 } from '../node16/setup.ts';

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
  it('every style with an exported function exports one', () => {
    const kinds = exportedOnNode16(FUNCTIONS);
    expect(FUNCTIONS.filter((_, i) => kinds[i] !== 'function')).toEqual([]);
  });

  it('no rejected style exports a function', () => {
    const codes = NOT_FUNCTIONS.map(([code]) => code);
    const kinds = exportedOnNode16(codes);
    expect(codes.filter((_, i) => kinds[i] === 'function')).toEqual([]);
  });

  it('all legal syntax compiles', () => {
    const kinds = exportedOnNode16(LEGAL.map(([, code]) => code));
    expect(LEGAL.filter((_, i) => kinds[i] === 'syntax error')).toEqual([]);
  });

  it('all rejected syntax does not compile', () => {
    const refused = REFUSED.filter(([, , kind]) => kind !== 'empty');
    const kinds = exportedOnNode16(refused.map(([, code]) => code));
    expect(refused.filter((_, i) => kinds[i] !== 'syntax error')).toEqual([]);
  });
});

describe('rare styles', () => {
  it.each(RARE_STYLES)('are not rejected: %s', async (code) => {
    const { program, error } = await parseCode(code);
    expect(error).toBeUndefined();
    if (program) expect(analyzeProgram(program).moduleExport.kind).not.toBe('not-a-function');
  });

  it.skipIf(!node16)('export a function on a real Node.js 16', () => {
    const kinds = exportedOnNode16(RARE_STYLES);
    expect(RARE_STYLES.filter((_, i) => kinds[i] !== 'function')).toEqual([]);
  });

  it('do not crash with a table of 150,000 numbers', async () => {
    const { program } = await parseCode(`const t = [${'1,'.repeat(150_000)}];\nmodule.exports = async () => t;`);
    expect(program && analyzeProgram(program).moduleExport).toMatchObject({ kind: 'function', asynchronous: 'yes' });
  });
});

describe('rare mistakes', () => {
  it.each(RARE_MISTAKES)('are reported with their position: %s', async (_, code, kind, found, line, column) => {
    expect((await parseCode(code)).error).toEqual({ kind, found: expect.stringContaining(found), line, column });
  });

  it.skipIf(!node16)('do not compile on a real Node.js 16', () => {
    const kinds = exportedOnNode16(RARE_MISTAKES.map(([, code]) => code));
    expect(RARE_MISTAKES.filter((_, i) => kinds[i] !== 'syntax error').map(([title]) => title)).toEqual([]);
  });
});
