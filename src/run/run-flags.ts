/** Flags that `formula run` and `formula test` share. */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { attempt, CliError } from '../errors.ts';
import { findRealPath, getPlatformPaths } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import type { Inspection } from './invoke.ts';
import type { ExitReason } from './protocol.ts';

const MAX_SECONDS = 86_400;

/** Parses --timeout, in seconds (default: 10). Raises usage (2). */
export function parseTimeout(text: string | undefined): number {
  const seconds = Number(text ?? 10);
  if (text?.trim() !== '' && seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new CliError(
    'usage',
    `invalid value "${text}" for --timeout: must be a number of seconds above 0 and at most ${MAX_SECONDS}`,
  );
}

/**
 * The Node.js that runs the code: that of --node, otherwise of FORMULARY_NODE, otherwise a Node.js 16 if there is one; if
 * there is none, with a hint.
 */
export function selectNode(requested: string | undefined, host: Host) {
  const { path, isFallback } = findNode(requested ?? (host.env['FORMULARY_NODE'] || undefined), host);
  const fallbackHint = `The code ran on Node.js ${host.nodeVersion}. To run it on Node.js 16, as the service does, set FORMULARY_NODE or pass --node.`;
  return { nodePath: path, fallbackHint: isFallback ? fallbackHint : undefined };
}

/** Raises interrupted, or usage (2), if the code was not run. */
export function assertStarted(exitReason: ExitReason, node: string): void {
  if (exitReason.kind === 'stopped') throw new CliError('interrupted', 'interrupted');
  if (exitReason.kind === 'port-in-use')
    throw new CliError('usage', `port ${exitReason.port} is already in use`, {
      hint: 'Pass another one with --inspect=PORT.',
    });
  if (exitReason.kind === 'not-started')
    throw new CliError('usage', `could not run the code with ${node}: ${exitReason.reason}`, {
      hint: 'Use the path of a Node.js executable in --node or FORMULARY_NODE.',
    });
}

/** A note for each package that a stand-in of the tool replaced. */
export const formatStandInNotes = (names: readonly string[]): string[] =>
  [...new Set(names)].map((name) => `note: ${name} is not installed; its error classes are replaced by a stand-in`);

const DEFAULT_INSPECT_PORT = 9229;
/** How long to wait for a debugger. */
const ATTACH_MS = 60_000;

/** Parses --inspect; `write` gets instructions for attaching. Raises usage (2). */
export function parseInspect(typed: string | true | undefined, write: (text: string) => void): Inspection | undefined {
  if (typed === undefined) return undefined;
  const port = typed === true ? DEFAULT_INSPECT_PORT : /^\d{1,5}$/.test(typed) ? Number(typed) : 0;
  if (port < 1 || port > 65_535)
    throw new CliError('usage', `invalid value "${typed}" for --inspect: must be a port from 1 to 65535`);
  const text = `Waiting for a debugger on 127.0.0.1:${port}. Open chrome://inspect, or attach your editor to that port.\n`;
  return { port, attachMs: ATTACH_MS, onWaiting: () => write(text) };
}

/** The path of a flag's file. Raises usage (2) if it does not exist. */
export function resolveFile(flag: string, typed: string, host: Pick<Host, 'cwd'>): string {
  const path = resolve(host.cwd(), typed);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw new CliError('usage', `invalid value "${typed}" for ${flag}: must be an existing file`);
}

const NAMES = ['node16', 'node-16'];

/**
 * Runs `node --version` of executables on the PATH, and nothing else. `isFallback`: it is the tool's own, because no
 * Node.js 16 was found.
 */
export function findNode(requested: string | undefined, host: Pick<Host, 'cwd' | 'env' | 'nodePath' | 'platform'>) {
  const folders = (host.env['PATH'] ?? host.env['Path'] ?? '').split(delimiter).filter(Boolean);
  // On Windows, a program may be named with or without its extension.
  const suffixes = host.platform === 'win32' ? ['.exe', ''] : [''];
  const findOnPath = (name: string) =>
    folders
      .flatMap((folder) => suffixes.map((suffix) => join(folder, name + suffix)))
      .filter((path) => existsSync(path));
  if (requested !== undefined) {
    const isName = getPlatformPaths(host.platform).basename(requested) === requested;
    const path = isName ? findOnPath(requested)[0] : undefined;
    return { path: path ?? resolve(host.cwd(), requested), isFallback: false };
  }
  const isOther = (path: string) => findRealPath(path) !== findRealPath(host.nodePath);
  const path = NAMES.flatMap(findOnPath)[0] ?? findOnPath('node').filter(isOther).find(isNode16);
  return path === undefined ? { path: host.nodePath, isFallback: true } : { path, isFallback: false };
}

function isNode16(path: string): boolean {
  const options = { encoding: 'utf8', env: {}, timeout: 5000, stdio: 'pipe' } as const;
  return attempt(() => execFileSync(path, ['--version'], options))?.startsWith('v16.') === true;
}
