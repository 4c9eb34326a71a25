/** Shrinking: the input still shows the difference, and no smaller one does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listSmaller, shrinkInput } from '../../../src/run/compare/shrink-input.ts';

interface Args {
  amount: number;
  code: string;
  note?: string;
  items?: { price: number }[];
}

const INPUT = {
  args: { amount: 987_654.25, code: 'xx-VIP-é', note: 'long', items: [{ price: 1 }, { price: 77 }] },
  configuration: {},
};

describe('a shrunk input', () => {
  it.each<[string, (args: Args) => boolean, object]>([
    ['a number just above the limit', ({ amount }) => amount > 10_000, { amount: 10_001, code: '' }],
    ['a negative number', ({ amount }) => amount !== 0, { amount: 1, code: '' }],
    ['the part of a string that counts', ({ code }) => code.includes('VIP'), { amount: 0, code: 'VIP' }],
    ['plain characters', ({ code }) => code.length >= 3, { amount: 0, code: '000' }],
    ['an optional arg that counts', ({ note }) => note !== undefined, { amount: 0, code: '', note: '' }],
    [
      'the item that counts',
      ({ items = [] }) => items.some(({ price }) => price > 7),
      { amount: 0, code: '', items: [{ price: 8 }] },
    ],
  ])('has %s', async (_, differs, args) => {
    const fits = ({ args, configuration }: { args: unknown; configuration: unknown }) =>
      'amount' in Object(args) && 'code' in Object(args) && configuration !== undefined;
    const shrunk = await shrinkInput(INPUT, fits, async (one) => differs(one.args as Args));
    expect(shrunk).toEqual({ args, configuration: {} });
  });

  it('ends for each value, and asks at most 300 times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.nat(), async (value, salt) => {
        let questions = 0;
        const differs = async () => ++questions % (salt % 5 || 1) === 0;
        await shrinkInput({ args: value, configuration: {} }, () => true, differs);
        expect(questions).toBeLessThanOrEqual(300);
      }),
      { numRuns: 50 },
    );
  });

  it('is never the value itself', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), (value) => {
        const json = JSON.stringify(value);
        for (const smaller of listSmaller(JSON.parse(json))) expect(JSON.stringify(smaller)).not.toBe(json);
      }),
      { numRuns: 50 },
    );
  });
});
