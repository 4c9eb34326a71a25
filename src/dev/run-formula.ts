/** One run of a formula for a request: the manifest's checks, the invocation, and the response to it. */
import { checkFormulaFolder, type FormulaReport } from '../check/check-formula.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import type { FolderRef } from '../folder/find-folders.ts';
import type { FormulaBody } from '../model.ts';
import type { Case } from '../run/cases.ts';
import { findArgsDeviations, findConfigurationDeviations } from '../run/contract.ts';
import { type Executable, toExecutable } from '../run/executable.ts';
import { explainInvocation, type FormulaResponse, type InvocationFailure } from '../run/failure.ts';
import { type InvocationResult, invoke } from '../run/invoke.ts';
import type { SerializedError } from '../run/protocol.ts';
import { formatFailureFrame } from '../run/run-flags.ts';
import { useDoubles } from './chosen-test.ts';
import { FRAME_WIDTH } from './list-formulas.ts';
import type { RunDetails } from './wire.ts';

export interface FormulaRequest {
  args: unknown;
  configuration: unknown;
  /** The test whose doubles respond to the calls of the code. */
  test: Case | undefined;
}

export interface RunContext {
  nodePath: string;
  timeoutSeconds: number;
  bundleContext: BundleContext;
  stop: AbortSignal;
}

/** What a run came to, as it is sent. */
export interface RunReply {
  status: 200 | 400 | 422 | 500 | 504;
  body: object;
  details: RunDetails;
  /** What a test can expect; undefined if the code neither returned nor threw. */
  outcome?: { response: FormulaResponse } | { thrown: SerializedError };
}

const NOT_RUN: RunDetails = { duration_ms: 0, printed: '', warnings: [] };
const MAX_PRINTED_CHARACTERS = 100_000;

/** Runs the code that is on the disk now. Raises usage (2) if the folder cannot be read. */
export async function runFormula(ref: FolderRef, request: FormulaRequest, context: RunContext): Promise<RunReply> {
  const report = await checkFormulaFolder(ref, context.bundleContext);
  if (!report.body) return { status: 422, body: describeInvalid(report), details: NOT_RUN };
  const errors = findErrors(request, report.body);
  if (Object.keys(errors).length > 0) {
    const message = 'The request does not match manifest.json; the code was not run.';
    return { status: 400, body: { message, errors }, details: NOT_RUN };
  }
  const executable = toExecutable(ref.path, report.body, report.bundle);
  const { result, details } = await invokeWithOutput(executable, request, context);
  const { response, failure, warnings } = explainInvocation(result, executable.ownCode, context.timeoutSeconds);
  const allDetails = { ...details, warnings };
  if (!failure) {
    const { raw, tokenize } = response ?? {};
    const body = { ...(raw !== undefined && { raw }), ...(tokenize !== undefined && { tokenize }) };
    return { status: 200, body, details: allDetails, outcome: { response: body } };
  }
  const body = await describeFailure(failure, ref, report);
  const isThrown = result.exitReason.kind === 'failed' && failure.thrown !== undefined;
  return {
    status: FAILURE_STATUS[result.exitReason.kind] ?? 422,
    body,
    details: allDetails,
    ...(isThrown && failure.thrown && { outcome: { thrown: failure.thrown } }),
  };
}

/** All other failures are the code's: 422. */
const FAILURE_STATUS: Partial<Record<InvocationResult['exitReason']['kind'], 500 | 504>> = {
  timeout: 504,
  'not-started': 500,
  stopped: 500,
};

/** The errors of the request by parameter: `args.card.number`. */
function findErrors({ args, configuration }: FormulaRequest, body: FormulaBody): Record<string, string[]> {
  const { request_parameters: parameters, configuration: elements } = body;
  const errors: Record<string, string[]> = {};
  const add = (name: string, messages: readonly { message: string }[]) => {
    if (messages.length > 0) errors[name] = messages.map(({ message }) => message);
  };
  add('args', parameters.length === 0 || !isObject(args) ? findArgsDeviations(args, parameters) : []);
  if (isObject(args)) for (const one of parameters) add(`args.${one.name}`, findArgsDeviations(args, [one]));
  add('configuration', isObject(configuration) ? [] : findConfigurationDeviations(configuration, []));
  if (isObject(configuration))
    for (const one of elements) add(`configuration.${one.name}`, findConfigurationDeviations(configuration, [one]));
  return errors;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

async function invokeWithOutput(
  executable: Executable,
  { args, configuration, test }: FormulaRequest,
  { nodePath, timeoutSeconds, stop }: RunContext,
): Promise<{ result: InvocationResult; details: Omit<RunDetails, 'warnings'> }> {
  const startedAt = performance.now();
  let printed = '';
  const result = await invoke({
    ...executable,
    ...useDoubles(test),
    nodePath,
    timeoutSeconds,
    stop,
    args,
    configuration,
    onOutput: (text) => {
      if (printed.length <= MAX_PRINTED_CHARACTERS) printed += text;
    },
  });
  const isTooLong = printed.length > MAX_PRINTED_CHARACTERS;
  const shown = isTooLong ? `${printed.slice(0, MAX_PRINTED_CHARACTERS)}\n… (truncated)\n` : printed;
  return { result, details: { duration_ms: Math.round(performance.now() - startedAt), printed: shown } };
}

function describeInvalid({ findings, folder }: FormulaReport): object {
  const errors = findings.filter(({ level }) => level === 'error');
  const [first] = errors;
  const location = first && { file: first.file, line: first.line, column: first.column };
  return {
    message: `${folder} is not a valid formula; the code was not run.`,
    location,
    findings: errors.slice(0, 100),
  };
}

async function describeFailure(
  failure: InvocationFailure,
  { path }: FolderRef,
  { bundle }: FormulaReport,
): Promise<object> {
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
