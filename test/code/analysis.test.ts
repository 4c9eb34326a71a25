/** Properties of the analysis: it accepts any string, and its results do not depend on names or layout. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeProgram } from '../../src/code/analysis.ts';
import { parseCode } from '../../src/code/parse/parse.ts';
import { STYLES } from '../fixtures/code/styles.ts';
import { runs } from '../helpers/runs.ts';

async function analysed(text: string) {
  const { program } = await parseCode(text);
  return program && analyzeProgram(program);
}

/** Pieces of code that mean something to the analysis, put together at random. */
const PIECES = [
  ...`module.exports = async ( ) { } [ ] => args configuration req . ?. , const let function class return eval
  with typeof in ... ; : \` \${ x 1 fetch require 'crypto' arguments this new await for of if else ?? || +=
  delete /a/u #a // /* */ extends static get yield try catch import export Set findLast`.split(/\s+/),
  '\n',
];

const body = fc.constantFrom(
  'const { a, ...rest } = args; f(rest);',
  'let n = args; while (n) n = n.next;',
  'args = args.card ?? configuration;',
  'for (const k in configuration) f(args[k]);',
  'f(req.args.a.b.c, configuration?.A);',
  '({ a: args.x, b: configuration.Y } = req);',
  '[args, configuration] = [configuration, args];',
  'const args2 = { ...args, configuration };',
  'if (x) { var req = args; } else { req = configuration; }',
  'try { req(args); } catch (args) { args.x; }',
  'class A extends args.B { static x = configuration.A; #y = args; }',
  'args.a = args.b = configuration;',
  'label: for (;;) { break label; }',
  'return (args, configuration).A;',
  'new (args.X)(configuration`a`);',
  'typeof fetch; structuredClone(args); [1].findLast(f);',
);

describe('the analysis', () => {
  it('accepts any string', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        await analysed(text);
      }),
      { numRuns: runs(100) },
    );
  });

  it('accepts pieces of code in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), async (pieces) => {
        await analysed(pieces.join(' '));
      }),
      { numRuns: runs(500) },
    );
  });

  it('accepts statements in any order, and reports nothing as unused that is passed on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(body, { maxLength: 12 }), async (statements) => {
        const text = `module.exports = async (req) => { let { args, configuration } = req; ${statements.join('\n')} f(req); };`;
        const analysis = await analysed(text);
        // Some of them do not go together (a name that is declared twice).
        if (analysis)
          expect(analysis.requestUsage?.reads.some(({ path, escapes }) => escapes && path.length === 0)).toBe(true);
      }),
      { numRuns: runs(100) },
    );
  });

  it('accepts every style, truncated anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...STYLES), fc.nat(400), async ({ code }, length) => {
        await analysed(code.slice(0, length));
      }),
      { numRuns: runs(300) },
    );
  });

  it('has the same result for a style after other code, and with other line endings', async () => {
    const told = async (text: string) => {
      const analysis = await analysed(text);
      return {
        reads: analysis?.requestUsage?.reads.map(({ path, escapes, isCertain }) => [
          path.join('.'),
          escapes,
          isCertain,
        ]),
        lacking: analysis?.missingApis.map(({ what }) => what),
      };
    };
    for (const { code } of STYLES) {
      const plain = await told(code);
      expect(await told(`var unrelated = [1, 'two'];\n;${code.replace(/^'use strict';/, '')}`)).toEqual(plain);
      expect(await told(code.replaceAll('\n', '\r\n'))).toEqual(plain);
    }
  });

  it.each([
    ['reads of one variable', (n: number) => `module.exports = async ({ args }) => { ${'f(args.a);\n'.repeat(n)} };`],
    [
      'aliases in a row',
      (n: number) =>
        `module.exports = async (a0) => { ${Array.from({ length: Math.min(n, 4000) }, (_, i) => `const a${i + 1} = a${i};`).join('\n')} };`,
    ],
    ['one long chain', (n: number) => `module.exports = async (req) => req${'.a'.repeat(Math.min(n, 2000))};`],
    ['many globals', (n: number) => `module.exports = async () => { ${'structuredClone(fetch(1));\n'.repeat(n)} };`],
    [
      'many members of a module',
      (n: number) => `const c = require('crypto');\nmodule.exports = async () => { ${'c.hash(1);\n'.repeat(n)} };`,
    ],
    ['many methods', (n: number) => `module.exports = async (x) => { ${'x.findLast(1);\n'.repeat(n)} };`],
    ['many strings', (n: number) => `module.exports = async () => [${"'a b', ".repeat(n)}];`],
  ])('analyzes six thousand of them in linear time: %s', async (_, make) => {
    expect(await analysed(make(6_000))).toBeDefined();
  });
});
