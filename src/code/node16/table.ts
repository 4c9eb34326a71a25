/** The names that Node.js 16 lacks. */

import missing from './missing.json' with { type: 'json' };

export const parseWords = (row: string): ReadonlySet<string> => new Set(row.split(' ').filter(Boolean));

const parseRows = (part: Readonly<Record<string, string>>): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(part).map(([owner, row]) => [owner, parseWords(row)]));

export const GLOBALS = parseWords(missing.globals);
export const MODULES = parseWords(missing.modules);
const STATICS = parseRows(missing.statics);
const METHODS = parseRows(missing.prototypes);
const ACCESSORS = parseRows(missing.accessors);
/** Of modules, and of classes and namespaces in them. */
const MEMBERS = parseRows({ ...missing.members, ...missing.classes });

/** Methods of iterators, none of which Node.js 16 has. */
export const ITERATOR_HELPERS = parseWords('drop every filter find flatMap forEach map reduce some take toArray');

/** All names, but not those of iterators. */
export const TABLE_NAMES: ReadonlySet<string> = new Set([
  ...GLOBALS,
  ...MODULES,
  ...[...MODULES].map((name) => `node:${name}`),
  ...['RegExp', 'dispose', 'asyncDispose'],
  ...[STATICS, METHODS, ACCESSORS, MEMBERS].flatMap((rows) => [...rows.values()].flatMap((row) => [...row])),
]);

/** Whether a path is a class or namespace in a module that lacks members: `fs.promises`. */
export const isNamespace = (path: string): boolean => MEMBERS.has(path);

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
  const has = (rows: typeof STATICS) => rows.get(path)?.has(name) === true;
  if (kind === 'global') return GLOBALS.has(name) ? { kind, what: name } : undefined;
  if (kind === 'static') return has(STATICS) ? { kind: 'member', what: `${path}.${name}` } : undefined;
  if (kind === 'module')
    return has(MEMBERS) ? { kind: 'member', what: formatModuleMember(path, name, load) } : undefined;
  if (path === 'Iterator')
    return ITERATOR_HELPERS.has(name) ? { kind: 'method', what: `.${name}() of iterators` } : undefined;
  if (has(METHODS)) return { kind: 'method', what: `.${name}()` };
  return has(ACCESSORS) ? { kind: 'member', what: `${path}.${name}` } : undefined;
}

function formatModuleMember(path: string, name: string, load: string | undefined): string {
  const [, ...inner] = path.split('.');
  const isClass = /^[A-Z]/.test(inner.at(-1) ?? '');
  return isClass ? `${inner.at(-1)}.${name}` : [`require('${load}')`, ...inner, name].join('.');
}
