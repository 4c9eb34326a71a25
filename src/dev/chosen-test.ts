/** The test that a run starts from, and the doubles that respond to the calls of the code. */
import { isDeepStrictEqual } from 'node:util';
import { formatJsonDiff } from '../output/text-diff.ts';
import { type FormulaTest, parseTests } from '../run/cases/parse-tests.ts';
import { judgeRun } from '../run/cases/run-test.ts';
import { readTestFiles } from '../run/cases/test-files.ts';
import type { Doubles } from '../run/doubles/doubles.ts';
import { countBtUses, countHttpUses, createDouble, formatCall, type Usage } from '../run/doubles/unmet-doubles.ts';
import { BT_HINT } from '../run/failure.ts';
import type { InvocationResult } from '../run/invoke.ts';
import type { CodeRun } from '../run/run-code.ts';
import type { ListedCall, TestRef, TestRequest, TestVerdict } from './wire.ts';

/** The doubles respond to the calls of the code, which then reaches nothing else. */
export interface FormulaRequest extends TestRequest {
  /** The test that the run starts from. */
  test: FormulaTest | undefined;
  /** Whether the calls of a run without doubles are recorded, so that it can be saved as a test. */
  isRecorded: boolean;
}

/** Reads a test; undefined if it does not exist. */
export const findTest = (folder: string, { file, index }: TestRef): FormulaTest | undefined =>
  readTestFiles(folder)
    .find((found) => found.file === file && found.problems.length === 0)
    ?.tests.find(({ path }) => Number(path[0] ?? 0) === index);

/** Validates doubles by the schema of tests. */
export function parseDoubles(doubles: unknown): { doubles: Doubles | undefined; problems: readonly string[] } {
  const { tests, problems } = parseTests(JSON.stringify({ doubles, expect: { raw: {} } }));
  return { doubles: tests[0]?.doubles, problems: problems.map(({ message }) => message) };
}

const NO_STYLE = { error: String, warning: String, good: String, faint: String, strong: String };

/** Whether a run met the expectation of its test; undefined if it had other input. */
export function compareWithTest(request: FormulaRequest, run: CodeRun): TestVerdict | undefined {
  const { args, configuration, doubles, test } = request;
  const isSame =
    test && isDeepStrictEqual([args, configuration, doubles], [test.args, test.configuration, test.doubles]);
  if (!isSame) return undefined;
  const { outcome, message = '', mismatch } = judgeRun(test.expect, run);
  const diff = mismatch && formatJsonDiff(mismatch, NO_STYLE).join('\n');
  return { passed: outcome === 'passed', message, ...(diff && { diff }) };
}

/** The calls of a run; those without a double with one that can be added, of a recorded call with its response. */
export function listCalls({ calls, recorded }: InvocationResult, hint: string | undefined): ListedCall[] {
  const suggest = (text: string, add: Doubles | undefined) => ({ text, has_double: false, ...(add && { add }) });
  return [
    ...calls.map((call) =>
      call.double === undefined
        ? suggest(formatCall(call), createDouble(call))
        : { text: formatCall(call), has_double: true },
    ),
    ...recorded.flatMap((call) => ('http' in call ? [suggest(call.http.request, { http: [call.http] })] : [])),
    ...(hint === BT_HINT ? [suggest('bt', { bt: {} })] : []),
  ];
}

/** Picks the doubles that a run used, for a test of that run. `bt` stays, because code may test whether it exists; methods that were not called have no outcomes. */
export function pickUsedDoubles({ bt, http, modules }: Doubles, { calls, loaded }: Usage): Doubles {
  const usedHttp = (http ?? []).flatMap((double, i) => {
    const count = countHttpUses(calls, i);
    if (count === 0) return [];
    return [typeof double.times === 'number' ? { ...double, times: count } : double];
  });
  const usedModules = Object.entries(modules ?? {}).filter(([name]) => loaded.includes(name));
  return {
    ...(usedModules.length > 0 && { modules: Object.fromEntries(usedModules) }),
    ...(bt && {
      bt: Object.fromEntries(
        Object.entries(bt).map(([name, outcomes]) => [name, outcomes.slice(0, countBtUses(calls, name))]),
      ),
    }),
    ...(usedHttp.length > 0 && { http: usedHttp }),
  };
}
