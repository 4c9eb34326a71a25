/** Inputs of a comparison: they fit the manifest, and are the same for the same seed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ValueType } from '../../../src/model.ts';
import { generateInput, type InputSource } from '../../../src/run/compare/generate-input.ts';
import { findUndeclared } from '../../../src/run/compare/input-source.ts';
import { samplePattern } from '../../../src/run/compare/sample-pattern.ts';
import { findArgsDeviations, findConfigurationDeviations } from '../../../src/run/validate-request.ts';
import { createRandom } from '../../../src/text/random.ts';

const name = fc.constantFrom('a', 'card.number', 'card.expiry.month', 'email', '__proto__', 'constructor', 'Ω');
const type = fc.constantFrom<ValueType>('string', 'number', 'boolean');
const source: fc.Arbitrary<InputSource> = fc
  .record({
    parameters: fc.uniqueArray(fc.record({ name, type, optional: fc.boolean() }), { selector: (one) => one.name }),
    settings: fc.uniqueArray(fc.record({ name, type }), { selector: (one) => one.name }),
    undeclared: fc.constant([{ path: ['other', 'items'], type: 'array' as const }]),
    hints: fc.record({
      strings: fc.array(fc.string()),
      numbers: fc.array(fc.integer()),
      patterns: fc.array(fc.constantFrom('^\\d{4}$', '(a|b)+', '[^x]', '(', '\\', '[', '{9}', 'x{2,}')),
    }),
    examples: fc.constant([]),
  })
  .map((one) => ({ ...one, examples: [0, 1, 9, 11].map((index) => generateInput(one, 7, index)) }));

describe('generated inputs', () => {
  it('fit the declared types, and are the same for the same seed', () => {
    fc.assert(
      fc.property(source, fc.nat(), fc.nat(200), (one, seed, index) => {
        const input = generateInput(one, seed, index);
        expect(findArgsDeviations(input.args, one.parameters)).toEqual([]);
        expect(findConfigurationDeviations(input.configuration, one.settings)).toEqual([]);
        expect(JSON.stringify(generateInput(one, seed, index))).toBe(JSON.stringify(input));
      }),
    );
  });

  it('begin with edge values, with and without optional args', () => {
    const parameters = [
      { name: 'amount', type: 'number' as const },
      { name: 'note', type: 'string' as const, optional: true },
    ];
    const hints = { strings: [], numbers: [], patterns: [] };
    const bare = { parameters, settings: [], undeclared: [], hints, examples: [] };
    const args = Array.from({ length: 5 }, (_, i) => generateInput(bare, 1, i).args);
    expect(args).toEqual([
      { amount: 0 },
      { amount: 1, note: '0' },
      { amount: -1 },
      { amount: 0.1, note: 'a' },
      { amount: 2 ** 31 },
    ]);
  });

  it('contain the args that the code reads without a declaration', () => {
    const reads = [
      ['args', 'items', 'map'],
      ['args', 'code', 'trim'],
      ['args', 'card'],
      ['args', 'card', 'cvc'],
      ['args', 'amount', 'toFixed'],
      ['args', 'nested'],
      ['configuration', 'KEY'],
    ];
    expect(findUndeclared(reads, [{ name: 'amount' }, { name: 'nested.name' }])).toEqual([
      { path: ['items'], type: 'array' },
      { path: ['code'], type: 'string' },
      { path: ['card', 'cvc'], type: undefined },
    ]);
  });
});

describe('a sample of a regular expression', () => {
  it.each([
    /^\d{12,19}$/,
    /^(?:US|DE)-[A-Z]{2}\d+$/,
    /^[^@\s]+@[\w.]+\.[a-z]{2,}$/i,
    /^(?<year>\d{4})-(0[1-9]|1[0-2])(?:T.*)?$/,
    /^\u0041\x42?\+[-+.\]]$/,
    /^\p{L}*$/u,
    /a|bc|/,
  ])('%s matches it', (pattern) => {
    const random = createRandom(1);
    for (let i = 0; i < 50; i += 1) expect(samplePattern(pattern.source, random)).toMatch(pattern);
  });
});
