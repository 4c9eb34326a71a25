/** Describes unresolved imports, and decides which of them stay in the bundle for the service to resolve. */
import { dirname, join } from 'node:path';
import type { Message } from 'esbuild';
import { findInstalled } from './file-access.ts';
import { listCandidates } from './file-kind.ts';
import type { Input } from './input.ts';
import type { BundleProblem } from './messages.ts';
import { getPackageName, isPath } from './package-name.ts';
import type { Sources } from './sources.ts';

/** An import that was not found, with facts that explain it. */
type UnresolvedImport = NonNullable<ReturnType<typeof findUnresolved>>;

/** The import that an error of esbuild is about; undefined for other errors. Reports its possible files to be watched. */
export function findUnresolved({ text, notes }: Message, importer: Input, sources: Sources) {
  const { fileAccess, settings, packages } = sources;
  const [, specifier] = /^Could not resolve "(.*)"/.exec(text) ?? [];
  if (specifier === undefined) return undefined;
  const from = dirname(importer.path);
  if (isPath(specifier)) for (const missing of listCandidates(join(from, specifier))) fileAccess.noteInput(missing);
  const optional = packages.findNearest(from)?.optional ?? [];
  return {
    specifier,
    /** Whether it is loaded with `require`, so that it can stay in the bundle; esbuild suggests a `try` around that. */
    isRequire: notes.some((note) => note.text.includes('"require" call')),
    /** Whether the import is in a package. */
    isPackageFile: importer.isPackageFile,
    /** Whether `paths` of tsconfig.json has a pattern for it. */
    isAlias: settings.isAlias(specifier),
    /** A missing `extends` of tsconfig.json, which may have a pattern for it. */
    missingBase: importer.isPackageFile ? undefined : settings.getMissingBase(),
    /** Whether the package is installed, but does not have or export this file. */
    isInstalled: findInstalled(getPackageName(specifier), from) !== undefined,
    /** Whether package.json lists it as an optional or peer dependency. */
    isOptional: optional.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
  };
}

/** Whether a registry could have a package with this name. */
const isPackageName = (specifier: string) =>
  /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(\/|$)/.test(specifier);

/** Whether the service may provide the package, so that `require` stays in the bundle. */
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
  const message = `the import ${quoted} cannot be found, so it cannot be bundled`;
  return { level: 'error', message, fix: suggestFix(found) };
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
