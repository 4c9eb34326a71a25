/** Finds the Node.js that runs the code: the requested one, a Node.js 16 on the PATH, or the tool's own. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { findRealPath, getPlatformPaths } from '../files/paths.ts';
import type { Host } from '../host/host.ts';

export interface FoundNode {
  path: string;
  /** Whether it is the tool's own, because no Node.js 16 was found. */
  isFallback: boolean;
}

const NAMES = ['node16', 'node-16'];

/** Runs `node --version` of executables on the PATH, and nothing else. */
export function findNode(
  requested: string | undefined,
  host: Pick<Host, 'cwd' | 'env' | 'nodePath' | 'platform'>,
): FoundNode {
  const folders = (host.env['PATH'] ?? host.env['Path'] ?? '').split(delimiter).filter(Boolean);
  // On Windows, a program may be named with or without its extension.
  const suffixes = host.platform === 'win32' ? ['.exe', ''] : [''];
  const findOnPath = (name: string) =>
    folders
      .flatMap((folder) => suffixes.map((suffix) => join(folder, name + suffix)))
      .filter((path) => existsSync(path));
  if (requested !== undefined) {
    const isName = getPlatformPaths(host.platform).basename(requested) === requested;
    const path = isName ? findOnPath(requested)[0] : undefined;
    return { path: path ?? resolve(host.cwd(), requested), isFallback: false };
  }
  const path = NAMES.flatMap(findOnPath)[0] ?? removeDuplicates(findOnPath('node'), host.nodePath).find(isNode16);
  return path === undefined ? { path: host.nodePath, isFallback: true } : { path, isFallback: false };
}

/** Paths to different files, except the known one. */
function removeDuplicates(paths: readonly string[], known: string): string[] {
  const seen = new Set([toRealPath(known)]);
  return paths.filter((path) => !seen.has(toRealPath(path)) && seen.add(toRealPath(path)));
}

const toRealPath = (path: string) => findRealPath(path) ?? path;

function isNode16(path: string): boolean {
  try {
    return /^v16\./.test(
      execFileSync(path, ['--version'], { encoding: 'utf8', env: {}, timeout: 5000, stdio: 'pipe' }),
    );
  } catch {
    return false;
  }
}
