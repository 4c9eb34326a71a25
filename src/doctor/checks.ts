/** The checks of `doctor`, in the order in which they are shown: a new one is a file and a line here. */
import { baseAddress } from './base-url.ts';
import type { Check } from './check.ts';
import { clock } from './clock.ts';
import { configFiles } from './config-files.ts';
import { connection } from './connection.ts';
import { dns } from './dns.ts';
import { key, writing } from './key.ts';
import { lock } from './lockfile.ts';
import { folderTrust } from './own-folders.ts';
import { proxy } from './proxy.ts';
import { service } from './service.ts';
import { history, seen, stateFiles, turns } from './state-files.ts';
import { tls } from './tls.ts';
import { esbuild, libsql, node } from './tools.ts';

export const CHECKS: readonly Check[] = [
  baseAddress,
  proxy,
  dns,
  connection,
  tls,
  service,
  clock,
  key,
  writing,
  node,
  esbuild,
  libsql,
  folderTrust,
  configFiles,
  stateFiles,
  turns,
  history,
  seen,
  lock,
];
