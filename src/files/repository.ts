/** The repository of a formula: the tree that its bundle takes files from and that its lock file is in. */
import { existsSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { findRealPath, isWithin } from './paths.ts';

/** The folders that decide where a repository without version control ends. */
export interface RepositoryLimits {
  cwd?: string | undefined;
  home?: string | undefined;
}

const VERSIONED = ['.git', '.hg', '.svn'];

/** Whether a folder is the top of a working copy. */
export const isWorkingCopy = (folder: string): boolean => VERSIONED.some((name) => existsSync(join(folder, name)));

/**
 * The top folder of a formula's repository; `folder` is the formula's real path. Without version control it is the outer
 * one of the nearest folder with a package.json and the current folder, never the home folder or the root; without these
 * the formula's parent.
 */
export function findRepository(folder: string, { cwd, home }: RepositoryLimits): string {
  const ancestors = listAncestors(folder);
  const workingCopy = ancestors.find(isWorkingCopy);
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

/**
 * Whether a folder may be part of a repository: of a working copy, a package, or the current folder, as far as they are
 * not the home folder or the root.
 */
export function isInRepository(folder: string, { cwd, home }: RepositoryLimits): boolean {
  const excluded = [home && findRealPath(home), parse(folder).root];
  const current = cwd === undefined ? undefined : findRealPath(cwd);
  const isRoot = (path: string) => path === current || existsSync(join(path, 'package.json'));
  return listAncestors(folder).some((path) => isWorkingCopy(path) || (isRoot(path) && !excluded.includes(path)));
}

/** Finds the repositories of many formulas; folders next to each other share one unless they have a mark of their own. */
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

/** A folder and all folders above it, nearest first. */
export const listAncestors = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...listAncestors(dirname(folder))];
