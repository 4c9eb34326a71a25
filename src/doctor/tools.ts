/** Reports the version of Node.js, and checks the optional packages. */
import { CliError } from '../errors.ts';
import { type Check, type CheckResult, defineCheck } from './check.ts';

export const node: Check = defineCheck(
  'Node.js',
  ({ host }) => host,
  ({ nodeVersion, nodePath }): CheckResult => ({ status: 'ok', found: `${nodeVersion} (${nodePath})` }),
);

export const esbuild: Check = defineCheck(
  'esbuild',
  () => tryReadVersion(async () => (await import('../code/bundle/esbuild.ts')).getEsbuildVersion()),
  evaluatePackage,
);

export const libsql: Check = defineCheck(
  'libsql',
  () => tryReadVersion(async () => (await import('../service/store/libsql-version.ts')).readLibsqlVersion()),
  evaluatePackage,
);

async function tryReadVersion(check: () => Promise<string>): Promise<string | CliError> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** A warning, because most commands work without the optional packages. Pure. */
export function evaluatePackage(version: string | CliError): CheckResult {
  if (typeof version === 'string') return { status: 'ok', found: version };
  return { status: 'warning', found: version.message, advice: version.hint };
}
