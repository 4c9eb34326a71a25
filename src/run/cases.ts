/** The cases of a formula: what a file in tests/ may hold, whether an outcome is what a case expects, and new expectations. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type JsonPath, parseJsonWithPositions } from '../text/json-with-positions.ts';
import type { Call } from './calls.ts';
import { type Fault, isBoolean, isObject, mustBe, refuseUnknown } from './case-faults.ts';
import type { Doubles } from './doubles/doubles.ts';
import { parseDoubles } from './doubles/parse-doubles.ts';
import { checkExpectedCalls, compareCalls, type ExpectedCalls, shapedCalls } from './expected-calls.ts';
import type { FormulaResponse } from './failure.ts';
import { type InputProblem, parseJsonInput } from './json-input.ts';
import type { SerializedError } from './protocol.ts';
import { sameShape } from './subset.ts';

export interface Expectation extends FormulaResponse, ExpectedCalls {
  /** What is not mentioned may be anything. */
  partial?: boolean;
  /** That the code throws; `message` is a part of its message. */
  error?: { message?: string; status?: unknown };
}

export interface Case {
  name: string;
  /** Where in the file it stands; empty where the file is one case. */
  path: JsonPath;
  args: unknown;
  configuration: unknown;
  doubles?: Doubles | undefined;
  /** Whether the code may use the network. */
  network: boolean;
  expect: Expectation;
}

/** The cases of a file, what is wrong with it, and what is odd. */
export interface CaseFile {
  cases: readonly Case[];
  problems: readonly InputProblem[];
  warnings: readonly InputProblem[];
}

/** Reads the text of a file of cases: one object, or an array of them. Never throws. */
export function parseCases(text: string): CaseFile {
  const input = parseJsonInput(text);
  if ('fault' in input) return { cases: [], problems: [input.fault], warnings: [] };
  const located = parseJsonWithPositions(text);
  const problems: InputProblem[] = located.problems.filter(({ kind }) => kind === 'duplicate-key');
  const report = (path: JsonPath, message: string) => problems.push({ message, position: located.locateKey(path) });
  const isList = Array.isArray(input.value);
  const values = isList ? (input.value as unknown[]) : [input.value];
  const cases = values.flatMap((value, i) => parseCase(value, isList ? [i] : [], i, report));
  return { cases, problems: [...problems].sort(byPosition), warnings: input.warnings };
}

const byPosition = ({ position: a }: InputProblem, { position: b }: InputProblem) =>
  a.line - b.line || a.column - b.column;

const CASE_KEYS = ['name', 'args', 'configuration', 'doubles', 'network', 'expect'];
const EXPECT_KEYS = ['raw', 'tokenize', 'partial', 'error', 'calls', 'ordered'];
const ERROR_KEYS = ['message', 'status'];

function parseCase(value: unknown, path: JsonPath, index: number, report: Fault): Case[] {
  if (!isObject(value)) {
    report(
      path,
      `a case is ${JSON.stringify(value)?.slice(0, 20)}; wanted is an object with args, configuration and expect`,
    );
    return [];
  }
  refuseUnknown(value, CASE_KEYS, path, 'a case', report);
  const { name, args = {}, configuration = {}, expect } = value;
  if (name !== undefined && typeof name !== 'string') report([...path, 'name'], 'name is not a text');
  if (!isObject(expect)) {
    const found = expect === undefined ? 'a case says nothing of what it expects' : 'expect is not an object';
    report(expect === undefined ? path : [...path, 'expect'], `${found}; wanted is expect with raw, tokenize or error`);
    return [];
  }
  checkExpectation(expect, [...path, 'expect'], report);
  const doubles = parseDoubles(value['doubles'], [...path, 'doubles'], report);
  const { network = false } = value;
  mustBe(network, isBoolean, 'true or false', [...path, 'network'], report);
  const title = typeof name === 'string' && name ? name : `case ${index + 1}`;
  return [{ name: title, path, args, configuration, doubles, network: network === true, expect }];
}

