/** Finds the lock files of formula folders, and the folder of a new one. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { isWithin } from '../files/paths.ts';
import {
  createRepositoryFinder,
  findWorkingCopy,
  isWorkingCopy,
  listAncestors,
  type RepositoryLimits,
  rememberByFolder,
} from '../files/repository.ts';
import { isHidden } from './find-folders.ts';

export type LockfileSearch = ReturnType<typeof searchLockfiles>;

interface SearchOptions {
  /** The paths of the command line. */
  paths: readonly string[];
  /** The formula folders in these paths. */
  folders: readonly string[];
  /** Whether lock files below the paths count too, where no formula folder is next to them any more. */
  searchBelow: boolean;
  surroundings: RepositoryLimits;
  hasLockfile(folder: string): boolean;
  isFormula(folder: string): boolean;
}

/** All folders are absolute and real. */
export function searchLockfiles(options: SearchOptions) {
  const { paths } = options;
  const isFormula = rememberByFolder(options.isFormula);
  const findTop = createTopFinder(options);
  const findContainingPath = createPathFinder(paths);
  const above = [...paths, ...options.folders].flatMap((folder) => listFoldersUpTo(findTop(folder), folder));
  const found = new Set([...new Set(above)].filter(options.hasLockfile));
  const below = options.searchBelow
    ? paths.flatMap((path) => listFolders(path).folders).filter(options.hasLockfile)
    : [];
  return {
    /** The folders at or above the formulas that have a lock file. */
    found,
    /** Other folders below the paths that have one, where they are searched too. */
    below: new Set(below.filter((folder) => !found.has(folder))),
    /** The nearest folder with a lock file, at or above a formula folder in its repository. */
    findNearest: (folder: string): string | undefined =>
      listFoldersUpTo(findTop(folder), folder).find((candidate) => found.has(candidate)),
    /** The folder that a new lock file for a formula folder goes to. */
    chooseFolder: (folder: string): string => {
      const path = findContainingPath(folder) ?? dirname(folder);
      const lockFolder = isFormula(path) ? dirname(path) : path;
      const top = findTop(folder);
      return isWithin(lockFolder, top) ? lockFolder : top;
    },
  };
}

/** Finds the path of the command line that a folder is in. */
function createPathFinder(paths: readonly string[]): (folder: string) => string | undefined {
  const known = new Set(paths);
  return (folder) => listAncestors(folder).find((ancestor) => known.has(ancestor));
}

/** Finds the top of a folder's repository. Without version control, a path of the command line belongs to it too. */
export function createTopFinder({
  paths,
  surroundings,
}: Pick<SearchOptions, 'paths' | 'surroundings'>): (folder: string) => string {
  const findRepositoryTop = createRepositoryFinder(surroundings);
  const findContainingPath = createPathFinder(paths);
  const known = new Set(paths);
  const isTop = rememberByFolder(isWorkingCopy);
  return rememberByFolder((folder) => {
    // Without version control the repository is a formula's parent: of a path with formulas, the path itself.
    const isParent = known.has(folder) && !existsSync(join(folder, 'manifest.json'));
    const top = findRepositoryTop(isParent ? join(folder, 'formula') : folder);
    const path = findContainingPath(folder);
    return path === undefined || isTop(top) || !isWithin(top, path) ? top : path;
  });
}

/** A folder and those above it, up to `top`. */
const listFoldersUpTo = (top: string, folder: string): string[] =>
  folder === top || dirname(folder) === folder ? [folder] : [folder, ...listFoldersUpTo(top, dirname(folder))];

/** Of a repository. */
export const MAX_FOLDERS = 100_000;
/** The current folder may be the home folder, or the root. */
const MAX_OTHER_FOLDERS = 5000;

/** The folders in a folder, up to a limit, as the search for formulas sees them, without other repositories; the nearest ones first. */
export function listFolders(top: string, max = findWorkingCopy(top) === undefined ? MAX_OTHER_FOLDERS : MAX_FOLDERS) {
  const folders = [top];
  for (let i = 0; i < folders.length && folders.length < max; i++) {
    const folder = folders[i] ?? '';
    const inside = listSubfolders(folder).map((name) => join(folder, name));
    folders.push(...inside.filter((path) => !isWorkingCopy(path)));
  }
  return { folders: folders.slice(1), isComplete: folders.length < max };
}

/** None for a folder that cannot be read. */
const listSubfolders = (folder: string): string[] =>
  (attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    .filter((entry) => entry.isDirectory() && !isHidden(entry.name))
    .map(({ name }) => name);
