/** Reports the version of Node.js, and checks the optional packages. */
import { existsSync } from 'node:fs';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type FoundNode, findNode } from '../run/run-flags.ts';
import type { CheckResult } from '../views/doctor-view.ts';
import { type Check, defineCheck } from './check.ts';

export const node: Check = defineCheck(
  'Node.js',
  ({ host }) => host,
  ({ nodeVersion, nodePath }): CheckResult => ({ status: 'ok', found: `${nodeVersion} (${nodePath})` }),
);

/** Node.js 16 runs formula code as the service does. */
export const formulaNode: Check = defineCheck('Node.js 16', ({ host }) => findFormulaNode(host), evaluateFormulaNode);

interface FormulaNodeFacts extends FoundNode {
  exists: boolean;
  /** The version of this Node.js. */
  nodeVersion: string;
}

function findFormulaNode(host: Host): FormulaNodeFacts {
  const found = findNode(host.env['FORMULARY_NODE'] || undefined, host);
  return { ...found, exists: existsSync(found.path), nodeVersion: host.nodeVersion };
}

/** Pure. */
export function evaluateFormulaNode({ path, isFallback, exists, nodeVersion }: FormulaNodeFacts): CheckResult {
  if (!exists) {
    const advice = 'Set FORMULARY_NODE to the path of a Node.js executable, or unset it.';
    return { status: 'failed', found: `FORMULARY_NODE: ${path} does not exist`, advice, code: 'usage' };
  }
  if (!isFallback) return { status: 'ok', found: path };
  const advice = 'To run formula code as the service does, install Node.js 16 and set FORMULARY_NODE to its path.';
  return { status: 'warning', found: `not found; formula code runs on Node.js ${nodeVersion}`, advice };
}

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
