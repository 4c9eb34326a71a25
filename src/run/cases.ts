/** The cases of a formula: what a file in tests/ may hold, whether an outcome is what a case expects, and new expectations. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type JsonPath, parseJsonWithPositions } from '../text/json-with-positions.ts';
import type { FormulaResponse } from './failure.ts';
import { type InputProblem, parseJsonInput } from './json-input.ts';
import type { SerializedError } from './protocol.ts';

export interface Expectation extends FormulaResponse {
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

type ReportProblem = (path: JsonPath, message: string) => void;

const CASE_KEYS = ['name', 'args', 'configuration', 'expect'];
const EXPECT_KEYS = ['raw', 'tokenize', 'partial', 'error'];
const ERROR_KEYS = ['message', 'status'];

function parseCase(value: unknown, path: JsonPath, index: number, report: ReportProblem): Case[] {
  if (!isObject(value)) {
    report(
      path,
      `a case is ${JSON.stringify(value)?.slice(0, 20)}; wanted is an object with args, configuration and expect`,
    );
    return [];
  }
  rejectUnknownKeys(value, CASE_KEYS, path, 'a case', report);
  const { name, args = {}, configuration = {}, expect } = value;
  if (name !== undefined && typeof name !== 'string') report([...path, 'name'], 'name is not a text');
  if (!isObject(expect)) {
    const found = expect === undefined ? 'a case says nothing of what it expects' : 'expect is not an object';
    report(expect === undefined ? path : [...path, 'expect'], `${found}; wanted is expect with raw, tokenize or error`);
    return [];
  }
  checkExpectation(expect, [...path, 'expect'], report);
  return [{ name: typeof name === 'string' && name ? name : `case ${index + 1}`, path, args, configuration, expect }];
}

function checkExpectation(expect: Record<string, unknown>, path: JsonPath, report: ReportProblem): void {
  rejectUnknownKeys(expect, EXPECT_KEYS, path, 'expect', report);
  const { error, partial } = expect;
  if (partial !== undefined && typeof partial !== 'boolean')
    report([...path, 'partial'], 'partial is neither true nor false');
  if (error === undefined) return;
  if (!isObject(error)) {
    report([...path, 'error'], 'error is not an object; wanted is {"message", "status"} or {}');
    return;
  }
  rejectUnknownKeys(error, ERROR_KEYS, [...path, 'error'], 'error', report);
  if (error['message'] !== undefined && typeof error['message'] !== 'string')
    report([...path, 'error', 'message'], 'message is not a text');
  if ('raw' in expect || 'tokenize' in expect)
    report([...path, 'error'], 'error stands beside raw or tokenize, but code that fails returns neither');
}

function rejectUnknownKeys(
  value: object,
  known: readonly string[],
  path: JsonPath,
  where: string,
  report: ReportProblem,
): void {
  for (const key of Object.keys(value))
    if (!known.includes(key))
      report(
        [...path, key],
        `${where} has the key ${JSON.stringify(key)}, which is not known; there are ${known.join(', ')}`,
      );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an invocation came to: a response that keeps the contract, something thrown, or neither. */
export interface InvocationOutcome {
  response?: FormulaResponse | undefined;
  thrown?: SerializedError | undefined;
}

/** In what an outcome is not what was expected: two values to compare. */
export interface Mismatch {
  expected: unknown;
  actual: unknown;
}

/** Compares; undefined where the outcome is as expected. */
export function findMismatch(expect: Expectation, { response, thrown }: InvocationOutcome): Mismatch | undefined {
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
  const mentioned = pickMentioned(expected, actual);
  return isDeepStrictEqual(mentioned, expected) ? undefined : { expected, actual: mentioned };
}

const toComparableError = ({ message, status }: SerializedError) => ({
  message,
  ...(status !== undefined && { status }),
});

/** The part of a value that another one mentions: of objects the same keys, of arrays all items. */
function pickMentioned(mentioned: unknown, value: unknown): unknown {
  if (Array.isArray(mentioned) && Array.isArray(value))
    return value.map((item, i) => pickMentioned(mentioned[i], item));
  if (!isObject(mentioned) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(mentioned)
      .filter((key) => Object.hasOwn(value, key))
      .map((key) => [key, pickMentioned(mentioned[key], value[key])]),
  );
}

/** The expectation that this outcome fulfils; a partial one mentions no more than before. */
export function updateExpectation(expect: Expectation, { response = {}, thrown }: InvocationOutcome): Expectation {
  if (thrown) return { error: toComparableError(thrown) };
  if (!expect.partial) return response;
  const { partial, error: _, ...mentioned } = expect;
  return { ...(pickMentioned(mentioned, response) as FormulaResponse), partial };
}
