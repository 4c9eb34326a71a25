/** Runs scripts of `formula edit --script`, each in a process of its own, without the tool's secrets. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CliError } from '../errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import scriptChild from '../generated/script-child.js';
import type { Host } from '../host/host.ts';
import { requirePermission } from '../host/node-options.ts';
import { createFrameFormatter } from '../output/code-frame.ts';
import { createLinePrinter } from '../output/line-printer.ts';
import { killAll } from '../run/child-process.ts';
import { findOwnFrames } from '../run/stack-frames.ts';
import type { ScriptChange } from './parse-changes.ts';
import type { ScriptFormula, ScriptReply, ScriptRequest } from './script-protocol.ts';

/** Passes a formula to a script and returns what it makes of it. Raises failed (1) with the place. */
export type ScriptRunner = (
  script: ScriptChange,
  formula: ScriptFormula,
) => Promise<Pick<ScriptFormula, 'manifest' | 'code'>>;

export interface Scripts {
  run: ScriptRunner;
  /** Ends all processes, after what they printed was passed on. */
  close(): Promise<void>;
}

type ScriptHost = Pick<Host, 'nodePath' | 'platform' | 'cwd'> & { stderr: Pick<Host['stderr'], 'write' | 'columns'> };

/** A process is started when its script is first used. Errors show lines of the script unless `isJson`. */
export function openScripts(host: ScriptHost, { isJson }: { isJson: boolean }): Scripts {
  const running = new Map<ScriptChange, Promise<Running>>();
  return {
    run: async (script, formula) => {
      const starting = running.get(script) ?? startScript(script, host, isJson);
      running.set(script, starting);
      const reply = await (await starting).ask({ formula });
      if ('manifest' in reply) return reply;
      throw scriptError(reply, script, { folder: formula.folder, columns: isJson ? undefined : host.stderr.columns });
    },
    close: async () => {
      await Promise.all(
        [...running.values()].map((starting) => starting.then(({ end }) => end()).catch(() => undefined)),
      );
    },
  };
}

interface Running {
  ask(request: ScriptRequest): Promise<ScriptReply>;
  end(): Promise<void>;
}

/** How long output is waited for after the process ended. */
const MAX_DRAIN_MS = 1000;

async function startScript(script: ScriptChange, host: ScriptHost, isJson: boolean): Promise<Running> {
  requirePermission('ChildProcess', 'run the script');
  // The environment of this process: the secrets of the tool were removed from it at the start.
  const child = spawn(host.nodePath, ['-e', scriptChild], {
    cwd: host.cwd(),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A process group of its own, so that everything that the script started can be ended with it.
    detached: host.platform !== 'win32',
    windowsHide: true,
  });
  const printer = createLinePrinter((text) => host.stderr.write(text));
  const streams = [child.stdout, child.stderr].flatMap((stream) => stream ?? []);
  for (const stream of streams) stream.setEncoding('utf8').on('data', printer.take);
  const closed = Promise.all(streams.map((stream) => once(stream, 'close')));
  const running: Running = {
    ask: (request) => ask(child, request),
    end: async () => {
      killAll(child);
      // A process that has left the group may hold the pipes open.
      await Promise.race([closed, delay(MAX_DRAIN_MS, undefined, { ref: false })]);
      printer.end();
    },
  };
  const reply = await running.ask({ script: script.path });
  if ('ready' in reply) return running;
  await running.end();
  throw scriptError(withPlace(reply, script, host), script, { columns: isJson ? undefined : host.stderr.columns });
}

/** The reply to a request, or how the process ended before one. */
async function ask(child: ChildProcess, request: ScriptRequest): Promise<ScriptReply> {
  if (child.exitCode !== null || child.signalCode !== null) return ended(child.exitCode, child.signalCode);
  const abort = new AbortController();
  const wait = (event: string) => once(child, event, { signal: abort.signal });
  try {
    const reply = wait('message').then(([message]) => message as ScriptReply);
    const end = wait('exit').then(([code, signal]) => ended(code as number | null, signal as string | null));
    if (child.connected) child.send(request);
    return await Promise.race([reply, end]);
  } finally {
    abort.abort();
  }
}

/** An error about the syntax of a module has no place; `node --check` prints it. */
function withPlace(reply: ScriptReply, { path }: ScriptChange, { nodePath }: ScriptHost): ScriptReply {
  if (!('thrown' in reply) || reply.thrown.name !== 'SyntaxError' || findPlace(reply.thrown.stack, path)) return reply;
  const { stderr } = spawnSync(nodePath, ['--check', path], { encoding: 'utf8', timeout: 5000 });
  return { thrown: { ...reply.thrown, stack: stderr } };
}

const ended = (code: number | null, signal: string | null): ScriptReply => ({
  problem: `ended its process (${signal ?? `exit ${code}`}) instead of returning`,
});

/** The error (1) of a script that failed, with the place and its lines. */
function scriptError(
  reply: ScriptReply,
  { path, typed }: ScriptChange,
  { folder, columns }: { folder?: string; columns: number | undefined },
): CliError {
  const subject = folder === undefined ? `could not load the script ${typed}` : `could not change ${folder}`;
  const problem = 'problem' in reply ? reply.problem : 'sent an unknown message';
  if (!('thrown' in reply))
    return new CliError('failed', `${subject}: ${folder === undefined ? 'it' : 'the script'} ${problem}`);
  const { name, message, stack } = reply.thrown;
  const title = name && name !== 'Error' ? `${name}: ${message}` : message;
  const place = findPlace(stack, path);
  if (!place) return new CliError('failed', `${subject}: ${title}`, { details: { folder, name, message } });
  const { line, column } = place;
  const file = toDisplayPath(dirname(typed), place.file);
  const frame = columns === undefined ? '' : frameAt(place, dirname(path), columns);
  return new CliError('failed', `${subject}: ${title} (${file}:${line}:${column})${frame}`, {
    details: { folder, name, message, place: { file, line, column } },
  });
}

interface Place {
  file: string;
  line: number;
  column: number;
}

/** The innermost place in the script, or in a file next to it or below. */
function findPlace(stack = '', path: string): Place | undefined {
  // A module that does not compile is named by its URL.
  const withPaths = stack.replace(/^file:\/\/\S+(?=:\d+\n)/, (url) => fileURLToPath(url));
  return findOwnFrames(withPaths, { folder: dirname(path), file: path })[0];
}

function frameAt(place: Place, folder: string, columns: number): string {
  try {
    return `\n${createFrameFormatter(place.file, readFileSync(join(folder, place.file), 'utf8'), columns)(place)}`;
  } catch {
    return '';
  }
}
