import { describe, expect, it } from 'vitest';
import { buildSyntaxTree } from '../../../src/code/ast/walk.ts';
import { analyzeExport } from '../../../src/code/exports/exports.ts';
import { parseCode } from '../../../src/code/parse/parse.ts';
import { analyzeScopes } from '../../../src/code/scope/scope-analysis.ts';
import { codePositionAt } from '../../../src/text/source-position.ts';
import { FUNCTIONS, NOT_FUNCTIONS, UNKNOWN } from '../../fixtures/code/export-styles.ts';

async function answerFor(code: string) {
  const { program, error } = await parseCode(code);
  expect(error).toBeUndefined();
  const scopes = program && analyzeScopes(buildSyntaxTree(program));
  return scopes ? analyzeExport(scopes).moduleExport : { kind: 'unknown' };
}

describe('the exported value', () => {
  it.each(FUNCTIONS)('is a function: %s', async (code) => {
    expect(await answerFor(code)).toMatchObject({ kind: 'function' });
  });

  it.each(UNKNOWN)('is unknown: %s', async (code) => {
    expect(await answerFor(code)).toEqual({ kind: 'unknown' });
  });

  it.each(NOT_FUNCTIONS)('is provably not a function: %s', async (code, why, line) => {
    const exported = await answerFor(code);
    expect(exported).toMatchObject({ kind: 'not-a-function', why: expect.stringContaining(why) });
    expect(exported && 'at' in exported && codePositionAt(code, exported.at).line).toBe(line);
  });
});

describe('the exported function', () => {
  it.each([
    ['module.exports = async () => 1;', 'yes'],
    ['module.exports = () => ({ raw: {} });', 'no'],
    ['module.exports = () => {};', 'no'],
    ['module.exports = function () { if (x) return { raw: {} }; return { raw: 1 }; };', 'no'],
    ['module.exports = () => (x ? {} : []);', 'no'],
    ['module.exports = (req) => new Greeter().run(req);', 'unknown'],
    ['module.exports = (req) => run(req);', 'unknown'],
    ['module.exports = () => result;', 'unknown'],
    ['module.exports = () => { return [1].map(async () => 1)[0]; };', 'unknown'],
    ['module.exports = () => { const f = () => { return 1; }; return f2(); };', 'unknown'],
    ['module.exports = () => ({ then(done) { done({}); } });', 'unknown'],
    ['module.exports = () => { if (x) return {}; return { raw: 1, "then": f }; };', 'unknown'],
    ['module.exports = () => ({ raw: { then: 1 } });', 'no'],
    ['module.exports = function* () {};', 'generator'],
    ['module.exports = async function* () {};', 'generator'],
  ])('%s: asynchronous is %s', async (code, asynchronous) => {
    expect(await answerFor(code)).toMatchObject({ kind: 'function', asynchronous });
  });
});
