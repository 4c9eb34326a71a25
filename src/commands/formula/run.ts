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
import { invoke } from '../../run/invoke.ts';
import { assertStdinUsedOnce, parseRequest } from '../../run/parse-request.ts';
import {
  assertStarted,
  createLinePrinter,
  formatFailureFrame,
  parseTimeout,
  resolveFile,
  selectNode,
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

      const runOnce = async (stop: AbortSignal, { add }: WatchRecorder) => {
        const place = resolveFolderRef(dir, host);
        // It starts while the folder is checked, and waits.
        const idleProcess = startProcess(nodePath, place.path);
        try {
          const valid = await loadFolder(place, session, { notDone: 'the code was not run', onRead: add });
          const request = await parseRequest(flags, valid.body, host, note);
          const executable = toExecutable(valid.path, valid.body, valid.report.bundle);
          const printer = createLinePrinter((text) => host.stderr.write(text));
          const invocation = { nodePath, ...executable, ...request, bt, timeoutSeconds, stop, onOutput: printer.take };
          const result = await invoke(invocation, idleProcess);
          printer.end();
          assertStarted(result.exitReason, flags.node ?? nodePath);
          const { response, failure, warnings } = explainInvocation(result, executable.ownCode, timeoutSeconds);
          for (const warning of warnings) note(escapeControls(`warning: ${warning}`));
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
