/** The checks of `doctor`, in display order. */
import type { Check } from './check.ts';
import { checkLockfiles } from './lockfile.ts';
import { checkDns, checkProxy, checkTls } from './network.ts';
import { checkOwnFolders } from './own-folders.ts';
import { checkBaseUrl, checkKey, checkService } from './service.ts';
import { checkEsbuild, checkFormulaNode, checkLibsql, checkNode } from './tools.ts';

export const CHECKS: Readonly<Record<string, Check>> = {
  'base URL': checkBaseUrl,
  proxy: checkProxy,
  DNS: checkDns,
  TLS: checkTls,
  service: checkService,
  key: checkKey,
  'Node.js': checkNode,
  'Node.js 16': checkFormulaNode,
  esbuild: checkEsbuild,
  libsql: checkLibsql,
  'own folders': checkOwnFolders,
  'lock file': checkLockfiles,
};
