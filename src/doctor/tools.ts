/** What the tool runs on, and the optional packages. */
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

/** Pure. A warning, since most commands do without the optional packages. */
export function evaluatePackage(version: string | CliError): CheckResult {
  if (typeof version === 'string') return { status: 'ok', found: version };
  return { status: 'warning', found: version.message, advice: version.hint };
}