function checkExpectation(expect: Record<string, unknown>, path: JsonPath, report: Fault): void {
  refuseUnknown(expect, EXPECT_KEYS, path, 'expect', report);
  const { error, calls } = expect;
  for (const key of ['partial', 'ordered'])
    if (expect[key] !== undefined) mustBe(expect[key], isBoolean, 'true or false', [...path, key], report);
  checkExpectedCalls(calls, [...path, 'calls'], report);
  if (expect['ordered'] !== undefined && calls === undefined)
    report([...path, 'ordered'], 'ordered must be next to calls, which are missing');
  if (error === undefined) return;
  if (!isObject(error)) {
    report([...path, 'error'], 'error is not an object; wanted is {"message", "status"} or {}');
    return;
  }
  refuseUnknown(error, ERROR_KEYS, [...path, 'error'], 'error', report);
  if (error['message'] !== undefined && typeof error['message'] !== 'string')
    report([...path, 'error', 'message'], 'message is not a text');
  if ('raw' in expect || 'tokenize' in expect)
    report([...path, 'error'], 'error stands beside raw or tokenize, but code that fails returns neither');
}

/** What an invocation came to: a response that keeps the contract, something thrown, or neither. */
export interface InvocationOutcome {
  response?: FormulaResponse | undefined;
  thrown?: SerializedError | undefined;
  calls?: readonly Call[];
}

/** In what an outcome is not what was expected: two values to compare. */
export interface Mismatch {
  expected: unknown;
  actual: unknown;
}

/** Compares response or error, and calls; undefined where the outcome is as expected. */
export function findMismatch(expect: Expectation, outcome: InvocationOutcome): Mismatch | undefined {
  const difference = mismatchOfResult(expect, outcome);
  const calls = expect.calls && compareCalls(expect, outcome.calls ?? []);
  if (!calls) return difference;
  return {
    expected: { ...(difference?.expected as object), calls: calls.expected },
    actual: { ...(difference?.actual as object), calls: calls.actual },
  };
}

/** The same for response or error alone. */
export function mismatchOfResult(expect: Expectation, { response, thrown }: InvocationOutcome): Mismatch | undefined {
  const actual = thrown ? { error: toComparableError(thrown) } : (response ?? {});
  if (expect.error) {
    const isExpected =
      thrown?.message.includes(expect.error.message ?? '') &&
      (expect.error.status === undefined || isDeepStrictEqual(thrown.status, expect.error.status));
    return isExpected ? undefined : { expected: { error: expect.error }, actual };
  }
  const { partial = false, raw, tokenize } = expect;
  const expected = { ...(raw !== undefined && { raw }), ...(tokenize !== undefined && { tokenize }) };
  if (thrown) return { expected, actual };
  if (!partial) return isDeepStrictEqual(actual, expected) ? undefined : { expected, actual };
  const mentioned = sameShape(expected, actual);
  return isDeepStrictEqual(mentioned, expected) ? undefined : { expected, actual: mentioned };
}

const toComparableError = ({ message, status }: SerializedError) => ({
  message,
  ...(status !== undefined && { status }),
});

/** The expectation that this outcome fulfils; a partial one mentions no more than before. */
export function updateExpectation(
  expect: Expectation,
  { response = {}, thrown, calls = [] }: InvocationOutcome,
): Expectation {
  const { partial, ordered } = expect;
  const kept = {
    ...(partial !== undefined && { partial }),
    ...(expect.calls && { calls: shapedCalls(expect, calls) as Expectation['calls'] & object }),
    ...(ordered !== undefined && { ordered }),
  };
  if (thrown) return { error: toComparableError(thrown), ...kept };
  const { raw, tokenize } = expect;
  const mentioned = { ...(raw !== undefined && { raw }), ...(tokenize !== undefined && { tokenize }) };
  return { ...(partial ? (sameShape(mentioned, response) as FormulaResponse) : response), ...kept };
}
