/** The repository of a formula: the tree whose files its bundle may contain. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, parse, sep } from 'node:path';

/** What a bundle must know of the computer besides the formula's folder. */
export interface Surroundings {
  /** Folders whose files are never bundled: the tool's own. */
  closed: readonly string[];
  /** The current folder. */
  cwd?: string | undefined;
  home?: string | undefined;
  /** The environment, of which git gets what it needs to find its settings. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

const VERSIONED = ['.git', '.hg', '.svn'];

/**
 * The top folder of a formula's repository, as a real path; `folder` is the formula's real path. Without version
 * control it is a folder that plausibly contains the project, and never the home folder or the root.
 */
export function findRepository(folder: string, { cwd, home }: Partial<Surroundings>): string {
  const ancestors = ancestorsOf(folder);
  const versioned = ancestors.find((path) => VERSIONED.some((name) => existsSync(join(path, name))));
  if (versioned !== undefined) return versioned;
  const never = [realPath(home), parse(folder).root];
  const current = realPath(cwd);
  const candidates = [
    ancestors.find((path) => existsSync(join(path, 'package.json'))),
    current !== undefined && current !== folder && isWithin(folder, current) ? current : undefined,
  ].filter((path) => path !== undefined && !never.includes(path)) as string[];
  const [outer] = candidates.sort((a, b) => a.length - b.length);
  if (outer !== undefined) return outer;
  const parent = dirname(folder);
  return never.includes(parent) ? folder : parent;
}

/** A folder and all folders above it, nearest first. */
export const ancestorsOf = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...ancestorsOf(dirname(folder))];

/** Whether a path is a folder or something in it. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** The real path, in the letter case of the disk; undefined where there is nothing. */
export function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync.native(path);
  } catch {
    return undefined;
  }
}
