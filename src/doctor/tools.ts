/** Checks the Node.js that runs formula code, and the optional packages. */
import { existsSync } from 'node:fs';
import { CliError } from '../errors.ts';
import { findNode } from '../run/run-flags.ts';
import type { CheckResult } from '../views/doctor-view.ts';
import { type Check, mergeResults } from './check.ts';

/** Node.js 16 runs formula code as the service does. */
export const checkNode: Check = ({ host }) => {
  const own = `formulary runs on Node.js ${host.nodeVersion} (${host.nodePath})`;
  const { path, isFallback } = findNode(host.env['FORMULARY_NODE'] || undefined, host);
  if (!existsSync(path)) {
    const advice = 'Set FORMULARY_NODE to the path of a Node.js executable, or unset it.';
    return { status: 'failed', found: `${own}; FORMULARY_NODE: ${path} does not exist`, advice, code: 'usage' };
  }
  if (!isFallback) return { status: 'ok', found: `${own}, formula code on ${path}` };
  const advice = 'To run formula code as the service does, install Node.js 16 and set FORMULARY_NODE to its path.';
  return { status: 'warning', found: `${own}, formula code too, because Node.js 16 was not found`, advice };
};

export const checkPackages: Check = async () =>
  mergeResults([
    await checkPackage('esbuild', async () => (await import('../code/bundle/esbuild.ts')).getEsbuildVersion()),
    await checkPackage('libsql', async () => (await import('../service/store/libsql.ts')).readLibsqlVersion()),
  ]);

/** A warning, because most commands work without the optional packages. */
async function checkPackage(name: string, readVersion: () => Promise<string>): Promise<CheckResult> {
  try {
    return { status: 'ok', found: `${name}: ${await readVersion()}` };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { status: 'warning', found: error.message, advice: error.hint };
  }
}
