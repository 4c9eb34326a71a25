/** formulary formula dev */

import { checkTree } from '../../check/check-tree.ts';
import type { DefineCommand } from '../../cli/define.ts';
import type { WorkbenchOptions } from '../../dev/app.ts';
import { formatCurl } from '../../dev/curl.ts';
import { formatChanges } from '../../dev/formula-state.ts';
import type { WorkbenchFormula } from '../../dev/list-formulas.ts';
import { openLiveList } from '../../dev/live-list.ts';
import { CliError } from '../../errors.ts';
import { realPath } from '../../files/paths.ts';
import type { Folder } from '../../folder/find-folders.ts';
import { untilAborted } from '../../host/abort.ts';
import type { Host } from '../../host/host.ts';
import { escapeControls } from '../../output/escape.ts';
import { joinText } from '../../output/formats.ts';
import { createExampleRequest } from '../../run/example-request.ts';
import { parseTimeout, selectNode } from '../../run/run-flags.ts';
import { listen } from '../../service/listen.ts';
import { selectFolders, withDefaultPath } from '../../session/path-flags.ts';
import { parsePort } from '../../session/port.ts';
import { createSession } from '../../session/session.ts';
import { isServiceConfigured } from '../../settings/resolve-address.ts';
import { readWorkbenchAddress, saveWorkbenchAddress } from '../../state/workbench-address.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { randomId } from '../../text/hash.ts';
import { PLAN_FIELDS, planView } from '../../views/plan-view.ts';
import { parseOptions } from './push/options.ts';
import { planFolders } from './push/plan-folders.ts';
import { findBases } from './push/show-plan.ts';

export const dev: DefineCommand = (command, host, setOutcome) => {
  command
    .summary('Start the local workbench')
    .description(
      'Serve a page and an HTTP endpoint for each formula on 127.0.0.1, until SIGINT or SIGTERM. The page shows findings while you edit, runs the code with the values of a form, and saves runs as tests. Code runs as in formula run. Prints the URL of the page; it contains a token that the endpoints require. Sends nothing to a service until you compare a formula with its published version, which requires the permission reactor:read.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth (default: .)')
    .option('--port <number>', 'port to listen on (default: the last one of the folder, or any free port)')
    .action(async (paths, { port }) => {
      const note = (text: string) => host.stderr.write(`${escapeControls(text)}\n`);
      const portNumber = port === undefined ? undefined : parsePort(port);
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
async function serve(
  port: number | undefined,
  { roots, nodePath, closing, stopped, log }: Serving,
  host: Host,
): Promise<void> {
  const { createWorkbenchApp } = await import('../../dev/app.ts');
  const bundleContext = getSurroundings(host);
  const cwd = realPath(host.cwd());
  const onChange: Parameters<typeof openLiveList>[0]['onChange'] = (formulas, previous) =>
    formatChanges(formulas, previous).forEach(log);
  const list = await openLiveList({ roots, cwd, bundleContext, onChange });
  try {
    const context = { nodePath, timeoutSeconds: parseTimeout(undefined), bundleContext };
    const comparePublished = isServiceConfigured(host) ? (folder: Folder) => compare(folder, host) : undefined;
    const options = { list, context, closing, log, redact: host.redact, comparePublished };
    const { server, token } = await listenAgain((own) => createWorkbenchApp({ ...options, ...own }), port, cwd, host);
    try {
      printStart(list.formulas(), server.baseUrl, token, host);
      await Promise.race([stopped, list.failed]);
    } finally {
      await server.close();
    }
  } finally {
    list.close();
  }
}

/** Listens at the last port of the folder with the same token, so that open pages find the server. */
async function listenAgain(
  createApp: (own: Pick<WorkbenchOptions, 'token' | 'getPort'>) => Parameters<typeof listen>[0],
  typed: number | undefined,
  cwd: string,
  host: Host,
) {
  const last = readWorkbenchAddress(host, cwd);
  const open = async (port: number) => {
    const token = port !== 0 && last?.port === port ? last.token : randomId();
    let boundPort = port;
    const server = await listen(createApp({ token, getPort: () => boundPort }), port);
    boundPort = Number(new URL(server.baseUrl).port);
    saveWorkbenchAddress(host, cwd, { port: boundPort, token });
    return { server, token };
  };
  try {
    return await open(typed ?? last?.port ?? 0);
  } catch (error) {
    // The last port may be in use.
    if (typed === undefined && last) return open(0);
    throw error;
  }
}

function printStart(formulas: readonly WorkbenchFormula[], baseUrl: string, token: string, host: Host): void {
  host.stderr.write(
    `Serving ${formulas.length} ${formulas.length === 1 ? 'formula' : 'formulas'}. Press Ctrl-C to stop.\n`,
  );
  const first = formulas.find(({ valid }) => valid) ?? formulas[0];
  if (first) {
    const request = createExampleRequest(first.declarations ?? { configuration: [], request_parameters: [] });
    const curl = formatCurl(request, baseUrl + first.endpoint, token, host.platform);
    host.stderr.write(`${escapeControls(`To run a formula without the page: ${curl}`)}\n`);
  }
  host.stdout.write(`${baseUrl}/#token=${token}\n`);
}

/** What a push of the folder would change, as diff prints it. */
async function compare({ displayPath }: Folder, host: Host): Promise<string> {
  const session = createSession({}, host, PLAN_FIELDS);
  const options = parseOptions([displayPath], {});
  const tree = await checkTree(await selectFolders([displayPath], {}, session), host, async () => undefined);
  if (tree.folders.some(({ body }) => !body)) throw new CliError('invalid', `${displayPath} is not a valid formula`);
  const { plan } = await planFolders(tree, await session.connect(), options, session);
  const bases = plan ? await findBases(plan, tree, host) : new Map();
  const { table } = planView(plan?.steps ?? [], true, bases);
  return joinText(await table({ isTerminal: false, hasColor: false, columns: 100, redact: host.redact }));
}

/** One line with the local time. */
const logEvent = (event: string, host: Host) =>
  host.stderr.write(`${host.now().toTimeString().slice(0, 8)} ${escapeControls(event)}\n`);
