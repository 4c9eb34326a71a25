/** Reports features that options of Node.js disable. */
import { CliError } from '../errors.ts';

const getOptions = () => [process.env['NODE_OPTIONS'] ?? '', ...process.execArgv].join(' ').trim();

/** The one hint for all restrictions: it names the variable. */
function getHint(): string {
  const source = process.env['NODE_OPTIONS'] ? 'NODE_OPTIONS' : 'the command line of Node.js';
  return `Change the options in ${source}, which restrict Node.js: ${getOptions()}`;
}

/** Usage (2); `action` follows "could not", `problem` is a sentence about Node.js. */
const restrictionError = (action: string, problem: string) =>
  new CliError('usage', `could not ${action}: ${problem}`, { hint: getHint() });

/** Raises usage (2) if WebAssembly is disabled; `action` follows "could not". */
export function requireWebAssembly(action: string): void {
  if (!('WebAssembly' in globalThis)) throw restrictionError(action, 'Node.js runs without WebAssembly');
}

/** Raises usage (2) if Node.js's own Request and Response are disabled. */
export function requireFetchClasses(action: string): void {
  // On Node.js 20 and 22, their first use compiles WebAssembly.
  if (Number.parseInt(process.versions.node, 10) < 24) requireWebAssembly(action);
  if (!('Response' in globalThis)) throw restrictionError(action, 'Node.js runs without fetch');
}

/** The error for `ERR_DLOPEN_DISABLED`: Node.js does not load native addons. */
export const addonsError = (action: string): CliError =>
  restrictionError(action, 'Node.js does not load native addons');

/** The permissions of the permission model, by the names in its errors. */
const PERMISSIONS = {
  FileSystemRead: { scope: 'fs.read', denied: 'reading it', flag: '--allow-fs-read' },
  FileSystemWrite: { scope: 'fs.write', denied: 'writing it', flag: '--allow-fs-write' },
  ChildProcess: { scope: 'child', denied: 'child processes', flag: '--allow-child-process' },
  WorkerThreads: { scope: 'worker', denied: 'worker threads', flag: '--allow-worker' },
  Net: { scope: 'net', denied: 'network connections', flag: '--allow-net' },
} as const;

type NodePermission = keyof typeof PERMISSIONS;

const formatDenial = (name: string) =>
  `Node.js does not allow ${Object.hasOwn(PERMISSIONS, name) ? PERMISSIONS[name as NodePermission].denied : `access (${name})`}`;

/** Whether the permission model is enabled and denies this. Node.js 20 to 24 have no network permission. */
export function isDenied(name: NodePermission): boolean {
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  const { scope, flag } = PERMISSIONS[name];
  // --permission-audit only reports.
  if (permission === undefined || permission.has(scope) || getOptions().includes('--permission-audit')) return false;
  return process.allowedNodeEnvironmentFlags.has(flag);
}

/** Raises usage (2) if the permission model denies this. */
export function requirePermission(name: NodePermission, action: string): void {
  if (isDenied(name)) throw restrictionError(action, formatDenial(name));
}

/** Explains an error of the permission model; undefined for any other error. */
export function explainDenial(error: unknown): { cause: string; hint: string; resource: string } | undefined {
  const { code, permission, resource } = (error ?? {}) as { code?: unknown; permission?: unknown; resource?: unknown };
  if (code !== 'ERR_ACCESS_DENIED') return undefined;
  return {
    cause: formatDenial(String(permission)),
    hint: getHint(),
    resource: typeof resource === 'string' ? resource : '',
  };
}
