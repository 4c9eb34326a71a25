/** The names that Node.js 16 lacks. */

import missing from './missing.json' with { type: 'json' };

export const parseWords = (row: string): ReadonlySet<string> => new Set(row.split(' '));

/** By their owners: `static Object`, `instance Array`, `module fs.promises`. */
const ROWS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(missing).map(([owner, row]) => [owner, parseWords(row)]),
);

export const GLOBALS = parseWords(missing.global);
export const MODULES = parseWords(missing.module);

/** Methods of iterators, none of which Node.js 16 has. */
export const ITERATOR_HELPERS = parseWords('drop every filter find flatMap forEach map reduce some take toArray');

/** All names, but not those of iterators. */
export const TABLE_NAMES: ReadonlySet<string> = new Set([
  ...[...ROWS.values()].flatMap((row) => [...row]),
  ...[...MODULES].map((name) => `node:${name}`),
  ...['RegExp', 'dispose', 'asyncDispose'],
]);

/** Whether a path is a class or namespace in a module that lacks members: `fs.promises`. */
export const isNamespace = (path: string): boolean => ROWS.has(`module ${path}`);

/** What owns a member: the global object, a global, a module of Node.js, or an instance of a builtin class. */
export interface Owner {
  kind: 'global' | 'static' | 'module' | 'instance';
  /** `Object`, `Intl.NumberFormat`, `fs.promises`; empty for the global object. */
  path: string;
  /** For a module, its name as written: `node:fs`. */
  load?: string;
  /** Whether esbuild wraps the module, so that `default` is the module too. */
  isInterop?: boolean;
}

export interface MissingName {
  kind: 'global' | 'member' | 'method' | 'module' | 'flag';
  /** As written in the code: `fetch`, `Object.groupBy`, `.findLast()`, `require('crypto').hash`, `node:sqlite`. */
  what: string;
}

/** A member that its owner lacks; undefined if it does not. */
export function findMissingName({ kind, path, load }: Owner, name: string): MissingName | undefined {
  const has = (table: string) => ROWS.get(`${table} ${path}`)?.has(name) === true;
  if (kind === 'global') return GLOBALS.has(name) ? { kind, what: name } : undefined;
  if (path === 'Iterator' && kind === 'instance')
    return ITERATOR_HELPERS.has(name) ? { kind: 'method', what: `.${name}() of iterators` } : undefined;
  if (has(kind) && kind === 'instance') return { kind: 'method', what: `.${name}()` };
  if (has(kind) && kind === 'module') return { kind: 'member', what: formatModuleMember(path, name, load) };
  return has(kind === 'static' ? kind : 'accessor') ? { kind: 'member', what: `${path}.${name}` } : undefined;
}

function formatModuleMember(path: string, name: string, load: string | undefined): string {
  const [, ...inner] = path.split('.');
  const isClass = /^[A-Z]/.test(inner.at(-1) ?? '');
  return isClass ? `${inner.at(-1)}.${name}` : [`require('${load}')`, ...inner, name].join('.');
}
