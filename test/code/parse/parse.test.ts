import { describe, expect, it } from 'vitest';
import { parseCode } from '../../../src/code/parse/parse.ts';
import { LEGAL, REFUSED } from '../../fixtures/code/syntax-cases.ts';
import { JAVASCRIPT, TYPESCRIPT } from '../../fixtures/code/typescript-cases.ts';

describe('code that Node.js 16 runs', () => {
  it.each(LEGAL)('parses with %s', async (_, code) => {
    expect(await parseCode(code)).toMatchObject({ error: undefined, program: { type: 'Program' } });
  });

  it('parses with five thousand operands in a row, or is not analyzed', async () => {
    const code = `module.exports = ${Array.from({ length: 20_000 }, () => "'x'").join(' + ')};`;
    expect((await parseCode(code)).error).toBeUndefined();
  });

  it('parses several hundred kilobytes', async () => {
    const code = `const table = [\n${'  { a: 1, b: "two" },\n'.repeat(15_000)}];\nmodule.exports = async () => table;\n`;
    expect((await parseCode(code)).error).toBeUndefined();
  });
});

describe('code that Node.js 16 rejects', () => {
  it.each(REFUSED)('is reported with its position: %s', async (_, code, kind, found, line, column) => {
    const { error, program } = await parseCode(code);
    expect(program).toBeUndefined();
    expect(error).toEqual({ kind, found: expect.stringContaining(found), line, column });
  });

  it.each([
    ['in front of code that is too deep', `y = (;\nx = ${"'x' + ".repeat(20_000)}'x';`, 1],
    ['after code that is too deep', `x = ${"'x' + ".repeat(20_000)}'x';\nclass A { ... }`, 1],
    ['at the end of code that is too deep', `x = 1;\n${'if (a) {'.repeat(2000)}`, 1],
  ])('is detected %s', async (_, code, line) => {
    expect((await parseCode(code)).error).toMatchObject({ kind: 'syntax', line });
  });
});

const kindOf = async (code: string) => (await parseCode(code)).error?.kind;

describe('code that is not JavaScript', () => {
  it.each(TYPESCRIPT)('is reported as TypeScript: %s', async (code) => {
    expect(await kindOf(code)).toBe('typescript');
  });

  it.each(JAVASCRIPT)('is not reported as TypeScript if it is a mistake: %s', async (code) => {
    const kind = await kindOf(code);
    expect(kind).toBeDefined();
    expect(kind).not.toBe('typescript');
  });
});
