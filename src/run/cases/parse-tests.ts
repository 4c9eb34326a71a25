/** Parses the files in tests/ of a formula. Pure. */

import { isBuiltin } from 'node:module';
import validateTests from '../../generated/tests-validator.js';
import { MAX_VALUE_DEPTH } from '../../text/json-scan.ts';
import { isObject } from '../../text/json-type.ts';
import { type JsonPath, parseJsonWithPositions } from '../../text/json-with-positions.ts';
import { formatSchemaErrors, type SchemaProblem } from '../../text/schema-errors.ts';
import { isEncoding } from '../doubles/content-encoding.ts';
import type { Doubles } from '../doubles/doubles.ts';
import type { FormulaResponse } from '../failure.ts';
import { type InputProblem, parseJsonInput } from '../json-input.ts';
import type { ExpectedCalls } from './expected-calls.ts';

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
  /** Milliseconds since 1970 at which the clock stands still. */
  now: number | undefined;
  /** The seed of random numbers. */
  seed: number | undefined;
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
  const { value, warnings } = input;
  const located = parseJsonWithPositions(text, MAX_VALUE_DEPTH);
  const duplicates = located.problems.filter(({ kind }) => kind === 'duplicate-key');
  const invalid = findProblems(value).map(({ path, message }) => ({ message, position: located.locateKey(path) }));
  const problems = [...duplicates, ...invalid].sort(byPosition);
  const values = Array.isArray(value)
    ? value.map((one: unknown, i) => ({ one, path: [i] }))
    : [{ one: value, path: [] }];
  const tests = values.flatMap(({ one, path }, i) => (isTest(one) ? [toTest(one, path, i)] : []));
  return { tests, problems, warnings };
}

const byPosition = ({ position: a }: InputProblem, { position: b }: InputProblem) =>
  a.line - b.line || a.column - b.column;

/** The problems of tests by the schema, and those of doubles that it cannot express. */
function findProblems(value: unknown): SchemaProblem[] {
  const problems = validateTests(value) ? [] : formatSchemaErrors(validateTests.errors ?? [], value);
  // Otherwise the validator keeps the last errors in memory.
  validateTests.errors = null;
  const others = [value].flat().flatMap((one, i) => {
    const { modules, http } = toObject(toObject(one)['doubles']);
    const path = [...(Array.isArray(value) ? [i] : []), 'doubles'];
    const builtin = Object.keys(toObject(modules)).filter((name) => isBuiltin(name));
    return [
      ...builtin.map((name) => ({
        path: [...path, 'modules', name],
        message: `${name} is a module of Node.js, which cannot have a double`,
      })),
      ...(Array.isArray(http) ? http : []).flatMap((double, j) => findEncodingProblems(double, [...path, 'http', j])),
    ];
  });
  return [...problems, ...others];
}

const toObject = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

function findEncodingProblems(double: unknown, path: JsonPath): SchemaProblem[] {
  const { headers, json, text } = toObject(toObject(double)['response']);
  if (json === undefined && text === undefined) return [];
  return Object.entries(toObject(headers))
    .filter(([name, value]) => /^content-encoding$/i.test(name) && !isEncoding(String(value)))
    .map(([name, value]) => ({
      path: [...path, 'response', 'headers', name],
      message: `${name} of JSON and text must be gzip, br, or deflate (got ${JSON.stringify(value)}); for others, use base64`,
    }));
}

type TestValue = Partial<Omit<FormulaTest, 'path' | 'now'>> & { now?: string; expect: Expectation };

const isTest = (value: unknown): value is TestValue => isObject(value) && isObject(value['expect']);

const toTest = (
  { name, args = {}, configuration = {}, doubles, network, now, seed, expect }: TestValue,
  path: JsonPath,
  index: number,
): FormulaTest => ({
  name: typeof name === 'string' && name ? name : `case ${index + 1}`,
  path,
  args,
  configuration,
  doubles,
  network: network === true,
  now: now === undefined ? undefined : Date.parse(now),
  seed,
  expect,
});
