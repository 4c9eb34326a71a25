import { describe, expect, it } from 'vitest';
import type { Comparison, FoundDifference } from '../../src/run/compare/compare-formula.ts';
import {
  comparisonView,
  type FormulaComparison,
  formatComparisonSummary,
  toComparisonCase,
  toFormulaComparison,
} from '../../src/views/comparison-view.ts';

const PIPE = { isTerminal: false, columns: 80, hasColors: false, redact: (text: string) => text };
const found = (test: string | null, amount: number): FoundDifference => ({
  test,
  input: { args: { amount }, configuration: {} },
  old: { returns: { raw: { a: 1 } } },
  new: { returns: { raw: { a: 2 } } },
  differences: [{ path: 'returns.raw.a', old: 1, new: 2 }],
});
const compared = (counts: Partial<Comparison>): FormulaComparison =>
  toFormulaComparison('f', { tests: 0, generated: 0, unanswered: 0, varying: 0, found: [], ...counts });
const show = async (one: FormulaComparison) => String(await comparisonView([one], 1).table(PIPE as never));

const NO_DOUBLE = 'ended at a call without a double';

describe('the line of a formula', () => {
  it.each<[Partial<Comparison>, string]>([
    [{ tests: 2, generated: 100 }, 'same f: 2 tests and 100 calls'],
    [{ tests: 1, generated: 100, unanswered: 96 }, `same f: 1 test and 100 calls, 96 of which ${NO_DOUBLE}`],
    [
      { generated: 5, unanswered: 2, varying: 1 },
      `same f: 5 calls, 2 of which ${NO_DOUBLE}, 1 of which changed between runs`,
    ],
    [{ generated: 5, unanswered: 5 }, `skipped f: nothing was compared in 5 calls, 5 of which ${NO_DOUBLE}`],
    [{ tests: 1, generated: 7, found: [found('a', 1000)] }, 'differs f: test "a"'],
    [
      { tests: 2, generated: 1, found: [found('a', 1000), found('b', 100), found(null, 9)] },
      'differs f: generated call 1 and 2 more',
    ],
  ])('counts tests and calls, and names the smallest input: %#', async (counts, line) => {
    expect((await show(compared(counts))).split('\n')[0]).toBe(line);
  });

  it('is followed by the input, both results, and the paths that differ', async () => {
    expect(await show(compared({ generated: 1, found: [found(null, 9)] }))).toBe(
      'differs f: generated call 1\n' +
        '  input:   {"args":{"amount":9},"configuration":{}}\n' +
        '  old:     {"returns":{"raw":{"a":1}}}\n' +
        '  new:     {"returns":{"raw":{"a":2}}}\n' +
        '  differs: returns.raw.a\n',
    );
  });
});

it('the summary counts formulas', () => {
  const skipped: FormulaComparison = { folder: 'c', outcome: 'skipped', text: 'it is not on the service' };
  const all = [compared({ tests: 1 }), compared({ generated: 1, found: [found(null, 1)] }), skipped];
  expect(formatComparisonSummary(all)).toBe('1 same, 1 differs, 1 skipped');
  expect(all.map((one) => toComparisonCase(one).isSkipped)).toEqual([false, false, true]);
});
