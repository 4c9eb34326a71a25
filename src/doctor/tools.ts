/** What the tool runs on, and the optional packages. */
import { CliError } from '../errors.ts';
import { type Check, checkOf, type Finding } from './check.ts';

export const node: Check = checkOf(
  'Node.js',
  ({ host }) => host,
  ({ nodeVersion, nodePath }): Finding => ({ status: 'ok', found: `${nodeVersion} (${nodePath})` }),
);

export const esbuild: Check = checkOf(
  'esbuild',
  () => versionOrError(async () => (await import('../code/bundle/esbuild.ts')).checkEsbuild()),
  judgePackage,
);

export const libsql: Check = checkOf(
  'libsql',
  () => versionOrError(async () => (await import('../service/store/libsql-version.ts')).checkLibsql()),
  judgePackage,
);

async function versionOrError(check: () => Promise<string>): Promise<string | CliError> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** Pure. A warning, since most commands do without the optional packages. */
export function judgePackage(known: string | CliError): Finding {
  if (typeof known === 'string') return { status: 'ok', found: known };
  return { status: 'warning', found: known.message, advice: known.hint };
}
