/** Runs a formula for a request: validates it, invokes the code, and describes the outcome. */
import { type CheckResult, checkFolder } from '../check/check-folder.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { Expectation, FormulaTest } from '../run/cases/parse-tests.ts';
import type { Doubles } from '../run/doubles/doubles.ts';
import { type Executable, toExecutable } from '../run/executable.ts';
import { explainInvocation, type InvocationFailure, type InvocationReport } from '../run/failure.ts';
import { type Invocation, type InvocationResult, invoke } from '../run/invoke.ts';
import type { RecordedCall } from '../run/protocol.ts';
import { toExpectation } from '../run/record/build-recording.ts';
import { formatFailureFrame } from '../run/stack-frames.ts';
import { findRequestErrors } from './check-request.ts';
import { compareDoubles, listCalls, pickUsedDoubles, useDoubles } from './chosen-test.ts';
import { FRAME_WIDTH } from './list-formulas.ts';
import type { RunDetails } from './wire.ts';

export interface FormulaRequest {
  args: unknown;
  configuration: unknown;
  /** The test whose doubles respond to the calls of the code. */
  test: FormulaTest | undefined;
  /** Whether the calls of a run without a test are recorded, so that it can be saved as one. */
  isRecorded: boolean;
}

export interface RunContext {
  nodePath: string;
  timeoutSeconds: number;
  bundleContext: BundleContext;
  abortSignal: AbortSignal;
}

/** The response to a run. */
export interface RunReply {
  status: 200 | 400 | 422 | 500 | 504;
  body: object;
  details: RunDetails;
  /** Undefined if the code neither returned nor threw. */
  saveable?: SaveableRun | undefined;
}

/** The part of a run that a test of it needs. */
export interface SaveableRun {
  expect: Expectation;
  calls: readonly RecordedCall[];
  /** The used doubles of the test that the run started from. */
  doubles: Doubles | undefined;
  executable: Executable;
}

const NOT_RUN: RunDetails = { duration_ms: 0, printed: '', warnings: [], calls: [] };
const MAX_PRINTED_CHARACTERS = 100_000;

/** Reads the folder for each run. Raises usage (2) if it cannot be read. */
export async function runFormula(ref: Folder, request: FormulaRequest, context: RunContext): Promise<RunReply> {
  const { args, configuration, test } = request;
  const checked = await checkFolder(ref, context.bundleContext);
  if (!checked.body) return { status: 422, body: describeInvalid(checked), details: NOT_RUN };
  const errors = findRequestErrors(args, configuration, checked.body);
  if (Object.keys(errors).length > 0) {
    const message = 'the request does not match manifest.json; the code was not run';
    return { status: 400, body: { message, errors }, details: NOT_RUN };
  }
  const executable = toExecutable(ref.path, checked.body, checked.bundle);
  const { invocation, problems } = useDoubles(test, executable);
  if (problems.length > 0) return { status: 422, body: { message: problems.join('\n') }, details: NOT_RUN };
  const { nodePath, timeoutSeconds, abortSignal } = context;
  const isRecorded = request.isRecorded && !test;
  const limits = { nodePath, timeoutSeconds, abortSignal };
  const run = await invokeTimed({ ...executable, ...invocation, ...limits, args, configuration, isRecorded });
  const report = explainInvocation(run.result, executable.ownCode, timeoutSeconds);
  const details = toDetails(run, report, compareDoubles(test, run.result, executable));
  const expect = toExpectation(run.result, report);
  const doubles = test?.doubles && pickUsedDoubles(test.doubles, run.result);
  const saveable = expect && { expect, calls: run.result.recorded, doubles, executable };
  if (!report.failure) return { status: 200, body: report.response ?? {}, details, saveable };
  const body = await describeFailure(report.failure, ref.path, checked);
  return { status: FAILURE_STATUS[run.result.exitReason.kind] ?? 422, body, details, saveable };
}

/** All other failures are the code's: 422. */
const FAILURE_STATUS: Partial<Record<InvocationResult['exitReason']['kind'], 500 | 504>> = {
  timeout: 504,
  'not-started': 500,
  stopped: 500,
};

interface TimedRun {
  result: InvocationResult;
  durationMs: number;
  printed: string;
}

async function invokeTimed(invocation: Omit<Invocation, 'onOutput'>): Promise<TimedRun> {
  const startedAt = performance.now();
  let printed = '';
  const result = await invoke({
    ...invocation,
    onOutput: (text) => {
      if (printed.length <= MAX_PRINTED_CHARACTERS) printed += text;
    },
  });
  return { result, durationMs: Math.round(performance.now() - startedAt), printed };
}

function toDetails(
  { result, durationMs, printed }: TimedRun,
  { warnings }: InvocationReport,
  unmetDoubles: readonly string[],
): RunDetails {
  const isTooLong = printed.length > MAX_PRINTED_CHARACTERS;
  const standIns = [...new Set(result.standIns)].map((name) => `${name} is not installed; a stand-in replaced it`);
  return {
    duration_ms: durationMs,
    printed: isTooLong ? `${printed.slice(0, MAX_PRINTED_CHARACTERS)}\n… (truncated)\n` : printed,
    warnings: [...unmetDoubles, ...warnings, ...standIns],
    calls: listCalls(result.calls),
  };
}

const MAX_FINDINGS = 100;

/** The errors of an invalid folder, with the place of the first. */
function describeInvalid({ findings, folder }: CheckResult): object {
  const errors = findings.filter(({ level }) => level === 'error').slice(0, MAX_FINDINGS);
  const [first] = errors;
  const location = first && { file: first.file, line: first.line, column: first.column };
  return { message: `${folder} is not a valid formula; the code was not run`, location, findings: errors };
}

/** The message and location of a failure, with the lines around it. */
async function describeFailure(failure: InvocationFailure, path: string, { bundle }: CheckResult): Promise<object> {
  const { message, hint, locations, thrown } = failure;
  const frame = (await formatFailureFrame(failure, path, bundle, FRAME_WIDTH)).slice(1);
  const [location] = locations;
  const error = thrown && {
    ...(thrown.isError && { name: thrown.name }),
    message: thrown.message,
    status: thrown.status,
    errors: thrown.errors,
  };
  return { message, hint, location, ...(frame && { frame }), error };
}
