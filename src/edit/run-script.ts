/** Runs scripts of `formula edit --script`, each in a process of its own, without the tool's secrets. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SourceLocation } from '../code/bundle/bundle.ts';
import { CliError } from '../errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import scriptChild from '../generated/script-child.js';
import type { Host } from '../host/host.ts';
import { requirePermission } from '../host/node-options.ts';
import { createLinePrinter } from '../output/line-printer.ts';
import { killAll } from '../run/child-process.ts';
import { formatFailureFrame } from '../run/failure-frame.ts';
import { findOwnFrames } from '../run/stack-frames.ts';
import type { ScriptChange } from './parse-changes.ts';
import type { ScriptFormula, ScriptReply, ScriptRequest } from './script-protocol.ts';

/** Passes a formula to a script, and returns the changed one. Raises failed (1) with the location. */
export type ScriptRunner = (
  script: ScriptChange,
  formula: ScriptFormula,
) => Promise<Pick<ScriptFormula, 'manifest' | 'code'>>;

export interface Scripts {
  run: ScriptRunner;
  /** Ends all processes after printing their output. */
  close(): Promise<void>;
}

type ScriptHost = Pick<Host, 'nodePath' | 'platform' | 'cwd'> & { stderr: Pick<Host['stderr'], 'write' | 'columns'> };

/** Starts the process of a script when it is first used. Errors show lines of the script unless `isJson`. */
export function openScripts(host: ScriptHost, { isJson }: { isJson: boolean }): Scripts {
  const running = new Map<ScriptChange, Promise<ScriptProcess>>();
  return {
    run: async (script, formula) => {
      const starting = running.get(script) ?? startScript(script, host, isJson);
      running.set(script, starting);
      const reply = await (await starting).ask({ formula });
      if ('manifest' in reply) return reply;
      throw await toScriptError(reply, script, {
        folder: formula.folder,
        columns: isJson ? undefined : host.stderr.columns,
      });
    },
    close: async () => {
      await Promise.all(
        [...running.values()].map((starting) => starting.then(({ end }) => end()).catch(() => undefined)),
      );
    },
  };
}

interface ScriptProcess {
  ask(request: ScriptRequest): Promise<ScriptReply>;
  end(): Promise<void>;
}

/** How long to wait for output after the process has ended. */
const MAX_DRAIN_MS = 1000;

async function startScript(script: ScriptChange, host: ScriptHost, isJson: boolean): Promise<ScriptProcess> {
  requirePermission('ChildProcess', 'run the script');
  // The environment of this process: the secrets of the tool were removed from it at the start.
  const child = spawn(host.nodePath, ['-e', scriptChild], {
    cwd: host.cwd(),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A separate process group, so that everything that the script started can be ended with it.
    detached: host.platform !== 'win32',
    windowsHide: true,
  });
  const printer = createLinePrinter((text) => host.stderr.write(text));
  const streams = [child.stdout, child.stderr].flatMap((stream) => stream ?? []);
  for (const stream of streams) stream.setEncoding('utf8').on('data', printer.take);
  const closed = Promise.all(streams.map((stream) => once(stream, 'close')));
  const running: ScriptProcess = {
    ask: (request) => ask(child, request),
    end: async () => {
      killAll(child);
      // A process that left the group may keep the pipes open.
      await Promise.race([closed, delay(MAX_DRAIN_MS, undefined, { ref: false })]);
      printer.end();
    },
  };
  const reply = await running.ask({ script: script.path });
  if ('ready' in reply) return running;
  await running.end();
  throw await toScriptError(withLocation(reply, script, host), script, {
    columns: isJson ? undefined : host.stderr.columns,
  });
}

/** The reply to a request, or the exit of the process. */
async function ask(child: ChildProcess, request: ScriptRequest): Promise<ScriptReply> {
  if (child.exitCode !== null || child.signalCode !== null) return toExitReply(child.exitCode, child.signalCode);
  const abort = new AbortController();
  const wait = (event: string) => once(child, event, { signal: abort.signal });
  try {
    const reply = wait('message').then(([message]) => message as ScriptReply);
    const end = wait('exit').then(([code, signal]) => toExitReply(code as number | null, signal as string | null));
    if (child.connected) child.send(request);
    return await Promise.race([reply, end]);
  } finally {
    abort.abort();
  }
}

/** A syntax error of a module has no location; `node --check` prints it. */
function withLocation(reply: ScriptReply, { path }: ScriptChange, { nodePath }: ScriptHost): ScriptReply {
  if (!('thrown' in reply) || reply.thrown.name !== 'SyntaxError' || findLocation(reply.thrown.stack, path))
    return reply;
  const { stderr } = spawnSync(nodePath, ['--check', path], { encoding: 'utf8', timeout: 5000 });
  return { thrown: { ...reply.thrown, stack: stderr } };
}

const toExitReply = (code: number | null, signal: string | null): ScriptReply => ({
  problem: `ended its process (${signal ?? `exit ${code}`}) instead of returning`,
});

/** Creates the error (1) for a script that failed, with the location of the failure and the code around it. */
async function toScriptError(
  reply: ScriptReply,
  { path, typed }: ScriptChange,
  { folder, columns }: { folder?: string; columns: number | undefined },
): Promise<CliError> {
  const subject = folder === undefined ? `could not load the script ${typed}` : `could not change ${folder}`;
  const problem = 'problem' in reply ? reply.problem : 'sent an unknown message';
  if (!('thrown' in reply))
    return new CliError('failed', `${subject}: ${folder === undefined ? 'it' : 'the script'} ${problem}`);
  const { name, message, stack } = reply.thrown;
  const title = name && name !== 'Error' ? `${name}: ${message}` : message;
  const location = findLocation(stack, path);
  if (!location) return new CliError('failed', `${subject}: ${title}`, { details: { folder, name, message } });
  const { line, column } = location;
  const file = toDisplayPath(dirname(typed), location.file);
  const frame =
    columns === undefined ? '' : await formatFailureFrame({ locations: [location] }, dirname(path), undefined, columns);
  return new CliError('failed', `${subject}: ${title} (${file}:${line}:${column})${frame}`, {
    details: { folder, name, message, place: { file, line, column } },
  });
}

/** The innermost location in the script, or in another file of its folder. */
function findLocation(stack = '', path: string): SourceLocation | undefined {
  // Node.js shows the URL of a module that does not compile.
  const withPaths = stack.replace(/^file:\/\/\S+(?=:\d+\n)/, (url) => fileURLToPath(url));
  return findOwnFrames(withPaths, { folder: dirname(path), file: path })[0];
}
