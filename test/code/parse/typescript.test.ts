import { describe, expect, it } from 'vitest';
import { parseCode } from '../../../src/code/parse/parse.ts';
import { JAVASCRIPT, TYPESCRIPT } from '../../fixtures/code/typescript-cases.ts';

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
