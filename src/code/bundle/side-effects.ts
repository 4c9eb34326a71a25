/** Evaluates `sideEffects` of package.json: whether a file only has exports. */
import { toRelative } from '../../files/paths.ts';
import type { PackageJson } from './package-json.ts';

const MAX_PATTERNS = 1000;

export function isSideEffectFree(path: string, settings: PackageJson | undefined): boolean {
  if (settings?.sideEffects === false) return true;
  if (!Array.isArray(settings?.sideEffects)) return false;
  const name = toRelative(settings.folder, path);
  const patterns = settings.sideEffects.slice(0, MAX_PATTERNS).filter((pattern) => typeof pattern === 'string');
  return !patterns.some((pattern: string) => matches(name.split('/'), splitSegments(pattern)));
}

/** A pattern without a slash matches in every folder. */
const splitSegments = (pattern: string) =>
  (pattern.includes('/') ? pattern : `**/${pattern}`).split('/').filter((segment) => segment !== '.' && segment !== '');

/** Linear, unlike a regular expression made of the pattern. */
function matches(names: readonly string[], patterns: readonly string[]): boolean {
  return isWildcardMatch(
    names,
    patterns,
    (pattern) => pattern === '**',
    (name, pattern) =>
      isWildcardMatch(
        [...name],
        [...pattern],
        (one) => one === '*',
        (letter, one) => one === '?' || letter === one,
      ),
  );
}

/** A wildcard matches any number of items. Only the last wildcard is retried. */
function isWildcardMatch(
  items: readonly string[],
  patterns: readonly string[],
  isWildcard: (pattern: string) => boolean,
  isMatch: (item: string, pattern: string) => boolean,
): boolean {
  let [at, next] = [0, 0];
  let backtrack: { at: number; next: number } | undefined;
  while (at < items.length) {
    const pattern = patterns[next];
    if (pattern !== undefined && isWildcard(pattern)) {
      backtrack = { at, next: ++next };
    } else if (pattern !== undefined && isMatch(items[at] ?? '', pattern)) {
      at++;
      next++;
    } else if (backtrack) {
      backtrack.at++;
      at = backtrack.at;
      next = backtrack.next;
    } else return false;
  }
  return patterns.slice(next).every(isWildcard);
}
