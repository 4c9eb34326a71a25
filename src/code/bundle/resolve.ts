/** Resolves imports as esbuild and Node.js do, within the allowed folders. */
import { basename, isAbsolute, join } from 'node:path';
import { listAncestors } from '../../files/repository.ts';
import { isBuiltin } from './builtin-modules.ts';
import { BundleError } from './bundle-error.ts';
import type { FileAccess } from './file-access.ts';
import { openFileFinder } from './find-file.ts';
import { type ExportTarget, resolveExports, resolveImports } from './package-exports.ts';
import type { PackageFiles, PackageJson } from './package-json.ts';
import { getPackageName } from './package-name.ts';
import type { PlugAndPlay } from './pnp.ts';
import { mapPaths, type TsConfigs } from './tsconfig.ts';

/** An import: its specifier, the folder of the importing file, and how it is loaded. */
interface ImportRequest {
  specifier: string;
  from: string;
  isRequire: boolean;
}

/** The path of a file, or a specifier that stays in the bundle. */
type ResolvedImport = string | { external: string };

/** Undefined if nothing is found. Throws BundleError. */
export type ResolveImport = (request: ImportRequest) => ResolvedImport | undefined;

interface ResolverContext {
  fileAccess: FileAccess;
  packages: PackageFiles;
  tsConfigs: TsConfigs;
  pnp: PlugAndPlay | undefined;
}

const CONDITIONS = {
  import: new Set(['import', 'node', 'module']),
  require: new Set(['require', 'node', 'module']),
};

export function openResolver({ fileAccess, packages, tsConfigs, pnp }: ResolverContext): ResolveImport {
  const files = openFileFinder(fileAccess, packages);

  function resolve(request: ImportRequest): ResolvedImport | undefined {
    const { specifier, from, isRequire } = request;
    if (isAbsolute(specifier) || specifier.startsWith('/'))
      return resolveMapped(request) ?? files.findAtPath(specifier, isRequire);
    if (!/^\.\.?(\/|$)/.test(specifier))
      return resolveMapped(request) ?? resolveByName(request, packages.findNearest(from));
    const path = join(from, specifier);
    return /(^|\/)\.{0,2}$/.test(specifier) ? files.findInFolder(path, isRequire) : files.findAtPath(path, isRequire);
  }

  /** With `paths` and `baseUrl` of tsconfig.json. */
  function resolveMapped({ specifier, from, isRequire }: ImportRequest): string | undefined {
    const config = tsConfigs.find(from);
    if (!config) return undefined;
    const paths = mapPaths(config, specifier) ?? [];
    if (config.baseUrl !== undefined && !isAbsolute(specifier)) paths.push(join(config.baseUrl, specifier));
    for (const path of paths) {
      const found = files.findAtPath(path, isRequire);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** `own`: the package.json of the importing file. */
  function resolveByName(request: ImportRequest, own: PackageJson | undefined): ResolvedImport | undefined {
    const { specifier, from, isRequire } = request;
    if (specifier.startsWith('#') && own?.imports !== undefined) return resolveOwnImport(request, own);
    const { name, subpath } = parsePackageSpecifier(specifier);
    const found = name === undefined || !pnp ? 'elsewhere' : pnp.find(name, from);
    if (found !== 'elsewhere') return found === undefined ? undefined : resolveInPackage(found, subpath, isRequire);
    if (name !== undefined && own?.name === name && own.exports !== undefined)
      return resolveExported(own, subpath, isRequire);
    return resolveInModules(request);
  }

  function resolveOwnImport({ specifier, isRequire }: ImportRequest, own: PackageJson): ResolvedImport | undefined {
    const target = resolveImports(own.imports, specifier, getConditions(isRequire));
    if (!target || 'path' in target) return target && resolveTarget(target, own.folder, isRequire);
    if (isExternal(target.specifier)) return { external: target.specifier };
    return resolveByName({ specifier: target.specifier, from: own.folder, isRequire }, { ...own, imports: undefined });
  }

  /** In the nearest `node_modules` folder that contains it. */
  function resolveInModules({ specifier, from, isRequire }: ImportRequest): string | undefined {
    const { name, subpath } = parsePackageSpecifier(specifier);
    for (const folder of listAncestors(from)) {
      const modules = join(folder, 'node_modules');
      if (basename(folder) === 'node_modules' || !files.isFolder(modules)) continue;
      const settings = admitPackage(join(modules, name ?? getPackageName(specifier)));
      if (name !== undefined && settings?.exports !== undefined) return resolveExported(settings, subpath, isRequire);
      const found = files.findAtPath(join(modules, specifier), isRequire);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function resolveInPackage(folder: string, subpath: string, isRequire: boolean): string | undefined {
    const settings = admitPackage(folder);
    if (settings?.exports !== undefined) return resolveExported(settings, subpath, isRequire);
    return files.findAtPath(join(folder, subpath), isRequire);
  }

  /** Allows reading a package that was found by name; returns its package.json. */
  function admitPackage(path: string): PackageJson | undefined {
    const real = fileAccess.realPath(path);
    if (real === undefined) return undefined;
    fileAccess.admitPackage(real);
    // Yarn's table distinguishes packages by virtual paths.
    return files.isFolder(path) ? packages.get(pnp ? path : real) : undefined;
  }

  function resolveExported({ exports, folder }: PackageJson, subpath: string, isRequire: boolean): string | undefined {
    const target = resolveExports(exports, subpath, getConditions(isRequire));
    return target && resolveTarget(target, folder, isRequire);
  }

  function resolveTarget(target: ExportTarget, folder: string, isRequire: boolean): string | undefined {
    if (!('path' in target)) return undefined;
    const path = join(folder, target.path);
    return target.isExact ? files.findExact(path) : files.findAtPath(path, isRequire);
  }

  return (request) => {
    if (/[\0*]/.test(request.specifier)) return undefined;
    try {
      return resolve(request);
    } catch (error) {
      if (error instanceof BundleError) throw error;
      throw new BundleError(`cannot resolve ${JSON.stringify(request.specifier)}: ${(error as Error).message}`);
    }
  };
}

const getConditions = (isRequire: boolean) => (isRequire ? CONDITIONS.require : CONDITIONS.import);

/** The name is undefined for a specifier that Node.js treats as a path. */
function parsePackageSpecifier(specifier: string): { name: string | undefined; subpath: string } {
  const [name] = /^(@[^/]+\/[^/]+|[^@/][^/]*)/.exec(specifier) ?? [];
  if (name === undefined || name.startsWith('.') || /[\\%]/.test(name)) return { name: undefined, subpath: '.' };
  return { name, subpath: `.${specifier.slice(name.length)}` };
}

/** Modules of Node.js, and URLs; they stay in the bundle. */
export const isExternal = (specifier: string): boolean =>
  isBuiltin(specifier) || /^(node:|https?:\/\/|\/\/)/.test(specifier);
