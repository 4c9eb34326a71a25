/** Where the paths of the command line are found: on the disk, or with --at REF in a commit. */
import { existsSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { findRealPath, isWithin, toRealPath, toRelative, toSlashes } from '../files/paths.ts';
import { tryStat } from '../files/try-stat.ts';
import { isFormulaFolder } from '../folder/find-folders.ts';
import { listFolders } from '../folder/find-lockfiles.ts';
import type { Host } from '../host/host.ts';
import type { CommitTree } from '../sync/commit-folders.ts';
import { resolveFolder } from './arguments.ts';

/** Finds paths (absolute) on the disk, or in a commit. */
export interface PathLookup {
  at: CommitTree | undefined;
  /** The path of what may not exist there. */
  toPath(path: string): string;
  exists(path: string): boolean;
  isFile(path: string): boolean;
  isFormulaFolder(path: string): boolean;
  /** The folder. Raises usage (2) if it does not exist. */
  requireFolder(typed: string, path: string): string;
  listFolders: typeof listFolders;
}

export const createDiskLookup = (host: Host): PathLookup => ({
  at: undefined,
  toPath: (path) => path,
  exists: existsSync,
  isFile,
  isFormulaFolder,
  requireFolder: (typed) => {
    const path = resolveFolder(typed, host, 'PATH');
    if (!isRoot(path)) return path;
    throw new CliError('usage', `${typed} is the root folder`, { hint: 'Pass the folders that contain formulas.' });
  },
  listFolders,
});

/** False if the path cannot be read: `requireFolder` raises the error. */
const isFile = (path: string) => tryStat(path)?.isFile() ?? false;

/** Raises usage (2) for a commit that cannot be read. */
export async function openLookupAt(paths: readonly string[], reference: string, host: Host): Promise<PathLookup> {
  const { openCommit } = await import('../sync/commit-folders.ts');
  const at = await openCommit(toRealPath(resolve(host.cwd(), paths[0] ?? '')), { flag: '--at', reference }, host);
  const { top, files, folders } = at;
  const all = [...folders.keys()].map((folder) => join(top, folder));
  return {
    at,
    toPath: toRealPath,
    exists: (path) => [files, folders].some((known) => known.has(toRelative(top, toRealPath(path)))),
    isFile: (path) => files.has(toRelative(top, path)),
    isFormulaFolder: at.isFormulaFolder,
    requireFolder: (typed, path) => requireFolder(typed, path, at),
    listFolders: (root) => ({ folders: all.filter((path) => isWithin(path, root)), isComplete: true }),
  };
}

function requireFolder(typed: string, path: string, { reference, top, folders }: CommitTree): string {
  if (typed === '') throw new CliError('usage', 'PATH must be the path of a folder (got an empty string)');
  if (!isWithin(path, top))
    throw new CliError('usage', `${toSlashes(typed)} is not in the repository ${top}, of which --at reads a commit`, {
      hint: 'Pass the paths of one repository.',
    });
  if (folders.has(toRelative(top, path))) return path;
  throw new CliError('usage', `${reference} has no folder ${toRelative(top, path)}`, {
    hint: `To list its files, run: git ls-tree -r --name-only ${reference}`,
  });
}

/** Whether a path is a root folder: searching all of a disk is never meant. */
export const isRoot = (path: string): boolean => {
  const real = findRealPath(path) ?? path;
  return real === parse(real).root;
};
