import { describe, expect, it } from 'vitest';
import { CliError, type Outcome } from '../../src/errors.ts';
import { combineOutcomes, countOutcomes, type StepOutcome } from '../../src/sync/outcome.ts';
import type { StepResult } from '../../src/sync/push/plan.ts';

/** A result: how it ended, and with which error. */
function result(text: string): StepResult {
  const [outcome, error] = text.split(' ') as [StepOutcome, Exclude<Outcome, 'ok'> | undefined];
  return {
    folder: { path: '/', displayPath: '.' },
    name: null,
    outcome,
    ...(error && { error: new CliError(error, 'x') }),
  };
}

describe('runOutcome', () => {
  it.each<[Outcome, string[]]>([
    ['ok', []],
    ['ok', ['created', 'updated', 'unchanged', 'deleted']],
    ['denied', ['failed denied', 'failed denied']],
    ['partial', ['failed denied', 'failed unavailable']],
    ['partial', ['created', 'failed denied']],
    ['conflict', ['unchanged', 'conflict conflict']],
    ['partial', ['updated', 'conflict conflict']],
    ['unknown', ['unknown unknown']],
    ['partial', ['unchanged', 'unknown unknown']],
    ['unavailable', ['failed unavailable', 'not_started', 'not_started']],
    ['partial', ['created', 'failed unavailable', 'not_started']],
    ['partial', ['created', 'not_started']],
  ])('is %s for %j', (outcome, results) => {
    expect(combineOutcomes(results.map(result))).toBe(outcome);
  });
});

describe('countOutcomes', () => {
  it('contains all, also those that did not occur', () => {
    expect(countOutcomes([{ is: 'a' }, { is: 'b' }, { is: 'a' }], 'is', ['a', 'b', 'c'])).toEqual({ a: 2, b: 1, c: 0 });
  });
});
