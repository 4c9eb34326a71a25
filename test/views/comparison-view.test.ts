/** What `formula test --compare` says of a formula. */
import { describe, expect, it } from 'vitest';
import type { ComparedInputs } from '../../src/run/compare/compare-formula.ts';
import {
  comparisonView,
  type FormulaComparison,
  formatComparisonSummary,
  toComparisonCase,
} from '../../src/views/comparison-view.ts';

const PIPE = { isTerminal: false, columns: 80, hasColors: false, redact: (text: string) => text };
const differing = (name: string | undefined, amount: number): ComparedInputs => ({
  ...{ name, total: 1, unanswered: 0, varying: 0 },
  difference: {
    input: { args: { amount }, configuration: {} },
    old: { returns: { raw: { a: 1 } } },
    new: { returns: { raw: { a: 2 } } },
    differences: [{ path: 'returns.raw.a', old: 1, new: 2 }],
  },
});
const inputs = (name: string | undefined, total: number, unanswered = 0, varying = 0): ComparedInputs => ({
  ...{ name, total, unanswered, varying },
});

describe('the line of a formula', () => {
  it.each<[FormulaComparison['inputs'], string]>([
    [[], 'same f: the code is the same'],
    [[inputs('a', 1), inputs('b', 1), inputs(undefined, 100)], 'same f: 2 tests and 100 calls'],
    [
      [inputs('a', 1), inputs(undefined, 100, 96)],
      'same f: 1 test and 100 calls, 96 of which ended at a call without a double',
    ],
    [
      [inputs(undefined, 5, 2, 1)],
      'same f: 5 calls, 2 of which ended at a call without a double, 1 of which changed between runs',
    ],
    [
      [inputs(undefined, 5, 5)],
      'skipped f: nothing was compared in 5 calls, 5 of which ended at a call without a double',
    ],
    [[differing('a', 1000), inputs(undefined, 7)], 'differs f: test "a"'],
    [[differing('a', 1000), differing('b', 100), differing(undefined, 9)], 'differs f: generated call 1 and 2 more'],
  ])('counts tests and calls, and names the smallest input: %#', async (inputs, line) => {
    const text = await comparisonView([{ folder: 'f', inputs: inputs ?? [] }], 1).table(PIPE as never);
    expect(String(text).split('\n')[0]).toBe(line);
  });

  it('is followed by the input, both results, and the paths that differ', async () => {
    const text = await comparisonView([{ folder: 'f', inputs: [differing(undefined, 9)] }], 1).table(PIPE as never);
    expect(text).toBe(
      'differs f: generated call 1\n' +
        '  input:   {"args":{"amount":9},"configuration":{}}\n' +
        '  old:     {"returns":{"raw":{"a":1}}}\n' +
        '  new:     {"returns":{"raw":{"a":2}}}\n' +
        '  differs: returns.raw.a\n',
    );
  });
});

it('the summary counts formulas', () => {
  const compared = [
    { folder: 'a', inputs: [] },
    { folder: 'b', inputs: [differing(undefined, 1)] },
    { folder: 'c', reason: 'it is not on the service' },
  ];
  expect(formatComparisonSummary(compared)).toBe('1 same, 1 differs, 1 skipped');
  expect(compared.map((one) => toComparisonCase(one).isSkipped)).toEqual([false, false, true]);
});
