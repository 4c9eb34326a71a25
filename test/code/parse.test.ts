import { describe, expect, it } from 'vitest';
import { parseCode } from '../../src/code/parse.ts';
import { LEGAL, REFUSED } from './syntax-cases.ts';

describe('code that Node.js 16 runs', () => {
  it.each(LEGAL)('parses with %s', async (_, code) => {
    expect(await parseCode(code)).toMatchObject({ fault: undefined, program: { type: 'Program' } });
  });

  it('parses with five thousand operands in a row, or is left unanalysed', async () => {
    const code = `module.exports = ${Array.from({ length: 20_000 }, () => "'x'").join(' + ')};`;
    expect((await parseCode(code)).fault).toBeUndefined();
  });

  it('parses several hundred kilobytes', async () => {
    const code = `const table = [\n${'  { a: 1, b: "two" },\n'.repeat(15_000)}];\nmodule.exports = async () => table;\n`;
    expect((await parseCode(code)).fault).toBeUndefined();
  });
});

describe('code that it does not run', () => {
  it.each(REFUSED)('is named, with its place: %s', async (_, code, kind, found, line, column) => {
    const { fault, program } = await parseCode(code);
    expect(program).toBeUndefined();
    expect(fault).toEqual({ kind, found: expect.stringContaining(found), line, column });
  });

  it('is known to be broken even where it is too deep to be analysed', async () => {
    const code = `x = ${Array.from({ length: 20_000 }, () => "'x'").join(' + ')};\ny = (;`;
    expect((await parseCode(code)).fault?.kind).toBe('syntax');
  });

  it('is placed at its end where it is unfinished, however deep it is', async () => {
    const code = `x = 1;\n${'if (a) {'.repeat(2000)}`;
    expect((await parseCode(code)).fault).toMatchObject({ kind: 'syntax', line: 2, column: 8 * 2000 + 1 });
  });

  it('is placed where it is broken, however deep it is', async () => {
    const code = `x = ${Array.from({ length: 20_000 }, () => "'x'").join(' + ')};\nclass A { ... }`;
    expect((await parseCode(code)).fault).toMatchObject({ kind: 'syntax', line: 2, column: 11 });
  });
});
