/** formulary formula dev */

import type { DefineCommand } from '../../cli/define.ts';
import { createWorkbenchApp } from '../../dev/app.ts';
import { describeChanges, formatCurl } from '../../dev/events.ts';
import { openLiveList } from '../../dev/live-list.ts';
import { CliError } from '../../errors.ts';
import { realPath } from '../../files/paths.ts';
import { untilAborted } from '../../host/abort.ts';
import type { Host } from '../../host/host.ts';
import { escapeControls } from '../../output/escape.ts';
import { parseTimeout, selectNode } from '../../run/run-flags.ts';
import { listen } from '../../service/listen.ts';
import { selectFolders, withDefaultPath } from '../../session/path-flags.ts';
import { parsePort } from '../../session/port.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { randomId } from '../../text/hash.ts';

export const dev: DefineCommand = (command, host, setOutcome) => {
  command
    .summary('Start the local workbench')
    .description(
      'Serve a page and an HTTP endpoint for each formula on 127.0.0.1, until SIGINT or SIGTERM. The page shows findings while you edit, runs the code with the values of a form, and saves runs as tests. Code runs as in formula run. Prints the URL of the page; it contains a token that the endpoints require. Sends nothing to a service, and needs no permission.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth (default: .)')
    .option('--port <number>', 'port to listen on (default: any free port)')
    .addHelpText('after', '\nExamples:\n  formulary formula dev\n  formulary formula dev formulas --port 4400')
    .action(async (paths, { port }) => {
      const note = (text: string) => host.stderr.write(`${escapeControls(text)}\n`);
      const portNumber = parsePort(port);
      const { folders, roots } = await selectFolders(withDefaultPath(paths, {}), {}, { host, note });
      if (folders.length === 0) throw new CliError('usage', 'no formula folder in the paths');
      host.installSignalHandlers();
      const stopped = untilAborted(host.abortSignal);
      const { nodePath } = selectNode(undefined, host);
      await serve(
        portNumber,
        { roots, nodePath, closing: host.abortSignal, stopped, log: (text) => logEvent(text, host) },
        host,
      );
      setOutcome('stopped');
    });
};

interface Serving {
  roots: readonly string[];
  nodePath: string;
  closing: AbortSignal;
  stopped: Promise<void>;
  log(event: string): void;
}

/** Serves until a signal stops it. Raises usage (2) if the port is in use. */
async function serve(port: number, { roots, nodePath, closing, stopped, log }: Serving, host: Host): Promise<void> {
  const bundleContext = getSurroundings(host);
  const cwd = realPath(host.cwd());
  const onChange: Parameters<typeof openLiveList>[0]['onChange'] = (formulas, previous) =>
    describeChanges(formulas, previous).forEach(log);
  const list = await openLiveList({ roots, cwd, bundleContext, onChange });
  try {
    const token = randomId();
    const context = { nodePath, timeoutSeconds: parseTimeout(undefined), bundleContext };
    const server = await listen(createWorkbenchApp({ list, token, context, closing, log, redact: host.redact }), port);
    try {
      const formulas = list.formulas();
      host.stderr.write(
        `Serving ${formulas.length} ${formulas.length === 1 ? 'formula' : 'formulas'}. Press Ctrl-C to stop.\n`,
      );
      const first = formulas.find(({ valid }) => valid) ?? formulas[0];
      if (first) host.stderr.write(`${escapeControls(formatCurl(first, server.baseUrl, token, host.platform))}\n`);
      host.stdout.write(`${server.baseUrl}/#token=${token}\n`);
      await Promise.race([stopped, list.failed]);
    } finally {
      await server.close();
    }
  } finally {
    list.close();
  }
}

/** One line with the local time. */
const logEvent = (event: string, host: Host) =>
  host.stderr.write(`${host.now().toTimeString().slice(0, 8)} ${escapeControls(event)}\n`);
