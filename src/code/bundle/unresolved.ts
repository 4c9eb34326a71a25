/** What is said of an import that leads nowhere, and whether it stays in the bundle for the service to resolve. */
import type { Message } from 'esbuild';
import type { BundleProblem } from './messages.ts';
import { getPackageName } from './package-name.ts';

/** One import that was not found, with what may explain it. */
export interface UnresolvedImport {
  specifier: string;
  /** Whether it is loaded with `require` only: then it can stay as it is. */
  isRequire: boolean;
  /** Whether a package has the import, which the user cannot change. */
  isPackageFile: boolean;
  /** Whether `paths` of tsconfig.json has a pattern for it. */
  isAlias: boolean;
  /** What a tsconfig.json extends that does not exist: it may have such a pattern. */
  missingBase: string | undefined;
  /** Whether the package is installed, and only does not have this file or does not export it. */
  isInstalled: boolean;
  /** Whether package.json lists it as an optional or peer dependency. */
  isOptional: boolean;
}

/** The import that one of esbuild's errors is about. */
export const parseUnresolvedSpecifier = ({ text }: Message): string | undefined =>
  /^Could not resolve "(.*)"/.exec(text)?.[1];

/** Whether it names a package of the kind that a registry may have. */
const isPackageName = (specifier: string) =>
  /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(\/|$)/.test(specifier);

/** Whether the service may have the package, so that its `require` is left as it is. */
const isLeftToService = ({ specifier, isRequire, isInstalled, isAlias, missingBase }: UnresolvedImport): boolean =>
  isRequire && !isInstalled && !isAlias && missingBase === undefined && isPackageName(specifier);

export function describeUnresolved(found: UnresolvedImport): Pick<BundleProblem, 'level' | 'message' | 'fix'> {
  const { specifier, isOptional } = found;
  const quoted = JSON.stringify(specifier);
  if (isLeftToService(found))
    return {
      level: isOptional ? 'note' : 'warning',
      message: `the package ${quoted} was not found, so it is not in the bundle, and the service must provide it`,
      fix: `To bundle it, run: npm install ${getPackageName(specifier)}`,
    };
  return {
    level: 'error',
    message: `the import ${quoted} cannot be found, so it cannot be bundled`,
    fix: suggestFix(found),
  };
}

function suggestFix({ specifier, isPackageFile, isInstalled, isAlias, missingBase }: UnresolvedImport): string {
  if (/^[./]/.test(specifier)) return 'Check the path.';
  if (specifier.startsWith('#')) return 'Check "imports" in package.json.';
  if (isAlias) return 'Check "paths" in tsconfig.json.';
  if (missingBase !== undefined)
    return `Restore ${JSON.stringify(missingBase)}, which tsconfig.json extends and which may define this path.`;
  if (!isPackageName(specifier)) return 'Check its spelling: no package can have this name.';
  if (isInstalled) return `Check what the package ${JSON.stringify(getPackageName(specifier))} exports.`;
  const install = `npm install ${getPackageName(specifier)}`;
  return isPackageFile
    ? `Run: ${install}`
    : `Run: ${install}; or, if the service provides it, load it with require(${JSON.stringify(specifier)})`;
}
