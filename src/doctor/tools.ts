/** Reports the version of Node.js, and checks the optional packages. */
import { existsSync } from 'node:fs';
import { CliError } from '../errors.ts';
import { findNode } from '../run/run-flags.ts';
import type { CheckResult } from '../views/doctor-view.ts';
import type { Check } from './check.ts';

export const checkNode: Check = ({ host }) => ({ status: 'ok', found: `${host.nodeVersion} (${host.nodePath})` });

/** Node.js 16 runs formula code as the service does. */
export const checkFormulaNode: Check = ({ host }) => {
  const { path, isFallback } = findNode(host.env['FORMULARY_NODE'] || undefined, host);
  if (!existsSync(path)) {
    const advice = 'Set FORMULARY_NODE to the path of a Node.js executable, or unset it.';
    return { status: 'failed', found: `FORMULARY_NODE: ${path} does not exist`, advice, code: 'usage' };
  }
  if (!isFallback) return { status: 'ok', found: path };
  const advice = 'To run formula code as the service does, install Node.js 16 and set FORMULARY_NODE to its path.';
  return { status: 'warning', found: `not found; formula code runs on Node.js ${host.nodeVersion}`, advice };
};

export const checkEsbuild: Check = () =>
  checkPackage(async () => (await import('../code/bundle/esbuild.ts')).getEsbuildVersion());

export const checkLibsql: Check = () =>
  checkPackage(async () => (await import('../service/store/libsql.ts')).readLibsqlVersion());

/** A warning, because most commands work without the optional packages. */
async function checkPackage(readVersion: () => Promise<string>): Promise<CheckResult> {
  try {
    return { status: 'ok', found: await readVersion() };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { status: 'warning', found: error.message, advice: error.hint };
  }
}
