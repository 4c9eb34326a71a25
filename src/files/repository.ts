/** The repository of a formula: the tree that its bundle takes files from and that its lock file is in. */
import { existsSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { findRealPath, isWithin } from './paths.ts';

/** The folders that decide where a repository without version control ends. */
export interface Surroundings {
  cwd?: string | undefined;
  home?: string | undefined;
}

const VERSIONED = ['.git', '.hg', '.svn'];

/** Whether a folder is the top of a working copy. */
export const isVersioned = (folder: string): boolean => VERSIONED.some((name) => existsSync(join(folder, name)));

/**
 * The top folder of a formula's repository; `folder` is the formula's real path. Without version control it is the outer
 * one of the nearest folder with a package.json and the current folder, never the home folder or the root; without these
 * the formula's parent.
 */
export function findRepository(folder: string, { cwd, home }: Surroundings): string {
  const ancestors = ancestorsOf(folder);
  const versioned = ancestors.find(isVersioned);
  if (versioned !== undefined) return versioned;
  const never = [home && findRealPath(home), parse(folder).root];
  const current = cwd === undefined ? undefined : findRealPath(cwd);
  const candidates = [
    ancestors.find((path) => existsSync(join(path, 'package.json'))),
    current !== undefined && current !== folder && isWithin(folder, current) ? current : undefined,
  ].filter((path): path is string => path !== undefined && !never.includes(path));
  const [outer] = candidates.sort((a, b) => a.length - b.length);
  if (outer !== undefined) return outer;
  const parent = dirname(folder);
  return never.includes(parent) ? folder : parent;
}

/**
 * Whether a folder may be part of a repository: of a working copy, a package, or the current folder, as far as they are
 * not the home folder or the root.
 */
export function isInRepository(folder: string, { cwd, home }: Surroundings): boolean {
  const never = [home && findRealPath(home), parse(folder).root];
  const current = cwd === undefined ? undefined : findRealPath(cwd);
  const isRoot = (path: string) => path === current || existsSync(join(path, 'package.json'));
  return ancestorsOf(folder).some((path) => isVersioned(path) || (isRoot(path) && !never.includes(path)));
}

/** Finds the repositories of many formulas; folders next to each other share one unless they have a mark of their own. */
export function repositoryFinder(surroundings: Surroundings): (folder: string) => string {
  const byParent = new Map<string, string>();
  const current = surroundings.cwd === undefined ? undefined : findRealPath(surroundings.cwd);
  return (folder) => {
    const isOwn = folder === current || isVersioned(folder) || existsSync(join(folder, 'package.json'));
    if (isOwn) return findRepository(folder, surroundings);
    const parent = dirname(folder);
    const repository = byParent.get(parent) ?? findRepository(folder, surroundings);
    byParent.set(parent, repository);
    return repository;
  };
}

/** A folder and all folders above it, nearest first. */
export const ancestorsOf = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...ancestorsOf(dirname(folder))];
