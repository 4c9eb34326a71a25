/** Tests of a formula: parses files in tests/, compares outcomes with expectations, and updates expectations. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../text/json-type.ts';
import { type JsonPath, parseJsonWithPositions } from '../../text/json-with-positions.ts';
import type { Call } from '../calls.ts';
import type { Doubles } from '../doubles/doubles.ts';
import { parseDoubles } from '../doubles/parse-doubles.ts';
import type { FormulaResponse } from '../failure.ts';
import { type InputProblem, parseJsonInput } from '../json-input.ts';
import type { SerializedError } from '../protocol.ts';
import { sameShape } from '../subset.ts';
import { checkExpectedCalls, compareCalls, type ExpectedCalls, shapedCalls } from './expected-calls.ts';
import { isBoolean, isString, mustBe, type ReportProblem, refuseUnknown, shown } from './value-checks.ts';

export interface Expectation extends FormulaResponse, ExpectedCalls {
  /** Members that are not listed may have any value. */
  partial?: boolean;
  /** The code must throw; `message` is a part of the error's message. */
  error?: { message?: string; status?: unknown };
}

export interface Case {
  name: string;
  /** Its path in the file; empty if the file is a single test. */
  path: JsonPath;
  args: unknown;
  configuration: unknown;
  doubles?: Doubles | undefined;
  /** Whether the code may use the network. */
  network: boolean;
  expect: Expectation;
}

/** The tests of a file, its errors, and its warnings. */
export interface CaseFile {
  cases: readonly Case[];
  problems: readonly InputProblem[];
  warnings: readonly InputProblem[];
}

/** Parses the text of a test file: one object, or an array of them. Never throws. */
export function parseCases(text: string): CaseFile {
  const input = parseJsonInput(text);
  if ('problem' in input) return { cases: [], problems: [input.problem], warnings: [] };
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

function parseCase(value: unknown, path: JsonPath, index: number, report: ReportProblem): Case[] {
  if (!isObject(value)) {
    report(
      path,
      `a test must be an object with args, configuration, and expect (got ${JSON.stringify(value)?.slice(0, 20)})`,
    );
    return [];
  }
  refuseUnknown(value, CASE_KEYS, path, 'a test', report);
  const { name, args = {}, configuration = {}, expect } = value;
  if (name !== undefined) mustBe(name, isString, 'a string', [...path, 'name'], report);
  if (!isObject(expect)) {
    if (expect === undefined) report(path, 'missing "expect" (raw, tokenize, or error)');
    else report([...path, 'expect'], `expect must be an object with raw, tokenize, or error (got ${shown(expect)})`);
    return [];
  }
  checkExpectation(expect, [...path, 'expect'], report);
  const doubles = parseDoubles(value['doubles'], [...path, 'doubles'], report);
  const { network = false } = value;
  mustBe(network, isBoolean, 'true or false', [...path, 'network'], report);
  const title = typeof name === 'string' && name ? name : `case ${index + 1}`;
  return [{ name: title, path, args, configuration, doubles, network: network === true, expect }];
}

function checkExpectation(expect: Record<string, unknown>, path: JsonPath, report: ReportProblem): void {
  refuseUnknown(expect, EXPECT_KEYS, path, 'expect', report);
  const { error, calls } = expect;
  for (const key of ['partial', 'ordered'])
    if (expect[key] !== undefined) mustBe(expect[key], isBoolean, 'true or false', [...path, key], report);
  checkExpectedCalls(calls, [...path, 'calls'], report);
  if (expect['ordered'] !== undefined && calls === undefined) report([...path, 'ordered'], 'ordered requires calls');
  if (error === undefined) return;
  if (!mustBe(error, isObject, '{"message", "status"} or {}', [...path, 'error'], report)) return;
  refuseUnknown(error, ERROR_KEYS, [...path, 'error'], 'error', report);
  if (error['message'] !== undefined)
    mustBe(error['message'], isString, 'a string', [...path, 'error', 'message'], report);
  if ('raw' in expect || 'tokenize' in expect)
    report([...path, 'error'], 'error cannot be combined with raw or tokenize');
}

/** The outcome of an invocation: a valid response, a thrown error, or neither. */
export interface InvocationOutcome {
  response?: FormulaResponse | undefined;
  thrown?: SerializedError | undefined;
  calls?: readonly Call[];
}

/** The parts of an outcome that differ from the expectation. */
export interface Mismatch {
  expected: unknown;
  actual: unknown;
}

/** Compares response or error, and calls; undefined if they match. */
export function findMismatch(expect: Expectation, outcome: InvocationOutcome): Mismatch | undefined {
  const difference = mismatchOfResult(expect, outcome);
  const calls = expect.calls && compareCalls(expect, outcome.calls ?? []);
  if (!calls) return difference;
  return {
    expected: { ...(difference?.expected as object), calls: calls.expected },
    actual: { ...(difference?.actual as object), calls: calls.actual },
  };
}

/** Compares response or error only. */
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

/** The expectation that matches this outcome; a partial one gets no further members. */
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
