/** formulary formula run */

import type { ValidFolder } from '../../check/valid-folder.ts';
import { CliError } from '../../errors.ts';
import { escapeControls } from '../../output/escape.ts';
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

export const run: DefineCommand = (command, host) => {
  withOutputFlags(command)
    .summary('run the code of a formula on this machine')
    .description(
      'Run the code of a formula on this machine as the service would: args and configuration are held against the contract before, the response after. The code runs in a process of its own, without your environment, but with your rights on this machine. Sends nothing, and needs no permission.',
    )
    .argument('<dir>', 'the formula folder')
    .option('--args <json>', 'args of the invocation: JSON, @FILE, or - for standard input ({})')
    .option('--configuration <json>', 'configuration of the reactor: JSON, @FILE, or - for standard input ({})')
    .option('--cast', 'turn texts into the declared types first, as some services do')
    .option('--bt <file>', 'a CommonJS module whose exports stand in for req.bt')
    .option('--node <file>', 'the Node.js that runs the code (a Node.js 16 on the PATH, else this one)')
    .option('--timeout <seconds>', 'time limit of the code (10)')
    .option('--record <file>', 'write the run as a new test, a file tests/NAME.json of the folder')
    .option('--inspect [port]', 'wait for a debugger on this port, given with = (9229); no time limit')
    .option('--watch', 'run again whenever a file of the folder changes')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula run my-formula --args \'{"card":{"number":"4242"}}\' --configuration \'{"BRANDS":"visa"}\'\n  formulary formula run my-formula --args @args.json --configuration @configuration.json --json',
    )
    .action(async (dir, flags) => {
      const session = createSession(flags, host);
      const { note } = session;
      // The response is JSON in every format.
      const print = createPrinter({ ...flags, output: flags.output === 'jsonl' ? 'jsonl' : 'json' }, host);
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
        // It starts while the folder is checked, and waits.
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
      await runWatchLoop(
        runOnce,
        { isWatching: flags.watch ?? false, folders: [dir], files: [...files, ...(bt ? [bt] : [])] },
        host,
        session.showError,
      );
    });
};

/** Where a recording is written. Raises usage (2). */
async function resolveRecordPath(folder: string, typed: string | undefined): Promise<string | undefined> {
  if (typed === undefined) return undefined;
  const { checkRecordPath } = await import('../../run/record/record-run.ts');
  return checkRecordPath(folder, typed);
}

/** Writes the test, and prints what it stores. */
async function noteRecording(
  run: Omit<RecordedInvocation, 'file' | 'path'> & { path: string | undefined },
  file: string | undefined,
  note: (text: string) => void,
): Promise<void> {
  const { path } = run;
  if (file === undefined || path === undefined) return;
  const { recordRun } = await import('../../run/record/record-run.ts');
  const texts = await recordRun({ ...run, path, file });
  const refused = `warning: ${file} was not recorded: only a response or an error of the code can be`;
  for (const text of texts ?? [refused]) note(escapeControls(text));
}

/** The warnings, with --verbose after the notes. */
const remarks = ({ standIns }: InvocationResult, warnings: readonly string[], isVerbose = false): string[] => [
  ...(isVerbose ? standInNotes(standIns) : []),
  ...warnings.map((warning) => `warning: ${warning}`),
];

/** A failure of the code as the error that the command ends with; `columns` is the width of the lines shown, if any. */
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
