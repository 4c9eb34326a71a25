/** Runs a formula for a request: validates it, invokes the code, and describes the outcome. */
import { isDeepStrictEqual } from 'node:util';
import { type CheckResult, checkFolder } from '../check/check-folder.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { Expectation } from '../run/cases/parse-tests.ts';
import type { Doubles } from '../run/doubles/doubles.ts';
import { resolveModules } from '../run/doubles/resolve-modules.ts';
import { findUnmetDoubles } from '../run/doubles/unmet-doubles.ts';
import { type Executable, toExecutable } from '../run/executable.ts';
import { BT_HINT, explainInvocation, type InvocationFailure } from '../run/failure.ts';
import { type Invocation, type InvocationResult, invoke } from '../run/invoke.ts';
import type { RecordedCall } from '../run/protocol.ts';
import { toExpectation } from '../run/record/build-recording.ts';
import { formatFailureFrame } from '../run/stack-frames.ts';
import { findRequestErrors } from './check-request.ts';
import { compareWithTest, type FormulaRequest, listCalls, pickUsedDoubles } from './chosen-test.ts';
import { FRAME_WIDTH, hashValue } from './list-formulas.ts';
import type { RunDetails } from './wire.ts';

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
  request: FormulaRequest;
  expect: Expectation;
  calls: readonly RecordedCall[];
  /** The doubles that the run used. */
  doubles: Doubles | undefined;
  executable: Executable;
}

const NOT_RUN: RunDetails = { duration_ms: 0, printed: '', warnings: [], calls: [] };
const MAX_PRINTED_CHARACTERS = 100_000;

/** Reads the folder for each run, and returns `last` if it has the same code and request. Raises usage (2) if the folder cannot be read. */
export async function runFormula(
  ref: Folder,
  request: FormulaRequest,
  context: RunContext,
  last?: RunReply,
): Promise<RunReply> {
  const { args, configuration, doubles } = request;
  const checked = await checkFolder(ref, context.bundleContext);
  if (!checked.body) return { status: 422, body: describeInvalid(checked), details: NOT_RUN };
  const errors = findRequestErrors(args, configuration, checked.body);
  if (Object.keys(errors).length > 0) {
    const message = 'the request does not match manifest.json; the code was not run';
    return { status: 400, body: { message, errors }, details: NOT_RUN };
  }
  const executable = toExecutable(ref.path, checked.body, checked.bundle);
  const modules = resolveModules(doubles?.modules ?? {}, executable);
  if (modules.problems.length > 0)
    return { status: 422, body: { message: modules.problems.join('\n') }, details: NOT_RUN };
  const hash = hashValue(checked.body);
  if (last?.details.hash === hash && isDeepStrictEqual(last.saveable?.request, request)) return last;
  const run = await invokeTimed(createInvocation(executable, request, modules.paths, context));
  const report = explainInvocation(run.result, executable.ownCode, context.timeoutSeconds);
  const own = { ...executable.ownCode, loadedAs: run.result.file };
  const unmet = hasDoubles(request) ? findUnmetDoubles(doubles ?? {}, run.result, own) : [];
  const details: RunDetails = {
    ...describeRun(run, [...unmet, ...report.warnings]),
    calls: listCalls(run.result, report.failure?.hint),
    hash,
    test: compareWithTest(request, run.result, report, unmet),
  };
  const expect = toExpectation(run.result, report);
  const used = doubles && pickUsedDoubles(doubles, run.result);
  const saveable = expect && { request, expect, calls: run.result.recorded, doubles: used, executable };
  if (!report.failure) return { status: 200, body: report.response ?? {}, details, saveable };
  const body = await describeFailure(report.failure, ref.path, checked);
  return { status: FAILURE_STATUS[run.result.exitReason.kind] ?? 422, body, details, saveable };
}

/** Whether the code reaches only doubles, as in a test. */
const hasDoubles = ({ doubles, test }: FormulaRequest) => test !== undefined || doubles !== undefined;

function createInvocation(
  executable: Executable,
  { isRecorded, test, ...request }: FormulaRequest,
  modules: Record<string, string>,
  { nodePath, timeoutSeconds, abortSignal }: RunContext,
): Omit<Invocation, 'onOutput'> {
  const invocation = { ...executable, ...request, nodePath, timeoutSeconds, abortSignal };
  if (!test && !request.doubles) return { ...invocation, isRecorded };
  const doubles = { ...request.doubles, modules };
  return { ...invocation, doubles, isNetworkClosed: !test?.network, now: test?.now, seed: test?.seed };
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

function describeRun({ result, durationMs, printed }: TimedRun, warnings: readonly string[]) {
  const isTooLong = printed.length > MAX_PRINTED_CHARACTERS;
  const standIns = [...new Set(result.standIns)].map((name) => `${name} is not installed; a stand-in replaced it`);
  return {
    duration_ms: durationMs,
    printed: isTooLong ? `${printed.slice(0, MAX_PRINTED_CHARACTERS)}\n… (truncated)\n` : printed,
    warnings: [...warnings, ...standIns],
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
  const { message, locations, thrown } = failure;
  const hint =
    failure.hint === BT_HINT ? 'bt is null, since it has no double. Add one: "doubles": {"bt": {}}' : failure.hint;
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
