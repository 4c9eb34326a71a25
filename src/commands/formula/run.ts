/** formulary formula run */

import type { ValidFolder } from '../../check/valid-folder.ts';
import { CliError } from '../../errors.ts';
import { visible } from '../../output/escape.ts';
import { checkedPlace } from '../../program/arguments.ts';
import type { Define } from '../../program/define.ts';
import { answerPrinter, withOutputFlags } from '../../program/flags.ts';
import { loadFolder } from '../../program/load-folder.ts';
import { createSession } from '../../program/session.ts';
import { startProcess } from '../../run/child-process.ts';
import { runnableOf } from '../../run/executable.ts';
import { explain, type Failure } from '../../run/failure.ts';
import { invoke } from '../../run/invoke.ts';
import { givenRequest, refuseStdinTwice } from '../../run/parse-request.ts';
import { failureFrame, fileOf, linePrinter, nodeOf, refuseUnrun, secondsOf } from '../../run/run-flags.ts';
import { repeat, type Watching } from '../../run/watch-loop.ts';

export const run: Define = (command, host) => {
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
      const print = answerPrinter({ ...flags, output: flags.output === 'jsonl' ? 'jsonl' : 'json' }, host);
      refuseStdinTwice(flags);
      const timeoutSeconds = secondsOf(flags.timeout);
      const bt = fileOf('--bt', flags.bt, host);
      const nodePath = nodeOf(flags.node, host, note);

      const once = async (stop: AbortSignal, { add }: Watching) => {
        const place = checkedPlace(dir, host);
        // It starts while the folder is checked, and waits.
        const waiting = startProcess(nodePath, place.path);
        try {
          const valid = await loadFolder(place, session, { undone: 'the code was not run', onRead: add });
          const request = await givenRequest(flags, valid.body, host, note);
          const runnable = runnableOf(valid.path, valid.body, valid.checked.bundle);
          const printer = linePrinter((text) => host.stderr.write(text));
          const whole = { nodePath, ...runnable, ...request, bt, timeoutSeconds, stop, onOutput: printer.take };
          const invoked = await invoke(whole, waiting);
          printer.end();
          refuseUnrun(invoked.ended, flags.node ?? nodePath);
          const { response, failure, warnings } = explain(invoked, runnable.own, timeoutSeconds);
          for (const warning of warnings) note(visible(`warning: ${warning}`));
          if (failure) throw await failed(failure, valid, flags.json ? undefined : host.stderr.columns);
          await print({ value: response, table: () => '' });
        } finally {
          waiting.end();
        }
      };

      const files = [flags.args, flags.configuration].flatMap((typed) =>
        typed?.startsWith('@') ? [typed.slice(1)] : [],
      );
      await repeat(
        once,
        { isWatching: flags.watch ?? false, folders: [dir], files: [...files, ...(bt ? [bt] : [])] },
        host,
        session.showError,
      );
    });
};

/** A failure of the code as the error that the command ends with; `columns` is the width of the lines shown, if any. */
async function failed(
  failure: Failure,
  { path, checked }: ValidFolder,
  columns: number | undefined,
): Promise<CliError> {
  const frame = columns === undefined ? '' : await failureFrame(failure, path, checked.bundle, columns);
  const { isError, name, message, status, errors } = failure.thrown ?? {};
  const details = { ...(isError && { name }), message, status, errors, places: failure.places };
  return new CliError('failed', failure.message + frame, {
    hint: failure.hint,
    ...(failure.thrown && { details }),
  });
}
