/** The checks of `doctor`, in display order. */
import type { Check } from './check.ts';
import { lockfile } from './lockfile.ts';
import { connection, dns, proxy } from './network.ts';
import { configFiles, folderTrust, stateFolder, temporaryFolder } from './own-folders.ts';
import { baseUrlCheck, key, service } from './service.ts';
import { tls } from './tls.ts';
import { esbuild, formulaNode, libsql, node } from './tools.ts';

export const CHECKS: readonly Check[] = [
  baseUrlCheck,
  proxy,
  dns,
  connection,
  tls,
  service,
  key,
  node,
  formulaNode,
  esbuild,
  libsql,
  folderTrust,
  configFiles,
  stateFolder,
  temporaryFolder,
  lockfile,
];
