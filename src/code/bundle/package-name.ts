/** Names of packages in specifiers and paths. Pure. */

/** The package of a specifier: `@scope/name` of `@scope/name/file`. */
export const getPackageName = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

/** The package that contains a file; undefined if its path has no `node_modules`. */
export const parsePackageName = (path: string): string | undefined =>
  /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];

/** Whether a path with `/` is in a `node_modules` folder. */
export const isInPackage = (path: string): boolean => /(^|\/)node_modules\//.test(path);
