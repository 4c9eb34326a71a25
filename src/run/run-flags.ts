/** What run and test share: which Node.js, how long, and how a failure is shown. */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Bundle } from '../code/bundle/bundle.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { escapeControlsByLine } from '../output/escape.ts';
import type { InvocationFailure } from './failure.ts';
import { findNode } from './find-node.ts';
import type { Inspection } from './invoke.ts';
import type { ExitReason } from './protocol.ts';

const MAX_SECONDS = 86_400;

/** The time limit of --timeout, 10 seconds without it. Raises usage (2). */
export function parseTimeout(text: string | undefined): number {
  const seconds = Number(text ?? 10);
  if (text?.trim() !== '' && seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new CliError('usage', `--timeout is "${text}"; wanted is a number of seconds above 0, at most ${MAX_SECONDS}`);
}

/** The Node.js that runs the code; says so where it is not the one that the service has. */
export function selectNode(requested: string | undefined, host: Host, note: (text: string) => void): string {
  const { path, isFallback } = findNode(requested, host);
  if (isFallback)
    note(
      `note: no Node.js 16 was found (node16 or node-16 on the PATH, or --node PATH); the code runs on this Node.js ${host.nodeVersion}`,
    );
  return path;
}

/** Raises where the code was not run at all: interrupted, or usage (2) where the Node.js is none. */
export function assertStarted(exitReason: ExitReason, node: string): void {
  if (exitReason.kind === 'stopped') throw new CliError('interrupted', 'interrupted');
  if (exitReason.kind === 'port-in-use')
    throw new CliError('usage', `port ${exitReason.port} is already in use`, {
      hint: 'Pass another one with --inspect=PORT.',
    });
  if (exitReason.kind === 'not-started')
    throw new CliError('usage', `the code was not run by ${node}: ${exitReason.reason}`, {
      hint: 'name a Node.js with --node PATH',
    });
}

/** Says which packages a stand-in of the tool replaced, each once. */
export const standInNotes = (names: readonly string[]): string[] =>
  [...new Set(names)].map((name) => `note: ${name} is not installed; its error classes are replaced by a stand-in`);

/** The port of --inspect. Raises usage (2). */
function parseInspectPort(typed: string | true | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const port = typed === true ? DEFAULT_INSPECT_PORT : /^\d{1,5}$/.test(typed) ? Number(typed) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new CliError('usage', `invalid value "${typed}" for --inspect: must be a port from 1 to 65535`);
}

const DEFAULT_INSPECT_PORT = 9229;
/** How long a debugger is waited for. */
const ATTACH_MS = 60_000;

/** How to use the debugger, once it is waited for. */
const formatInspectText = (port: number): string =>
  `Waiting for a debugger on 127.0.0.1:${port}. Open chrome://inspect, or attach your editor to that port.\n`;

/** Parses --inspect; `write` gets the text that says how to attach. Raises usage (2). */
export function parseInspect(typed: string | true | undefined, write: (text: string) => void): Inspection | undefined {
  const port = parseInspectPort(typed);
  if (port === undefined) return undefined;
  return { port, attachMs: ATTACH_MS, onWaiting: () => write(formatInspectText(port)) };
}

/** The path of a file that a flag names. Raises usage (2) when there is none. */
export function resolveFile(flag: string, typed: string | undefined, host: Host): string | undefined {
  if (typed === undefined) return undefined;
  const path = resolve(host.cwd(), typed);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw new CliError('usage', `${flag}: there is no file ${typed}`, { hint: 'check the path' });
}

/** Prints what the code writes as whole lines, so that they cannot drive the terminal; ends after the first MiB. */
export function createLinePrinter(write: (text: string) => void): { take(text: string): void; end(): void } {
  const limit = 2 ** 20;
  let [rest, shown] = ['', 0];
  const show = (text: string) => {
    if (shown > limit) return;
    shown += text.length;
    write(escapeControlsByLine(text));
    if (shown > limit) write('… the code writes more, which is not shown\n');
  };
  return {
    take: (text) => {
      rest += text;
      const end = rest.lastIndexOf('\n') + 1;
      if (end > 0) show(rest.slice(0, end));
      // A line without end is cut, and kept from filling the memory.
      rest = rest.length - end > limit ? '' : rest.slice(end);
    },
    end: () => {
      if (rest) show(`${rest}\n`);
    },
  };
}

/** The lines around the first place of a failure, as text below its message; empty where there are none. */
export async function formatFailureFrame(
  { locations: [place] }: InvocationFailure,
  folder: string,
  bundle: Bundle | undefined,
  width: number,
): Promise<string> {
  if (!place) return '';
  const text = bundle?.sources.get(place.file) ?? readText(join(folder, place.file));
  if (text === undefined) return '';
  const { createFrameFormatter } = await import('../output/code-frame.ts');
  return `\n${createFrameFormatter(place.file, text, width)(place)}`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch {
    return undefined;
  }
}
