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

const has = (folder: string, name: string) => existsSync(join(folder, name));
const isGitTop = (folder: string) => has(folder, '.git');
const isOtherTop = (folder: string) => has(folder, '.hg') || has(folder, '.svn');
const isPackage = (folder: string) => has(folder, 'package.json');

/** Whether a folder is the top of a working copy. */
export const isWorkingCopy = (folder: string): boolean => isGitTop(folder) || isOtherTop(folder);

/** The same function, which looks at each folder once. */
export function rememberByFolder<T>(find: (folder: string) => T): (folder: string) => T {
  const known = new Map<string, T>();
  return (folder) => {
    const found = known.has(folder) ? (known.get(folder) as T) : find(folder);
    known.set(folder, found);
    return found;
  };
}

/** Finds the nearest folder at or above others that a test selects. */
function createAncestorFinder(isFound: (folder: string) => boolean): (folder: string) => string | undefined {
  const find: (folder: string) => string | undefined = rememberByFolder((folder) =>
    isFound(folder) ? folder : dirname(folder) === folder ? undefined : find(dirname(folder)),
  );
  return find;
}

/** Finds the working copies of many folders. One of git wins, because git can contain folders with the names of the others. */
export function createWorkingCopyFinder(): (folder: string) => string | undefined {
  const [findGit, findOther] = [createAncestorFinder(isGitTop), createAncestorFinder(isOtherTop)];
  return (folder) => findGit(folder) ?? findOther(folder);
}

/** The working copy of a folder. */
export const findWorkingCopy = (folder: string): string | undefined => createWorkingCopyFinder()(folder);

/** Whether a folder is the home folder or the root, which count only as working copies. */
const createExclusion = ({ home }: RepositoryLimits) => {
  const excluded = home && findRealPath(home);
  return (folder: string) => folder === excluded || folder === parse(folder).root;
};

/**
 * Finds the top folders of the repositories of many formulas, by their real paths. Without version control: the nearest
 * folder with a package.json or the current folder, whichever is further up, but never the home folder or the root;
 * otherwise the formula's parent.
 */
export function createRepositoryFinder({ cwd, home }: RepositoryLimits): (folder: string) => string {
  const [findTop, findPackage] = [createWorkingCopyFinder(), createAncestorFinder(isPackage)];
  const isExcluded = createExclusion({ home });
  const current = cwd === undefined ? undefined : findRealPath(cwd);
  return (folder) => {
    const workingCopy = findTop(folder);
    if (workingCopy !== undefined) return workingCopy;
    const isAround = current !== undefined && current !== folder && isWithin(folder, current);
    const [outer] = [findPackage(folder), isAround ? current : undefined]
      .filter((path): path is string => path !== undefined && !isExcluded(path))
      .sort((a, b) => a.length - b.length);
    if (outer !== undefined) return outer;
    return isExcluded(dirname(folder)) ? folder : dirname(folder);
  };
}

/** The top folder of one formula's repository. */
export const findRepository = (folder: string, limits: RepositoryLimits): string =>
  createRepositoryFinder(limits)(folder);

/** The repository that a command runs in; `cwd` itself if it is in none. */
export function findCurrentRepository({ cwd, home }: { cwd: string; home?: string | undefined }): string {
  const current = realPath(cwd);
  const top = findRepository(join(current, 'formula'), { cwd: current, home });
  return isWithin(current, top) ? top : current;
}

/** Whether a folder is in a working copy, a package, or the current folder. */
export function isInRepository(folder: string, { cwd, home }: RepositoryLimits): boolean {
  const isExcluded = createExclusion({ home });
  const current = cwd === undefined ? undefined : findRealPath(cwd);
  const isRoot = (path: string) => path === current || isPackage(path);
  return listAncestors(folder).some((path) => isWorkingCopy(path) || (isRoot(path) && !isExcluded(path)));
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
