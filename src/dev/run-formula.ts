/** Runs a formula for a request: validates it, invokes the code, and describes the outcome. */
import { isDeepStrictEqual } from 'node:util';
import { type CheckResult, checkFolder } from '../check/check-folder.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { Expectation } from '../run/cases/parse-tests.ts';
import type { Doubles } from '../run/doubles/doubles.ts';
import { resolveModules } from '../run/doubles/resolve-modules.ts';
import { type Executable, toExecutable } from '../run/executable.ts';
import { BT_HINT, type InvocationFailure, toErrorFacts } from '../run/failure.ts';
import type { InvocationResult } from '../run/invoke.ts';
import type { RecordedCall } from '../run/protocol.ts';
import { toExpectation } from '../run/record/build-recording.ts';
import { type CodeLimits, runCode } from '../run/run-code.ts';
import { formatFailureFrame } from '../run/stack-frames.ts';
import { findRequestDeviations } from '../run/validate-request.ts';
import { groupBy } from '../text/group-by.ts';
import { compareWithTest, type FormulaRequest, listCalls, pickUsedDoubles } from './chosen-test.ts';
import { FRAME_WIDTH, hashValue } from './list-formulas.ts';
import type { RunDetails } from './wire.ts';

export interface RunContext extends CodeLimits {
  bundleContext: BundleContext;
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

/** Reads the folder for each run, and returns `last` if it has the same code and request. Raises usage (2) if the folder cannot be read. */
export async function runFormula(
  ref: Folder,
  request: FormulaRequest,
  { bundleContext, ...limits }: RunContext,
  last?: RunReply,
): Promise<RunReply> {
  const { args, configuration, doubles, test, isRecorded } = request;
  const checked = await checkFolder(ref, bundleContext);
  if (!checked.body) return { status: 422, body: describeInvalid(checked), details: NOT_RUN };
  const errors = groupBy(findRequestDeviations(request, checked.body), ({ name }) => name);
  if (errors.size > 0) {
    const message = 'the request does not match manifest.json; the code was not run';
    const messages = [...errors].map(([name, found]) => [name, found.map((one) => one.message)]);
    return { status: 400, body: { message, errors: Object.fromEntries(messages) }, details: NOT_RUN };
  }
  const executable = toExecutable(ref.path, checked.body, checked.bundle);
  const modules = resolveModules(doubles ?? {}, executable);
  if (modules.problems.length > 0)
    return { status: 422, body: { message: modules.problems.join('\n') }, details: NOT_RUN };
  const hash = hashValue(checked.body);
  if (last?.details.hash === hash && isDeepStrictEqual(last.saveable?.request, request)) return last;
  const fixed = { doubles: { ...doubles, modules: modules.paths }, now: test?.now, seed: test?.seed };
  const isClosed = test !== undefined || doubles !== undefined;
  const run = await runCode(
    executable,
    { args, configuration, ...(isClosed ? { ...fixed, isNetworkClosed: !test?.network } : { isRecorded }) },
    limits,
  );
  const { result, unmet, warnings, failure, response } = run;
  const standIns = [...new Set(result.standIns)].map((name) => `${name} is not installed; a stand-in replaced it`);
  const details: RunDetails = {
    duration_ms: run.durationMs,
    printed: run.printed,
    warnings: [...unmet, ...warnings, ...standIns],
    calls: listCalls(result, failure?.hint),
    hash,
    test: compareWithTest(request, run),
  };
  const expect = toExpectation(run);
  const used = doubles && pickUsedDoubles(doubles, result);
  const saveable = expect && { request, expect, calls: result.recorded, doubles: used, executable };
  if (!failure) return { status: 200, body: response ?? {}, details, saveable };
  const body = await describeFailure(failure, ref.path, checked);
  return { status: FAILURE_STATUS[result.exitReason.kind] ?? 422, body, details, saveable };
}

/** All other failures are the code's: 422. */
const FAILURE_STATUS: Partial<Record<InvocationResult['exitReason']['kind'], 500 | 504>> = {
  timeout: 504,
  'not-started': 500,
  stopped: 500,
};

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
  return { message, hint, location, ...(frame && { frame }), error: thrown && toErrorFacts(thrown) };
}
