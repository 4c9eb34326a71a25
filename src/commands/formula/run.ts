/** formulary formula run */

import type { ValidFolder } from '../../check/valid-folder.ts';
import { CliError } from '../../errors.ts';
import { escapeControls } from '../../output/escape.ts';
import type { FieldSet } from '../../output/fields.ts';
import { resolveFolderRef } from '../../program/arguments.ts';
import type { DefineCommand } from '../../program/define.ts';
import { createPrinter, withOutputFlags } from '../../program/flags.ts';
import { loadFolder } from '../../program/load-folder.ts';
import { createSession } from '../../program/session.ts';
import { startProcess } from '../../run/child-process.ts';
import { toExecutable } from '../../run/executable.ts';
import { explainInvocation, type InvocationFailure } from '../../run/failure.ts';
import { type InvocationResult, invoke } from '../../run/invoke.ts';
import { assertStdinUsedOnce, parseRequest } from '../../run/parse-request.ts';
import type { RecordedInvocation } from '../../run/record/record-run.ts';
import {
  assertStarted,
  createLinePrinter,
  formatFailureFrame,
  parseInspect,
  parseTimeout,
  resolveFile,
  selectNode,
  standInNotes,
} from '../../run/run-flags.ts';
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
      'Node.js executable that runs the code (default: Node.js 16 on the PATH, otherwise this one)',
    )
    .option('--timeout <seconds>', 'time limit of the code (default: 10)')
    .option('--record <file>', 'new file tests/NAME.json in the folder to record the run as a test')
    .option('--inspect [port]', 'wait for a debugger on this port, passed with = (default: 9229); no time limit')
    .option('--watch', 'run again when a file of the folder changes')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula run my-formula --args \'{"card":{"number":"4242"}}\' --configuration \'{"BRANDS":"visa"}\'\n  formulary formula run my-formula --args @args.json --configuration @configuration.json --json',
    )
    .action(async (dir, flags) => {
      const session = createSession(flags, host, FIELDS);
      const { note } = session;
      // The response is JSON in every format.
      const print = createPrinter({ ...flags, output: flags.output === 'jsonl' ? 'jsonl' : 'json' }, host, FIELDS);
      assertStdinUsedOnce(flags);
      const timeoutSeconds = parseTimeout(flags.timeout);
      const bt = resolveFile('--bt', flags.bt, host);
      const nodePath = selectNode(flags.node, host, note);
      for (const name of ['record', 'inspect'] as const)
        if (flags[name] !== undefined && flags.watch)
          throw new CliError('usage', `--${name} and --watch cannot be used together`);
      const inspect = parseInspect(flags.inspect, (text) => host.stderr.write(text));

      const runOnce = async (stop: AbortSignal, { add }: WatchRecorder) => {
        const folderRef = resolveFolderRef(dir, host);
        const recordPath = await resolveRecordPath(folderRef.path, flags.record);
        // The process starts while the folder is checked.
        const idleProcess = startProcess(nodePath, folderRef.path);
        try {
          const valid = await loadFolder(folderRef, session, { notDone: 'the code was not run', onRead: add });
          const request = await parseRequest(flags, valid.body, host, note);
          const executable = toExecutable(valid.path, valid.body, valid.report.bundle);
          const printer = createLinePrinter((text) => host.stderr.write(text));
          const isRecorded = recordPath !== undefined;
          const invocation = {
            nodePath,
            ...executable,
            ...request,
            bt,
            timeoutSeconds,
            stop,
            isRecorded,
            inspect,
            onOutput: printer.take,
          };
          const result = await invoke(invocation, idleProcess);
          printer.end();
          assertStarted(result.exitReason, flags.node ?? nodePath);
          const explained = explainInvocation(result, executable.ownCode, timeoutSeconds);
          const { response, failure, warnings } = explained;
          for (const text of remarks(result, warnings, flags.verbose)) note(escapeControls(text));
          const limits = { nodePath, timeoutSeconds, stop, hasNetwork: false };
          await noteRecording(
            { path: recordPath, request, invoked: result, explained, runnable: executable, limits },
            flags.record,
            note,
          );
          if (failure) throw await toCliError(failure, valid, flags.json ? undefined : host.stderr.columns);
          await print({ value: response, table: () => '' });
        } finally {
          idleProcess.kill();
        }
      };

      const files = [flags.args, flags.configuration].flatMap((typed) =>
        typed?.startsWith('@') ? [typed.slice(1)] : [],
      );
      const ending = await runWatchLoop(
        runOnce,
        {
          isWatching: flags.watch ?? false,
          folders: [dir],
          files: [...files, ...(bt ? [bt] : [])],
          announce: session.note,
        },
        host,
        session.showError,
      );
      if (ending === 'stopped') setOutcome(ending);
    });
};

/** The path of a recording. Raises usage (2). */
async function resolveRecordPath(folder: string, typed: string | undefined): Promise<string | undefined> {
  if (typed === undefined) return undefined;
  const { checkRecordPath } = await import('../../run/record/record-run.ts');
  return checkRecordPath(folder, typed);
}

/** Writes the test and prints notes about its content. */
async function noteRecording(
  run: Omit<RecordedInvocation, 'file' | 'path'> & { path: string | undefined },
  file: string | undefined,
  note: (text: string) => void,
): Promise<void> {
  const { path } = run;
  if (file === undefined || path === undefined) return;
  const { recordRun } = await import('../../run/record/record-run.ts');
  const texts = await recordRun({ ...run, path, file });
  const refused = `warning: ${file} was not recorded: the run has no response or error of the code`;
  for (const text of texts ?? [refused]) note(escapeControls(text));
}

/** The warnings, with --verbose after the notes. */
const remarks = ({ standIns }: InvocationResult, warnings: readonly string[], isVerbose = false): string[] => [
  ...(isVerbose ? standInNotes(standIns) : []),
  ...warnings.map((warning) => `warning: ${warning}`),
];

/** The error for a failed invocation, with a code frame of `columns` width if set. */
async function toCliError(
  failure: InvocationFailure,
  { path, report }: ValidFolder,
  columns: number | undefined,
): Promise<CliError> {
  const frame = columns === undefined ? '' : await formatFailureFrame(failure, path, report.bundle, columns);
  const { isError, name, message, status, errors } = failure.thrown ?? {};
  const details = { ...(isError && { name }), message, status, errors, places: failure.locations };
  return new CliError('failed', failure.message + frame, {
    hint: failure.hint,
    ...(failure.thrown && { details }),
  });
}
