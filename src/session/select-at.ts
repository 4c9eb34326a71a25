/** --at REF: the formula folders in the paths, as they are in a commit. */
import { join, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { findRealPath, isWithin, realPath, toRelative, toSlashes } from '../files/paths.ts';
import { listAncestors } from '../files/repository.ts';
import type { FolderSelection, SearchRoot } from '../folder/find-folders.ts';
import type { Host } from '../host/host.ts';
import { type CommitTree, findCommitFolders, openCommit } from '../sync/commit-folders.ts';
import type { Exclusion } from './exclusion.ts';
import { type ListedPath, resolvePathList } from './path-list.ts';

interface PathsAt {
  reference: string;
  paths: readonly string[];
  /** The lines of --paths-from. */
  lines: readonly string[];
  exclusion: Exclusion;
}

interface Messages {
  skip: (path: string, reason: string) => void;
  warn: (text: string) => void;
}

export type SelectionAt = FolderSelection & { at: CommitTree };

/** Raises usage (2) for a commit that cannot be read, and for a path that it does not have. */
export async function selectFoldersAt(
  { reference, paths, lines, exclusion }: PathsAt,
  host: Host,
  { skip, warn }: Messages,
): Promise<SelectionAt> {
  const cwd = host.cwd();
  const typed = paths.map((path) => ({ displayPath: toSlashes(path), path: toRealPath(resolve(cwd, path)) }));
  const at = await openCommit(typed[0]?.path ?? realPath(cwd), { flag: '--at', reference }, host);
  const listed =
    lines.length === 0
      ? []
      : await resolvePathList(lines, host, {
          skip,
          warn,
          at: { reference, has: (path) => isInCommit(at, toRealPath(path)) },
        });
  for (const one of typed) assertInCommit(one, at);
  const toRoot = ({ displayPath, path }: ListedPath): SearchRoot[] => {
    if (at.folders.has(toRelative(at.top, path))) return [{ displayPath, path }];
    const folder = findContainingFolder(at, path);
    if (folder !== undefined) return [{ displayPath: toRelative(realPath(cwd), folder) || '.', path: folder }];
    skip(displayPath, 'not in a formula folder');
    return [];
  };
  const listedRoots = listed.map((one) => ({ ...one, path: toRealPath(one.path) })).flatMap(toRoot);
  const roots = [...typed.flatMap(toRoot), ...listedRoots.map((root) => ({ ...root, mayBeEmpty: true }))];
  const folders = await findCommitFolders(at, roots, { ...exclusion, onSkip: skip }, host);
  const all = [...at.folders.keys()].map((folder) => join(at.top, folder));
  const list = (root: string) => ({ folders: all.filter((path) => isWithin(path, root)), isComplete: true });
  for (const glob of exclusion.findUnmatched(typed.length > 0 ? typed.map(({ path }) => path) : [realPath(cwd)], list))
    warn(`warning: --exclude ${glob} matches no folder in ${paths.join(', ') || 'the current folder'} at ${reference}`);
  return {
    folders,
    isEmptyList: paths.length === 0 && lines.length === 0,
    roots: roots.map(({ path }) => path),
    isExcluded: (path) => roots.some((root) => isWithin(path, root.path) && exclusion.isExcluded(path, root.path)),
    at,
  };
}

/** The real path of what may no longer exist. */
function toRealPath(path: string): string {
  const existing = listAncestors(path).find((one) => findRealPath(one) !== undefined) ?? path;
  return resolve(realPath(existing), toRelative(existing, path));
}

const isInCommit = ({ top, files, folders }: CommitTree, path: string): boolean =>
  [files, folders].some((known) => known.has(toRelative(top, path)));

function assertInCommit({ displayPath, path }: ListedPath, at: CommitTree): void {
  if (displayPath === '') throw new CliError('usage', 'PATH must be the path of a folder (got an empty string)');
  if (!isWithin(path, at.top))
    throw new CliError('usage', `${displayPath} is not in the repository ${at.top}, of which --at reads a commit`, {
      hint: 'Pass the paths of one repository.',
    });
  if (!isInCommit(at, path))
    throw new CliError('usage', `${at.reference} has no folder ${toRelative(at.top, path)}`, {
      hint: `To list its files, run: git ls-tree -r --name-only ${at.reference}`,
    });
}

const findContainingFolder = ({ top, folders }: CommitTree, path: string): string | undefined =>
  listAncestors(path)
    .filter((ancestor) => isWithin(ancestor, top))
    .find((folder) => folders.get(toRelative(top, folder))?.has('manifest.json'));
