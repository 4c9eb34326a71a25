/** Runs the code of one formula for `formula run`, and records the run as a test. */
import { basename, join } from 'node:path';
import type { LoadedFolder } from '../check/valid-folder.ts';
import { CliError } from '../errors.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { Host } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import { createLinePrinter } from '../output/line-printer.ts';
import { startProcess } from './child-process.ts';
import { toExecutable } from './executable.ts';
import { type FormulaResponse, type InvocationFailure, toErrorFacts } from './failure.ts';
import { type Inspection, invoke } from './invoke.ts';
import { parseRequest, type RequestFlags } from './parse-request.ts';
import { runCode } from './run-code.ts';
import { assertStarted, formatStandInNotes, type selectNode } from './run-flags.ts';
import { formatFailureFrame, mapFrames } from './stack-frames.ts';

export interface RunOptions extends ReturnType<typeof selectNode>, RequestFlags {
  verbose?: boolean | undefined;
  record?: string | undefined;
  node?: string | undefined;
  bt: string | undefined;
  timeoutSeconds: number;
  inspect: Inspection | undefined;
  abortSignal: AbortSignal;
}

interface RunContext {
  host: Host;
  isJson: boolean;
  note(text: string): void;
  /** Receives what the code prints, line by line. */
  onOutput(text: string): void;
}

/**
 * Runs the code of a folder, which `load` checks, and returns the response. Raises failed (1), invalid (3) for the input,
 * and the errors of `load`.
 */
export async function runFormula(
  folder: Folder,
  load: () => Promise<LoadedFolder>,
  options: RunOptions,
  context: RunContext,
): Promise<FormulaResponse | undefined> {
  const { host, note, onOutput } = context;
  const { nodePath, timeoutSeconds, abortSignal, bt, inspect, record } = options;
  const recorder = record === undefined ? undefined : await import('./record/record-run.ts');
  const recordPath = recorder?.checkRecordPath(folder.path, record ?? '', host.cwd());
  // The process starts while the folder is checked.
  const idleProcess = startProcess(nodePath, folder.path);
  try {
    const valid = await load();
    const request = await parseRequest(folder.displayPath, options, valid.body, host, note);
    host.installSignalHandlers();
    const executable = toExecutable(valid.path, valid.body, valid.result.bundle);
    const loadedAs = join(idleProcess.codeFolder, basename(executable.file));
    const printer = createLinePrinter((text) => onOutput(mapFrames(text, { ...executable.ownCode, loadedAs })));
    const limits = { nodePath, timeoutSeconds, abortSignal };
    const run = await runCode(
      executable,
      { ...request, isRecorded: recorder !== undefined },
      { ...limits, inspect },
      { invoke: (invocation) => invoke({ ...invocation, bt, onOutput: printer.take }, idleProcess) },
    );
    printer.end();
    const { result, warnings, failure } = run;
    assertStarted(result.exitReason, options.node ?? nodePath);
    const standIns = options.verbose ? formatStandInNotes(result.standIns) : [];
    const show = (texts: readonly string[]) => texts.forEach((text) => void note(escapeControls(text)));
    show([...standIns, ...warnings.map((warning) => `warning: ${warning}`)]);
    if (recorder && record !== undefined && recordPath !== undefined)
      show(await recorder.recordRun(record, recordPath, { ...run, executable, request }, limits));
    if (failure) throw await toCliError(failure, valid, options.fallbackHint, context);
    return run.response;
  } finally {
    idleProcess.kill();
  }
}

/** The error for a failed invocation; except in JSON, with a code frame. */
async function toCliError(
  failure: InvocationFailure,
  { path, result }: LoadedFolder,
  fallbackHint: string | undefined,
  { isJson, host }: RunContext,
): Promise<CliError> {
  const frame = isJson ? '' : await formatFailureFrame(failure, path, result.bundle, host.stderr.columns);
  const { message, hint = fallbackHint, thrown, locations: places } = failure;
  const details = thrown && { ...toErrorFacts(thrown), places };
  return new CliError('failed', message + frame, { hint, ...(details && { details }) });
}
