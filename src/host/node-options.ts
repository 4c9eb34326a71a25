/** Explains features that options of Node.js disable. */
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';

/** The first matching option in NODE_OPTIONS or on the command line of Node.js, and where it is set. Pure. */
export function findOption(
  pattern: RegExp,
  nodeOptions: string,
  execArgv: readonly string[],
): { name: string; source: string } | undefined {
  const sources: readonly (readonly [source: string, options: readonly string[]])[] = [
    ['NODE_OPTIONS', nodeOptions.split(/[\s"]+/)],
    ['the command line of Node.js', execArgv],
  ];
  return sources
    .map(([source, options]) => ({ name: options.find((option) => pattern.test(option)) ?? '', source }))
    .find(({ name }) => name !== '');
}

const findSetOption = (pattern: RegExp) => findOption(pattern, process.env['NODE_OPTIONS'] ?? '', process.execArgv);

interface Restriction {
  /** A sentence about Node.js. */
  problem: string;
  /** The options that can cause it. */
  options: RegExp;
  /** The option to add, if removing the other one is not the fix. */
  grant?: string | undefined;
}

/** The cause, with the option that was found, and what to do. */
function explainRestriction({ problem, options, grant }: Restriction): { cause: string; hint: string } {
  const found = findSetOption(options);
  const source = found?.source ?? 'NODE_OPTIONS';
  const change = found ? `Remove ${found.name} from ${source}.` : 'Use another Node.js.';
  return {
    cause: found ? `${problem} (${found.name} in ${source})` : problem,
    hint: grant === undefined ? change : `Add ${grant} to ${source}.`,
  };
}

function restrictionError(action: string, restriction: Restriction): CliError {
  const { cause, hint } = explainRestriction(restriction);
  return new CliError('usage', `could not ${action}: ${cause}`, { hint });
}

/** V8 accepts `_` for `-` in its own options. */
const NO_WASM = /^--(jitless|no-?expose[-_]wasm)$/;

/** Raises usage (2) if WebAssembly is disabled; `action` follows "could not". */
export function requireWebAssembly(action: string): void {
  if ('WebAssembly' in globalThis) return;
  throw restrictionError(action, { problem: 'Node.js runs without WebAssembly', options: NO_WASM });
}

/** Raises usage (2) if Node.js's own Request and Response are disabled. */
export function requireFetchClasses(action: string): void {
  // On Node.js 20 and 22, their first use compiles WebAssembly.
  if (Number.parseInt(process.versions.node, 10) < 24) requireWebAssembly(action);
  if ('Response' in globalThis) return;
  throw restrictionError(action, { problem: 'Node.js runs without fetch', options: /^--no-experimental-fetch$/ });
}

const PERMISSION = /^--(experimental-)?permission(-audit)?$/;
/** Reports denied operations, but allows them. */
const AUDIT = /^--permission-audit$/;

const NO_ADDONS = /^--no-addons$/;

/** The error for `ERR_DLOPEN_DISABLED`: Node.js does not load native addons. */
export function addonsError(action: string): CliError {
  const problem = 'Node.js does not load native addons';
  const isDisabled = findSetOption(NO_ADDONS) !== undefined;
  return restrictionError(
    action,
    isDisabled ? { problem, options: NO_ADDONS } : { problem, options: PERMISSION, grant: '--allow-addons' },
  );
}

/** The permissions of the permission model, by the names in its errors. */
const PERMISSIONS = {
  FileSystemRead: { scope: 'fs.read', denied: 'reading it', grant: '--allow-fs-read' },
  FileSystemWrite: { scope: 'fs.write', denied: 'writing it', grant: '--allow-fs-write' },
  ChildProcess: { scope: 'child', denied: 'child processes', grant: '--allow-child-process' },
  WorkerThreads: { scope: 'worker', denied: 'worker threads', grant: '--allow-worker' },
  Net: { scope: 'net', denied: 'network connections', grant: '--allow-net' },
} as const;

type NodePermission = keyof typeof PERMISSIONS;

const { permission: model } = process as { permission?: { has(scope: string): boolean } };

/** Whether the permission model is enabled and denies this. Node.js 20 to 24 have no network permission. */
export function isDenied(name: NodePermission): boolean {
  const { scope, grant } = PERMISSIONS[name];
  if (model === undefined || model.has(scope) || findSetOption(AUDIT)) return false;
  return process.allowedNodeEnvironmentFlags.has(grant);
}

/** Raises usage (2) if the permission model denies this. */
export function requirePermission(name: NodePermission, action: string): void {
  if (isDenied(name)) throw restrictionError(action, toRestriction(name));
}

/** Explains an error of the permission model; undefined for any other error. */
export function explainDenial(error: unknown): { cause: string; hint: string; resource: string } | undefined {
  const { code, permission, resource } = (error ?? {}) as { code?: unknown; permission?: unknown; resource?: unknown };
  if (code !== 'ERR_ACCESS_DENIED') return undefined;
  const path = typeof resource === 'string' ? resource : '';
  return { ...explainRestriction(toRestriction(String(permission), path)), resource: path };
}

function toRestriction(name: string, path = ''): Restriction {
  const known = (PERMISSIONS as Record<string, { denied: string; grant: string }>)[name];
  const problem = `Node.js does not allow ${known?.denied ?? `access (${name})`}`;
  // Files are usually written as temporary files in the same folder.
  const granted = name === 'FileSystemWrite' ? dirname(path) : path;
  const value = path !== '' && name.startsWith('FileSystem') ? `=${/\s/.test(path) ? `"${granted}"` : granted}` : '';
  return { problem, options: PERMISSION, grant: known && known.grant + value };
}
