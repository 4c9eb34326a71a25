/** formulary formula run */

import type { ValidFolder } from '../../check/valid-folder.ts';
import { CliError } from '../../errors.ts';
import { escapeControls } from '../../output/escape.ts';
import type { FieldSet } from '../../output/fields.ts';
import { createLinePrinter } from '../../output/line-printer.ts';
import { resolveFolderRef } from '../../program/arguments.ts';
import type { DefineCommand } from '../../program/define.ts';
import { createPrinter, withOutputFlags } from '../../program/flags.ts';
import { loadFolder } from '../../program/load-folder.ts';
import { createSession, type Session } from '../../program/session.ts';
import { startProcess } from '../../run/child-process.ts';
import { toExecutable } from '../../run/executable.ts';
import { explainInvocation, type FormulaResponse, type InvocationFailure } from '../../run/failure.ts';
import { formatFailureFrame } from '../../run/failure-frame.ts';
import { invoke } from '../../run/invoke.ts';
import { assertStdinUsedOnce, parseRequest } from '../../run/parse-request.ts';
import {
  assertStarted,
  formatStandInNotes,
  parseInspect,
  parseTimeout,
  resolveFile,
  type SelectedNode,
  selectNode,
} from '../../run/run-flags.ts';
import type { Inspection } from '../../run/time-limits.ts';
import { runWatchLoop, type WatchRecorder } from '../../run/watch-loop.ts';

const FIELDS: FieldSet = {
  known: ['raw', 'tokenize'],
};

export const run: DefineCommand = (command, host, setOutcome) => {
  withOutputFlags(command)
    .description(
      "Run a formula's code on this computer as the service would. Arguments, configuration, and response are validated against the manifest. The code runs in a separate process, without your environment variables, but with your user's permissions. Sends nothing and requires no permission.",
    )
    .argument('<dir>', 'the formula folder')
    .option('--args <json>', 'args of the invocation: JSON, @FILE, or - for standard input (default: {})')
    .option(
      '--configuration <json>',
      'configuration of the reactor: JSON, @FILE, or - for standard input (default: {})',
    )
    .option('--cast', 'convert strings to the declared types first, as some services do')
    .option('--bt <file>', 'CommonJS module whose exports replace req.bt')
    .option(
      '--node <file>',
      'Node.js that runs the code (default: Node.js 16 on the PATH, otherwise this one) (env: FORMULARY_NODE)',
    )
    .option('--timeout <seconds>', 'time limit of the code (default: 10)')
    .option('--record <file>', 'record the run as a test in this new file (tests/NAME.json)')
    .option('--inspect [port]', 'wait for a debugger on this port, passed with = (default: 9229); no time limit')
    .option('--watch', 'run again when a file of the folder changes')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula run my-formula --args \'{"card":{"number":"4242"}}\' --configuration \'{"BRANDS":"visa"}\'\n  formulary formula run my-formula --args @args.json --configuration @configuration.json --json',
    )
    .action(async (dir, flags) => {
      const session = createSession(flags, host, FIELDS);
      // The response is JSON in every format.
      const print = createPrinter({ ...flags, output: flags.output === 'jsonl' ? 'jsonl' : 'json' }, host, FIELDS);
      assertStdinUsedOnce(flags);
      for (const name of ['record', 'inspect'] as const)
        if (flags[name] !== undefined && flags.watch)
          throw new CliError('usage', `--${name} and --watch cannot be used together`);
      const options: RunOptions = {
        ...flags,
        ...selectNode(flags.node, host),
        timeoutSeconds: parseTimeout(flags.timeout),
        bt: flags.bt === undefined ? undefined : resolveFile('--bt', flags.bt, host),
        inspect: parseInspect(flags.inspect, (text) => host.stderr.write(text)),
      };
      const runOnce = async (abortSignal: AbortSignal, { add }: WatchRecorder) => {
        const response = await runFolder(dir, options, abortSignal, add, session);
        await print({ value: response, table: () => '' });
        if (options.fallbackHint && flags.verbose) session.note(`note: ${options.fallbackHint}`);
      };
      const inputs = [flags.args, flags.configuration].flatMap((typed) =>
        typed?.startsWith('@') ? [typed.slice(1)] : [],
      );
      const ending = await runWatchLoop(
        runOnce,
        {
          isWatching: flags.watch ?? false,
          folders: [dir],
          files: [...inputs, ...(options.bt ? [options.bt] : [])],
          announce: session.note,
        },
        host,
        session.showError,
      );
      if (ending === 'stopped') setOutcome(ending);
    });
};

