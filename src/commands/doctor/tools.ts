/** What the tool runs on, and the optional packages. */
import { type Check, checkOf, type Finding } from './check.ts';

export const node: Check = checkOf(
  'Node.js',
  ({ host }) => host,
  ({ nodeVersion, nodePath }): Finding => ({ status: 'ok', found: `${nodeVersion} (${nodePath})` }),
);

export const esbuild: Check = checkOf(
  'esbuild',
  async () => (await import('../../code/esbuild-version.ts')).esbuildVersion(),
  (version) => judgePackage('esbuild', 'code.ts and code.mjs', version),
);

export const libsql: Check = checkOf(
  'libsql',
  async () => (await import('../../service/libsql-version.ts')).libsqlVersion(),
  (version) => judgePackage('libsql', 'the embedded service (--local, service start)', version),
);

/** Pure. */
export function judgePackage(name: string, needed: string, version: string | undefined): Finding {
  if (version !== undefined) return { status: 'ok', found: version };
  return {
    status: 'warning',
    found: `cannot be used here; only ${needed} cannot do without it`,
    advice: `to have it: npm install --global formulary-cli ${name}`,
  };
}
