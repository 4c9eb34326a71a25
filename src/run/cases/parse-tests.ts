/** Parses the files in tests/ of a formula. Pure. */
import { isObject } from '../../text/json-type.ts';
import { type JsonPath, parseJsonWithPositions } from '../../text/json-with-positions.ts';
import type { Doubles } from '../doubles/doubles.ts';
import { parseDoubles } from '../doubles/parse-doubles.ts';
import type { FormulaResponse } from '../failure.ts';
import { type InputProblem, parseJsonInput } from '../json-input.ts';
import { checkExpectedCalls, type ExpectedCalls } from './expected-calls.ts';
import {
  formatShort,
  isBoolean,
  isString,
  type ReportProblem,
  rejectUnknownKeys,
  requireType,
} from './value-checks.ts';

export interface Expectation extends FormulaResponse, ExpectedCalls {
  /** Members that are not listed may have any value. */
  partial?: boolean;
  /** The code must throw; `message` is a part of the error's message. */
  error?: { message?: string; status?: unknown };
}

export interface FormulaTest {
  name: string;
  /** Its path in the file; empty if the file contains a single test. */
  path: JsonPath;
  args: unknown;
  configuration: unknown;
  doubles?: Doubles | undefined;
  /** Whether the code may use the network. */
  network: boolean;
  expect: Expectation;
}

/** The tests of a file, its errors, and its warnings. */
export interface TestFile {
  tests: readonly FormulaTest[];
  problems: readonly InputProblem[];
  warnings: readonly InputProblem[];
}

/** Parses the text of a test file: one object, or an array of them. Never throws. */
export function parseTests(text: string): TestFile {
  const input = parseJsonInput(text);
  if ('problem' in input) return { tests: [], problems: [input.problem], warnings: [] };
  const located = parseJsonWithPositions(text);
  const problems: InputProblem[] = located.problems.filter(({ kind }) => kind === 'duplicate-key');
  const report = (path: JsonPath, message: string) => problems.push({ message, position: located.locateKey(path) });
  const isList = Array.isArray(input.value);
  const values = isList ? (input.value as unknown[]) : [input.value];
  const tests = values.flatMap((value, i) => parseTest(value, isList ? [i] : [], i, report));
  return { tests, problems: [...problems].sort(byPosition), warnings: input.warnings };
}

const byPosition = ({ position: a }: InputProblem, { position: b }: InputProblem) =>
  a.line - b.line || a.column - b.column;

const TEST_KEYS = ['name', 'args', 'configuration', 'doubles', 'network', 'expect'];
const EXPECT_KEYS = ['raw', 'tokenize', 'partial', 'error', 'calls', 'ordered'];
const ERROR_KEYS = ['message', 'status'];

function parseTest(value: unknown, path: JsonPath, index: number, report: ReportProblem): FormulaTest[] {
  if (!isObject(value)) {
    report(
      path,
      `a test must be an object with args, configuration, and expect (got ${JSON.stringify(value)?.slice(0, 20)})`,
    );
    return [];
  }
  rejectUnknownKeys(value, TEST_KEYS, path, 'a test', report);
  const { name, args = {}, configuration = {}, expect } = value;
  if (name !== undefined) requireType(name, isString, 'a string', [...path, 'name'], report);
  if (!isObject(expect)) {
    if (expect === undefined) report(path, 'missing "expect" (raw, tokenize, or error)');
    else
      report([...path, 'expect'], `expect must be an object with raw, tokenize, or error (got ${formatShort(expect)})`);
    return [];
  }
  checkExpectation(expect, [...path, 'expect'], report);
  const doubles = parseDoubles(value['doubles'], [...path, 'doubles'], report);
  const { network = false } = value;
  requireType(network, isBoolean, 'true or false', [...path, 'network'], report);
  const title = typeof name === 'string' && name ? name : `case ${index + 1}`;
  return [{ name: title, path, args, configuration, doubles, network: network === true, expect }];
}

function checkExpectation(expect: Record<string, unknown>, path: JsonPath, report: ReportProblem): void {
  rejectUnknownKeys(expect, EXPECT_KEYS, path, 'expect', report);
  const { error, calls } = expect;
  for (const key of ['partial', 'ordered'])
    if (expect[key] !== undefined) requireType(expect[key], isBoolean, 'true or false', [...path, key], report);
  checkExpectedCalls(calls, [...path, 'calls'], report);
  if (expect['ordered'] !== undefined && calls === undefined) report([...path, 'ordered'], 'ordered requires calls');
  if (error === undefined) return;
  if (!requireType(error, isObject, '{"message", "status"} or {}', [...path, 'error'], report)) return;
  rejectUnknownKeys(error, ERROR_KEYS, [...path, 'error'], 'error', report);
  if (error['message'] !== undefined)
    requireType(error['message'], isString, 'a string', [...path, 'error', 'message'], report);
  if ('raw' in expect || 'tokenize' in expect)
    report([...path, 'error'], 'error cannot be combined with raw or tokenize');
}
