/** Explains why libsql cannot be loaded, and how to fix it. */
import { arch } from 'node:os';
import { CliError } from '../../errors.ts';
import { permissionModelError } from '../../files/file-errors.ts';
import { addonsError } from '../../host/node-options.ts';
import { explainMissingPackage, findReinstallCommand } from '../../host/packages.ts';

const LOADING = 'load libsql, which the embedded service needs';

/** Converts an error of loading libsql to usage (2). */
export function libsqlError(error: unknown): CliError {
  const { code, message } = (error instanceof Error ? error : { message: String(error) }) as NodeJS.ErrnoException;
  if (code === 'ERR_DLOPEN_DISABLED') return addonsError(LOADING);
  const denied = permissionModelError(error);
  if (denied) return denied;
  const { cause, hint } = explain(code, message);
  return new CliError('usage', `could not ${LOADING}: ${cause}`, { hint, cause: error });
}

function explain(code: string | undefined, message: string): { cause: string; hint: string } {
  const [first = ''] = message.trim().split(/\r?\n/);
  const missing = /^Cannot find (?:module|package) '([^']+)'/.exec(first)?.[1];
  const cause = missing === undefined ? first : explainMissing(missing);
  const hint = LOAD_HINTS.find(([pattern]) => code === 'ERR_DLOPEN_FAILED' && pattern.test(first))?.[1];
  return {
    cause: code === 'ERR_DLOPEN_FAILED' ? `${cause} (${code})` : cause,
    hint: hint ?? `To install it, run: ${findReinstallCommand()}`,
  };
}

function explainMissing(name: string): string {
  if (name.startsWith('@libsql/')) return explainMissingPackage(name);
  return /^([a-z]:)?[\\/]/i.test(name) ? `${name} is missing` : `${name} is not installed`;
}

/** Errors of the system's loader that a new installation cannot fix. */
const LOAD_HINTS: readonly [RegExp, string][] = [
  // Windows does not name the missing library.
  [
    /specified module could not be found/i,
    `Install the Microsoft Visual C++ Redistributable: https://aka.ms/vs/17/release/vc_redist.${arch()}.exe`,
  ],
  [/version [`'](GLIBC|GLIBCXX|CXXABI)_/, 'Use an operating system with a newer C library.'],
  [/failed to map segment/, 'Install formulary-cli on a file system that allows programs.'],
];
