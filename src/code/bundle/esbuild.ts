/** Loads esbuild: its API is part of the tool, its program an optional package. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { attempt, CliError } from '../../errors.ts';
import { permissionModelError } from '../../files/file-errors.ts';
import { requirePermission } from '../../host/node-options.ts';
import { explainMissingPackage, findReinstallCommand, requireFromTool } from '../../host/packages.ts';

const PURPOSE = 'load esbuild, which bundles code.ts and code.mjs';

/** The API starts the program when it is first used. Raises usage (2) if Node.js may not start programs. */
export async function loadEsbuild(): Promise<typeof import('esbuild')> {
  requirePermission('ChildProcess', PURPOSE);
  return await import('esbuild');
}

/** Starts esbuild. Raises usage (2) if it cannot be started. */
export async function getEsbuildVersion(): Promise<string> {
  const { transform, version } = await loadEsbuild();
  try {
    await transform('');
    return version;
  } catch (error) {
    throw toEsbuildError(error);
  }
}

/** The usage error (2) for a failure of esbuild that the sources did not cause. */
export function toEsbuildError(error: unknown): CliError {
  const denied = permissionModelError(error);
  if (denied) return denied;
  // Without a problem now, the program ended in the meantime.
  const problem = diagnoseEsbuild() ?? { cause: getFirstLine(error), hint: 'Run the command again.' };
  const hint = problem.hint ?? `To install it, run: ${findReinstallCommand()}`;
  return new CliError('usage', `could not ${PURPOSE}: ${problem.cause}`, { hint, cause: error });
}

interface EsbuildProblem {
  cause: string;
  hint?: string;
}

/** Starts the installed program to check it. */
export const isEsbuildBroken = (): boolean => diagnoseEsbuild() !== undefined;

/** The problem of the installed program; undefined if it works. */
function diagnoseEsbuild(): EsbuildProblem | undefined {
  const key = `${platform()}-${arch()}`;
  const name = `@esbuild/${key}`;
  const required = readInstalledPackage('formulary-cli')?.optionalDependencies?.[name];
  if (required === undefined) return { cause: `esbuild does not support ${key}`, hint: 'Use code.js instead.' };
  const version = readInstalledPackage(name)?.version;
  if (version === undefined) return { cause: explainMissingPackage(name) };
  if (version !== required) return { cause: `${name} has version ${version}, but ${required} is required` };
  return tryProgram(name);
}

/** The package.json of an installed package. */
const readInstalledPackage = (name: string) =>
  attempt<{ version?: string; optionalDependencies?: Record<string, string> }>(() =>
    requireFromTool(`${name}/package.json`),
  );

const TIMEOUT_MS = 5000;

function tryProgram(name: string): EsbuildProblem | undefined {
  const file = requireFromTool
    .resolve(`${name}/package.json`)
    .replace(/package\.json$/, platform() === 'win32' ? 'esbuild.exe' : 'bin/esbuild');
  const { error, status, signal, stderr } = spawnSync(file, ['--version'], {
    encoding: 'utf8',
    env: {},
    timeout: TIMEOUT_MS,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ENOENT') return { cause: `${file} is missing` };
  if (code === 'EACCES') return describeNotExecutable(file);
  if (code !== undefined) return { cause: `${file} could not be started (${code})` };
  if (status === 0) return undefined;
  return { cause: `${file} ended with ${signal ?? `exit code ${status}`}${stderr ? `: ${getFirstLine(stderr)}` : ''}` };
}

function describeNotExecutable(file: string): EsbuildProblem {
  const cause = `${file} is not executable (EACCES)`;
  const isAllowed = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o111;
  return isAllowed ? { cause, hint: 'Install formulary-cli on a file system that allows programs.' } : { cause };
}

const getFirstLine = (error: unknown) =>
  String(error instanceof Error ? error.message : error)
    .trim()
    .split('\n')[0] ?? '';
