/** Finds the repository of a formula, which contains its lock file and the files that it may bundle. */
import { existsSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { groupBy } from '../text/group-by.ts';
import { findRealPath, isWithin, realPath } from './paths.ts';

/** Limits for repositories without version control. */
export interface RepositoryLimits {
  cwd?: string | undefined;
  home?: string | undefined;
}

const OTHERS = ['.hg', '.svn'];

const isGitTop = (folder: string) => existsSync(join(folder, '.git'));
const isOtherTop = (folder: string) => OTHERS.some((name) => existsSync(join(folder, name)));

/** Whether a folder is the top of a working copy. */
export const isWorkingCopy = (folder: string): boolean => isGitTop(folder) || isOtherTop(folder);

/** The working copy of a folder. One of git wins, because git can contain folders with the names of the others. */
export function findWorkingCopy(folder: string): string | undefined {
  const ancestors = listAncestors(folder);
  return ancestors.find(isGitTop) ?? ancestors.find(isOtherTop);
}

/**
 * The top folder of a formula's repository; `folder` is the formula's real path. Without version control: the nearest
 * folder with a package.json or the current folder, whichever is further up, but never the home folder or the root;
 * otherwise the formula's parent.
 */
export function findRepository(folder: string, { cwd, home }: RepositoryLimits): string {
  const ancestors = listAncestors(folder);
  const workingCopy = findWorkingCopy(folder);
  if (workingCopy !== undefined) return workingCopy;
  const excluded = [home && findRealPath(home), parse(folder).root];
  const current = cwd === undefined ? undefined : findRealPath(cwd);
  const candidates = [
    ancestors.find((path) => existsSync(join(path, 'package.json'))),
    current !== undefined && current !== folder && isWithin(folder, current) ? current : undefined,
  ].filter((path): path is string => path !== undefined && !excluded.includes(path));
  const [outer] = candidates.sort((a, b) => a.length - b.length);
  if (outer !== undefined) return outer;
  const parent = dirname(folder);
  return excluded.includes(parent) ? folder : parent;
}

/** The repository that a command runs in; `cwd` itself if it is in none. */
export function findCurrentRepository({ cwd, home }: { cwd: string; home?: string | undefined }): string {
  const current = realPath(cwd);
  const top = findRepository(join(current, 'formula'), { cwd: current, home });
  return isWithin(current, top) ? top : current;
}

/**
 * Whether a folder is in a working copy, a package, or the current folder. The home folder and the root count only as
 * working copies.
 */
export function isInRepository(folder: string, { cwd, home }: RepositoryLimits): boolean {
  const excluded = [home && findRealPath(home), parse(folder).root];
  const current = cwd === undefined ? undefined : findRealPath(cwd);
  const isRoot = (path: string) => path === current || existsSync(join(path, 'package.json'));
  return listAncestors(folder).some((path) => isWorkingCopy(path) || (isRoot(path) && !excluded.includes(path)));
}

/** Finds the repositories of many formulas. Sibling folders share one, unless they are themselves the top of one. */
export function createRepositoryFinder(limits: RepositoryLimits): (folder: string) => string {
  const byParent = new Map<string, string>();
  const current = limits.cwd === undefined ? undefined : findRealPath(limits.cwd);
  return (folder) => {
    const isOwn = folder === current || isWorkingCopy(folder) || existsSync(join(folder, 'package.json'));
    if (isOwn) return findRepository(folder, limits);
    const parent = dirname(folder);
    const repository = byParent.get(parent) ?? findRepository(folder, limits);
    byParent.set(parent, repository);
    return repository;
  };
}

/** The same function, which looks at each folder once. */
export function rememberByFolder<T>(find: (folder: string) => T): (folder: string) => T {
  const known = new Map<string, T>();
  return (folder) => {
    const found = known.has(folder) ? (known.get(folder) as T) : find(folder);
    known.set(folder, found);
    return found;
  };
}

/** Finds the working copies of many folders. */
export function createWorkingCopyFinder(): (folder: string) => string | undefined {
  const [findGit, findOther] = [isGitTop, isOtherTop].map((isTop) => {
    const find: (folder: string) => string | undefined = rememberByFolder((folder) =>
      isTop(folder) ? folder : dirname(folder) === folder ? undefined : find(dirname(folder)),
    );
    return find;
  });
  return (folder) => findGit?.(folder) ?? findOther?.(folder);
}

/** Groups items by the working copies that their folders are in; those in none are left out. */
export function groupByWorkingCopy<Item>(
  items: Iterable<Item>,
  getFolder: (item: Item) => string,
): Map<string, Item[]> {
  const findTop = createWorkingCopyFinder();
  const byTop = groupBy(items, (item) => findTop(getFolder(item)));
  byTop.delete(undefined);
  return byTop as Map<string, Item[]>;
}

/** A folder and all folders above it, nearest first. */
export const listAncestors = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...listAncestors(dirname(folder))];
