/** Describes unresolved imports, and decides which of them stay in the bundle for the service to resolve. */
import type { Message } from 'esbuild';
import type { BundleProblem } from './messages.ts';
import { getPackageName } from './package-name.ts';

/** An import that was not found, with facts that explain it. */
export interface UnresolvedImport {
  specifier: string;
  /** The folder of the import. */
  from: string;
  /** Whether it is loaded with `require` only, so that it can stay in the bundle. */
  isRequire: boolean;
  /** Whether the import is in a package. */
  isPackageFile: boolean;
  /** A missing `extends` of tsconfig.json, which may have a pattern for it. */
  missingBase: string | undefined;
  /** Whether the package is installed, but does not have or export this file. */
  isInstalled: boolean;
  /** Whether package.json lists it as an optional or peer dependency. */
  isOptional: boolean;
}

/** `isAlias`: whether `paths` of tsconfig.json has a pattern for it. */
type ReportedImport = UnresolvedImport & { isAlias: boolean };

/** The specifier in an error of esbuild. */
export const parseUnresolvedSpecifier = ({ text }: Message): string | undefined =>
  /^Could not resolve "(.*)"/.exec(text)?.[1];

/** Whether a registry could have a package with this name. */
const isPackageName = (specifier: string) =>
  /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(\/|$)/.test(specifier);

/** Whether the service may provide the package, so that `require` stays in the bundle. */
const isLeftToService = ({ specifier, isRequire, isInstalled, isAlias, missingBase }: ReportedImport): boolean =>
  isRequire && !isInstalled && !isAlias && missingBase === undefined && isPackageName(specifier);

export function describeUnresolved(found: ReportedImport): Pick<BundleProblem, 'level' | 'message' | 'fix'> {
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

function suggestFix({ specifier, isPackageFile, isInstalled, isAlias, missingBase }: ReportedImport): string {
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
