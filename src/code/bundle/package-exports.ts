/** Resolves `exports` and `imports` of package.json (Node.js documentation: Modules, Packages). Pure. */
import { isObject } from '../../text/json-type.ts';
/** A file of the package, starting with `/`, where extensions are tried if it is not exact; or another package. */
export type ExportTarget = { path: string; isExact: boolean } | { specifier: string };

/** In a list of alternatives, `invalid` and `none` continue with the next one; `error` ends the search. */
type TargetResolution = ExportTarget | 'undefined' | 'none' | 'invalid' | 'error';

type Conditions = ReadonlySet<string>;

/** Nesting limit of conditions. */
const MAX_DEPTH = 100;

/** The file for a path (`.` or `./x`) that is imported from a package; undefined if it is not exported. */
export function resolveExports(exports: unknown, subpath: string, conditions: Conditions): ExportTarget | undefined {
  const hasPaths = isObject(exports) && Object.keys(exports)[0]?.startsWith('.');
  if (subpath !== '.') return hasPaths ? decodeTarget(findKey(exports, subpath, false, conditions)) : undefined;
  const main = hasPaths ? exports['.'] : exports;
  return main === undefined ? undefined : decodeTarget(resolveTarget(main, '', false, false, conditions));
}

/** Resolves `#name`. */
export function resolveImports(imports: unknown, specifier: string, conditions: Conditions): ExportTarget | undefined {
  return isObject(imports) && specifier !== '#'
    ? decodeTarget(findKey(imports, specifier, true, conditions))
    : undefined;
}

/** Targets are URL-encoded. */
function decodeTarget(found: TargetResolution): ExportTarget | undefined {
  if (typeof found === 'string') return undefined;
  if (!('path' in found)) return found;
  if (/%2f|%5c/i.test(found.path)) return undefined;
  try {
    const path = decodeURIComponent(found.path);
    return /[/\\]$/.test(path) ? undefined : { ...found, path };
  } catch {
    return undefined;
  }
}

function findKey(
  map: Record<string, unknown>,
  key: string,
  isImport: boolean,
  conditions: Conditions,
): TargetResolution {
  if (Object.hasOwn(map, key) && !key.endsWith('/') && !key.includes('*'))
    return resolveTarget(map[key], '', false, isImport, conditions);
  for (const pattern of Object.keys(map).filter(isPattern).sort(bySpecificity)) {
    const star = pattern.indexOf('*');
    const [before, after] = star < 0 ? [pattern, ''] : [pattern.slice(0, star), pattern.slice(star + 1)];
    if (!key.startsWith(before)) continue;
    if (after !== '' && !(key.endsWith(after) && key.length >= pattern.length)) continue;
    const rest = key.slice(before.length, key.length - after.length);
    const found = resolveTarget(map[pattern], rest, star >= 0, isImport, conditions);
    return star < 0 && typeof found === 'object' && 'path' in found ? { ...found, isExact: false } : found;
  }
  return 'none';
}

const isPattern = (key: string) => key.endsWith('/') || key.includes('*');

/** The longest prefix first. */
function bySpecificity(a: string, b: string): number {
  const base = (key: string) => (key.includes('*') ? key.indexOf('*') : key.length);
  return base(b) - base(a) || Number(b.includes('*')) - Number(a.includes('*')) || b.length - a.length;
}

function resolveTarget(
  target: unknown,
  rest: string,
  isStar: boolean,
  isImport: boolean,
  conditions: Conditions,
  depth = 0,
): TargetResolution {
  if (depth > MAX_DEPTH) return 'error';
  const resolve = (value: unknown) => resolveTarget(value, rest, isStar, isImport, conditions, depth + 1);
  if (typeof target === 'string') return resolveStringTarget(target, rest, isStar, isImport);
  if (target === null) return 'none';
  if (Array.isArray(target)) return resolveFirst(target, resolve);
  if (!isObject(target)) return 'invalid';
  for (const [condition, value] of Object.entries(target)) {
    const found = condition === 'default' || conditions.has(condition) ? resolve(value) : 'undefined';
    if (found !== 'undefined') return found;
  }
  return 'undefined';
}

function resolveFirst(targets: readonly unknown[], resolve: (target: unknown) => TargetResolution): TargetResolution {
  let last: TargetResolution = targets.length === 0 ? 'none' : 'undefined';
  for (const target of targets) {
    const found = resolve(target);
    if (found === 'invalid' || found === 'none') last = found;
    else if (found !== 'undefined') return found;
  }
  return last;
}

function resolveStringTarget(target: string, rest: string, isStar: boolean, isImport: boolean): TargetResolution {
  if (!isStar && rest !== '' && !target.endsWith('/')) return 'error';
  const filled = isStar ? target.replaceAll('*', () => rest) : target + rest;
  if (!target.startsWith('./')) {
    return isImport && !target.startsWith('../') && !target.startsWith('/') ? { specifier: filled } : 'invalid';
  }
  if (hasInvalidSegment(target.slice(2))) return 'invalid';
  if (hasInvalidSegment(rest)) return 'error';
  return { path: filled.slice(1), isExact: true };
}

const hasInvalidSegment = (path: string) =>
  path.split(/[/\\]/).some((one) => ['.', '..', 'node_modules'].includes(one));
