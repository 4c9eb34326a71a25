/** formulary formula run */

import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { assertStdinUsedOnce } from '../../run/parse-request.ts';
import { parseInspect, parseTimeout, resolveFile, selectNode } from '../../run/run-flags.ts';
import { type RunOptions, runFormula } from '../../run/run-formula.ts';
import { runWatchLoop, type WatchRecorder } from '../../run/watch-loop.ts';
import { resolveFolderRef } from '../../session/arguments.ts';
import { createPrinter, withOutputFlags } from '../../session/flags.ts';
import { loadFolder } from '../../session/load-folder.ts';
import { createSession } from '../../session/session.ts';

const FIELDS: readonly string[] = ['raw', 'tokenize'];

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
    .action(async (dir, flags) => {
      const session = createSession(flags, host, FIELDS);
      // The response is JSON in every format.
      const print = createPrinter({ ...flags, output: flags.output === 'jsonl' ? 'jsonl' : 'json' }, host, FIELDS);
      assertStdinUsedOnce(flags);
      for (const name of ['record', 'inspect'] as const)
        if (flags[name] !== undefined && flags.watch)
          throw new CliError('usage', `--${name} and --watch cannot be used together`);
      const options: Omit<RunOptions, 'abortSignal'> = {
        ...flags,
        ...selectNode(flags.node, host),
        timeoutSeconds: parseTimeout(flags.timeout),
        bt: flags.bt === undefined ? undefined : resolveFile('--bt', flags.bt, host),
        inspect: parseInspect(flags.inspect, (text) => host.stderr.write(text)),
      };
      const runOnce = async (abortSignal: AbortSignal, { add }: WatchRecorder) => {
        const folder = resolveFolderRef(dir, host);
        const load = () => loadFolder(folder, session, { notDone: 'the code was not run', onRead: add });
        const context = { ...session, onOutput: (text: string) => host.stderr.write(text) };
        const response = await runFormula({ ...folder, displayPath: dir }, load, { ...options, abortSignal }, context);
        await print({ value: response, table: () => '' });
        if (options.fallbackHint && flags.verbose) session.note(`note: ${options.fallbackHint}`);
      };
      const inputs = [flags.args, flags.configuration].flatMap((typed) =>
        typed?.startsWith('@') ? [typed.slice(1)] : [],
      );
      const files = [...inputs, ...(options.bt ? [options.bt] : [])];
      const watched = { isWatching: flags.watch ?? false, folders: [dir], files, announce: session.note };
      const ending = await runWatchLoop(runOnce, watched, host, session.showError);
      if (ending === 'stopped') setOutcome(ending);
    });
};
