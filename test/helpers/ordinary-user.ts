/** The built tool run by an ordinary user: without root's permissions, whoever runs the tests and wherever the clone is. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { installedTool } from './installed-tool.ts';

const ROOT = join(import.meta.dirname, '../..');
const isRoot = process.geteuid?.() === 0;

/** A user without a name, an entry in /etc/passwd, or files: the one that tests of root switch to. */
const OTHER = { uid: 54_321, gid: 54_321 };

/** The files that libsql requires, in addition to the package of the platform. */
const LIBSQL = ['libsql', '@libsql', '@neon-rs', 'detect-libc'];

export interface OrdinaryUser {
  /** A folder that this user owns and others can enter. */
  folder: string;
  /** Runs a command line in the working folder `/`. */
  formulary(
    words: readonly string[],
    env?: Record<string, string>,
  ): { status: number | null; stdout: string; stderr: string };
  /** Gives the user what tests made below the folder. */
  own(path: string): void;
}

/**
 * As an ordinary user: that user, and the tool of this project. As root: another user, with an installation that
 * anybody can read, since the clone (or Node.js) may be in a folder that only root can enter.
 */
export function ordinaryUser(): OrdinaryUser {
  const parent = openFolder();
  const folder = join(parent, 'folder');
  mkdirSync(folder);
  const { node, tool } = isRoot
    ? { node: openNode(parent), tool: openTool(parent) }
    : { node: process.execPath, tool: join(ROOT, 'bin/formulary.js') };
  const own = (path: string) => {
    if (isRoot) chownSync(path, OTHER.uid, OTHER.gid);
  };
  own(folder);
  return {
    folder,
    own,
    formulary: (words, env = {}) =>
      spawnSync(node, [tool, ...words], { encoding: 'utf8', cwd: '/', env, ...(isRoot && OTHER) }),
  };
}

/** A temporary folder that others can enter, and run programs in. */
function openFolder(): string {
  for (const place of [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']) {
    if (!existsSync(place)) continue;
    const folder = mkdtempSync(join(place, 'formulary-open-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    if (!isRoot || canRun(script(folder))) return folder;
  }
  throw new Error('no temporary folder that another user can enter: set TMPDIR to one');
}

function script(folder: string): string {
  const file = join(folder, 'probe');
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

const canRun = (program: string, ...words: string[]) => spawnSync(program, words, OTHER).status === 0;

function openNode(parent: string): string {
  if (canRun(process.execPath, '--version')) return process.execPath;
  const copy = join(parent, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  return copy;
}

function openTool(parent: string): string {
  const tool = join(parent, 'tool');
  cpSync(installedTool(), tool, { recursive: true });
  for (const name of LIBSQL)
    cpSync(join(ROOT, 'node_modules', name), join(tool, 'node_modules', name), { recursive: true });
  for (const entry of readdirSync(tool, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  chmodSync(tool, 0o755);
  return join(tool, 'bin/formulary.js');
}
