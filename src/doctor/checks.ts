/** The checks of `doctor`, in display order. */
import { baseUrlCheck } from './base-url.ts';
import type { Check } from './check.ts';
import { configFiles } from './config-files.ts';
import { connection } from './connection.ts';
import { dns } from './dns.ts';
import { key } from './key.ts';
import { lockfile } from './lockfile.ts';
import { folderTrust } from './own-folders.ts';
import { proxy } from './proxy.ts';
import { service } from './service.ts';
import { stateFolder } from './state-folder.ts';
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
  lockfile,
];
