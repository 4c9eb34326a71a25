/** Compares the outcome of a test with its expectation, and updates the expectation. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { pick } from '../../text/pick.ts';
import { type FormulaResponse, pickResponse } from '../failure.ts';
import type { Call, SerializedError } from '../protocol.ts';
import { pickSubset } from '../subset.ts';
import { compareCalls, reduceCalls } from './expected-calls.ts';
import type { Expectation } from './parse-tests.ts';

/** The outcome of an invocation: a valid response, a thrown error, or neither. */
export interface InvocationOutcome {
  response?: FormulaResponse | undefined;
  thrown?: SerializedError | undefined;
  calls?: readonly Call[];
}

/** The parts that differ. */
export interface Mismatch {
  expected: unknown;
  actual: unknown;
}

/** Compares response or error, and calls; undefined if they match. */
export function findMismatch(expect: Expectation, outcome: InvocationOutcome): Mismatch | undefined {
  const difference = findResultMismatch(expect, outcome);
  const calls = expect.calls && compareCalls(expect, outcome.calls ?? []);
  if (!calls) return difference;
  return {
    expected: { ...(difference?.expected as object), calls: calls.expected },
    actual: { ...(difference?.actual as object), calls: calls.actual },
  };
}

/** Compares response or error only. */
export function findResultMismatch(expect: Expectation, { response, thrown }: InvocationOutcome): Mismatch | undefined {
  const actual = thrown ? { error: toExpectedError(thrown) } : (response ?? {});
  if (expect.error) {
    const isExpected =
      thrown?.message.includes(expect.error.message ?? '') &&
      (expect.error.status === undefined || isDeepStrictEqual(thrown.status, expect.error.status));
    return isExpected ? undefined : { expected: { error: expect.error }, actual };
  }
  const expected = pickResponse(expect);
  if (thrown) return { expected, actual };
  if (!expect.partial) return isDeepStrictEqual(actual, expected) ? undefined : { expected, actual };
  const mentioned = pickSubset(expected, actual);
  return isDeepStrictEqual(mentioned, expected) ? undefined : { expected, actual: mentioned };
}

/** The members of an error that a test can expect. */
export const toExpectedError = (error: SerializedError) => pick(error, ['message', 'status']);

/** The expectation that this outcome meets; a partial one gets no additional members. */
export function updateExpectation(expect: Expectation, outcome: InvocationOutcome): Expectation {
  const { response = {}, thrown, calls = [] } = outcome;
  const { partial, ordered } = expect;
  const preserved = {
    ...(partial !== undefined && { partial }),
    ...(expect.calls && { calls: reduceCalls(expect, calls) as Expectation['calls'] & object }),
    ...(ordered !== undefined && { ordered }),
  };
  if (thrown) return { error: toExpectedError(thrown), ...preserved };
  const updated = partial ? (pickSubset(pickResponse(expect), response) as FormulaResponse) : response;
  return { ...updated, ...preserved };
}
