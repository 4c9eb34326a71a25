/** Names of packages in specifiers and paths. Pure. */
import { isAbsolute } from 'node:path';

/** The package of a specifier: `@scope/name` of `@scope/name/file`. */
export const getPackageName = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

/** The package that contains a file; undefined if its path has no `node_modules`. */
export const parsePackageName = (path: string): string | undefined =>
  /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];

/** Whether a path with `/` is in a `node_modules` folder. */
export const isInPackage = (path: string): boolean => /(^|\/)node_modules\//.test(path);

/** Whether a specifier is a path instead of the name of a package. */
export const isPath = (specifier: string): boolean => /^(\.{0,2}[/\\]|\.\.?$)/.test(specifier) || isAbsolute(specifier);