interface RunOptions extends SelectedNode {
  args?: string | undefined;
  configuration?: string | undefined;
  cast?: boolean | undefined;
  watch?: boolean | undefined;
  verbose?: boolean | undefined;
  record?: string | undefined;
  node?: string | undefined;
  bt: string | undefined;
  timeoutSeconds: number;
  inspect: Inspection | undefined;
}

/** Checks the folder, runs its code, and returns the response. Raises invalid (3), and failed (1). */
async function runFolder(
  dir: string,
  options: RunOptions,
  abortSignal: AbortSignal,
  onRead: WatchRecorder['add'],
  session: Session,
): Promise<FormulaResponse | undefined> {
  const { host, note } = session;
  const { nodePath, timeoutSeconds, bt, inspect } = options;
  const folderRef = resolveFolderRef(dir, host);
  const { record } = options;
  const recording =
    record === undefined ? undefined : { file: record, ...(await import('../../run/record/record-run.ts')) };
  const recordPath = recording?.checkRecordPath(folderRef.path, recording.file);
  // The process starts while the folder is checked.
  const idleProcess = startProcess(nodePath, folderRef.path);
  try {
    const valid = await loadFolder(folderRef, session, { notDone: 'the code was not run', onRead });
    const request = await parseRequest(dir, options, valid.body, host, note);
    const executable = toExecutable(valid.path, valid.body, valid.report.bundle);
    const printer = createLinePrinter((text) => host.stderr.write(text));
    const limits = { nodePath, timeoutSeconds, abortSignal };
    const invocation = {
      ...limits,
      ...executable,
      ...request,
      bt,
      isRecorded: recording !== undefined,
      inspect,
      onOutput: printer.take,
    };
    const result = await invoke(invocation, idleProcess);
    printer.end();
    assertStarted(result.exitReason, options.node ?? nodePath);
    const explained = explainInvocation(result, executable.ownCode, timeoutSeconds);
    const notes = [
      ...(options.verbose ? formatStandInNotes(result.standIns) : []),
      ...explained.warnings.map((warning) => `warning: ${warning}`),
    ];
    for (const text of notes) note(escapeControls(text));
    if (recording && recordPath !== undefined) {
      const run = {
        request,
        invoked: result,
        explained,
        executable,
        limits: { ...limits, hasNetwork: false },
      };
      for (const text of await recording.recordRun({ ...run, file: recording.file, path: recordPath }))
        note(escapeControls(text));
    }
    if (explained.failure) throw await toCliError(explained.failure, valid, options.fallbackHint, session);
    return explained.response;
  } finally {
    idleProcess.kill();
  }
}

/** The error for a failed invocation; except in JSON, with a code frame. */
async function toCliError(
  failure: InvocationFailure,
  { path, report }: ValidFolder,
  fallbackHint: string | undefined,
  { isJson, host }: Session,
): Promise<CliError> {
  const frame = isJson ? '' : await formatFailureFrame(failure, path, report.bundle, host.stderr.columns);
  const { isError, name, message, status, errors } = failure.thrown ?? {};
  const details = { ...(isError && { name }), message, status, errors, places: failure.locations };
  return new CliError('failed', failure.message + frame, {
    hint: [failure.hint, fallbackHint].filter(Boolean).join('\n') || undefined,
    ...(failure.thrown && { details }),
  });
}
