/** --exclude: folders that a search leaves out. */
import { CliError } from '../errors.ts';
import { isWithin, toRelative } from '../files/paths.ts';
import type { listFolders } from '../folder/find-lockfiles.ts';
import { createPathMatcher, type PathMatcher } from '../text/glob.ts';

export interface Exclusion {
  /** Whether a folder is excluded, by its path relative to the root of the search, or to the current folder. */
  isExcluded(path: string, root: string): boolean;
  /** The patterns that match no folder in the roots; `list` lists the folders of a root. */
  findUnmatched(roots: readonly string[], list: typeof listFolders): string[];
}

/** All paths are absolute. Raises usage (2) for an empty pattern. */
export function createExclusion(globs: readonly string[], cwd: string): Exclusion {
  const matchers = globs.map(requireMatcher);
  const unmatched = new Set(globs);
  const isMatched = (matches: PathMatcher, path: string, root: string) =>
    (path !== root && matches(toRelative(root, path))) || (isWithin(path, cwd) && matches(toRelative(cwd, path)));
  return {
    isExcluded: (path, root) =>
      matchers.some((matches, i) => {
        if (!isMatched(matches, path, root)) return false;
        unmatched.delete(globs[i] ?? '');
        return true;
      }),
    findUnmatched: (roots, list) => {
      if (unmatched.size === 0) return [];
      // The search does not read excluded folders, which may contain what other patterns match.
      const lists = roots.map((root) => ({ root, ...list(root) }));
      const isFound = (glob: string) =>
        lists.some(
          ({ root, folders, isComplete }) =>
            !isComplete || folders.some((path) => isMatched(requireMatcher(glob), path, root)),
        );
      return [...unmatched].filter((glob) => !isFound(glob));
    },
  };
}

function requireMatcher(glob: string): PathMatcher {
  const matches = createPathMatcher(glob);
  if (matches) return matches;
  throw new CliError('usage', `invalid value "${glob}" for --exclude: must be a folder pattern, for example legacy/*`);
}
