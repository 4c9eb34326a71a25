import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ValueType } from '../../../src/model.ts';
import { createInputSource, generateInput, type InputSource } from '../../../src/run/compare/generate-input.ts';
import { findArgsDeviations, findConfigurationDeviations } from '../../../src/run/validate-request.ts';

const name = fc.constantFrom('a', 'card.number', 'card.expiry.month', 'email', '__proto__', 'constructor', 'Ω');
const type = fc.constantFrom<ValueType>('string', 'number', 'boolean');
const byName = { selector: (one: { name: string }) => one.name };
const source: fc.Arbitrary<InputSource> = fc
  .record({
    declarations: fc.record({
      request_parameters: fc.uniqueArray(fc.record({ name, type, optional: fc.boolean() }), byName),
      configuration: fc.uniqueArray(fc.record({ name, type }), byName),
    }),
    undeclared: fc.constant<string[]>(['other.items']),
    constants: fc.record({
      strings: fc.array(fc.string()),
      numbers: fc.array(fc.integer()),
    }),
    examples: fc.constant([]),
  })
  .map((one) => ({ ...one, examples: [0, 1, 9, 11].map((index) => generateInput(one, 7, index)) }));

const toVersion = (code: string, request_parameters: InputSource['declarations']['request_parameters']) => ({
  code,
  declarations: { request_parameters, configuration: [] },
});

describe('generated inputs', () => {
  it('fit the declared types, and are the same for the same seed', () => {
    fc.assert(
      fc.property(source, fc.nat(), fc.nat(200), (one, seed, index) => {
        const { request_parameters, configuration } = one.declarations;
        const input = generateInput(one, seed, index);
        expect(findArgsDeviations(input.args, request_parameters)).toEqual([]);
        expect(findConfigurationDeviations(input.configuration, configuration)).toEqual([]);
        expect(JSON.stringify(generateInput(one, seed, index))).toBe(JSON.stringify(input));
      }),
    );
  });

  it('begin with edge values, with and without optional args', async () => {
    const parameters = [
      { name: 'amount', type: 'number' as const },
      { name: 'note', type: 'string' as const, optional: true },
    ];
    const version = toVersion('', parameters);
    const bare = await createInputSource(version, version, []);
    const args = Array.from({ length: 5 }, (_, i) => generateInput(bare, 1, i).args);
    expect(args).toEqual([
      { amount: 0 },
      { amount: 1, note: '0' },
      { amount: -1 },
      { amount: 0.1, note: 'a' },
      { amount: 2 ** 31 },
    ]);
  });

  it('contain constants of both versions, and the args that they read without a declaration', async () => {
    const toCode = (
      constant: string,
    ) => `module.exports = async ({ args: { items, card, nested, amount }, configuration }) =>
      ({ raw: [items.map(Number), card.cvc.trim(), amount.toFixed(2), nested.name, configuration.KEY, ${constant}] });`;
    const parameters = ['amount', 'nested.name'].map((declared) => ({ name: declared, type: 'string' as const }));
    const [older, newer] = [toVersion(toCode("'OLD'"), parameters), toVersion(toCode("'NEW'"), parameters)];
    const collected = await createInputSource(older, newer, []);
    const { undeclared, constants } = collected;
    expect([...undeclared].sort()).toEqual(['card.cvc', 'items']);
    expect(constants.numbers).toEqual([2]);
    expect(constants.strings).toEqual(expect.arrayContaining(['OLD', 'NEW']));
    const args = Array.from({ length: 50 }, (_, i) => generateInput(collected, 1, i).args as { items?: unknown });
    for (const matches of [Array.isArray, Number.isFinite]) expect(args.some(({ items }) => matches(items))).toBe(true);
  });
});
