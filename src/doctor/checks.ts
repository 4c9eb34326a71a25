/** The checks of `doctor`, in the order in which they are shown: a new one is a file and a line here. */
import { baseUrlCheck } from './base-url.ts';
import type { Check } from './check.ts';
import { clock } from './clock.ts';
import { configFiles } from './config-files.ts';
import { connection } from './connection.ts';
import { dns } from './dns.ts';
import { key, writeAccess } from './key.ts';
import { lockfile } from './lockfile.ts';
import { folderTrust } from './own-folders.ts';
import { proxy } from './proxy.ts';
import { service } from './service.ts';
import { baselines, history, stateFiles, writeLock } from './state-files.ts';
import { tls } from './tls.ts';
import { esbuild, libsql, node } from './tools.ts';

export const CHECKS: readonly Check[] = [
  baseUrlCheck,
  proxy,
  dns,
  connection,
  tls,
  service,
  clock,
  key,
  writeAccess,
  node,
  esbuild,
  libsql,
  folderTrust,
  configFiles,
  stateFiles,
  writeLock,
  history,
  baselines,
  lockfile,
];
