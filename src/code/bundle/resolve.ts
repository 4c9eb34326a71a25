/** Finds the file that an import means, as esbuild and Node.js do, but looks only where the gate allows it. */
import { basename, isAbsolute, join } from 'node:path';
import { ancestorsOf } from '../../files/repository.ts';
import { isBuiltin } from './builtin-modules.ts';
import { openFileFinder } from './find-file.ts';
import type { Gate } from './gate.ts';
import { resolveExports, resolveImports, type Target } from './package-exports.ts';
import type { PackageFiles, PackageJson } from './package-json.ts';
import type { PlugAndPlay } from './pnp.ts';
import { Refusal } from './refusal.ts';
import { mappedPaths, type TsConfigs } from './tsconfig.ts';

/** An import: what it says, the folder of the file that contains it, and how it is loaded. */
export interface Import {
  specifier: string;
  from: string;
  isRequire: boolean;
}

/** The path of a file, or what stays an import of the bundle. */
export type Found = string | { external: string };

/** Undefined where nothing is found. Throws Refusal. */
export type Resolve = (wanted: Import) => Found | undefined;

interface Parts {
  gate: Gate;
  packages: PackageFiles;
  tsConfigs: TsConfigs;
  pnp: PlugAndPlay | undefined;
}

const CONDITIONS = {
  import: new Set(['import', 'node', 'module']),
  require: new Set(['require', 'node', 'module']),
};

export function openResolver({ gate, packages, tsConfigs, pnp }: Parts): Resolve {
  const files = openFileFinder(gate, packages);

  function resolve(wanted: Import): Found | undefined {
    const { specifier, from, isRequire } = wanted;
    if (isAbsolute(specifier) || specifier.startsWith('/')) return mapped(wanted) ?? files.atPath(specifier, isRequire);
    if (!/^\.\.?(\/|$)/.test(specifier)) return mapped(wanted) ?? byName(wanted, packages.above(from));
    const path = join(from, specifier);
    return /(^|\/)\.{0,2}$/.test(specifier) ? files.inFolder(path, isRequire) : files.atPath(path, isRequire);
  }

  /** By `paths` and `baseUrl` of tsconfig.json. */
  function mapped({ specifier, from, isRequire }: Import): string | undefined {
    const config = tsConfigs.for(from);
    if (!config) return undefined;
    const paths = mappedPaths(config, specifier) ?? [];
    if (config.baseUrl !== undefined && !isAbsolute(specifier)) paths.push(join(config.baseUrl, specifier));
    for (const path of paths) {
      const found = files.atPath(path, isRequire);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** `own`: the package.json that counts for the importing file. */
  function byName(wanted: Import, own: PackageJson | undefined): Found | undefined {
    const { specifier, from, isRequire } = wanted;
    if (specifier.startsWith('#') && own?.imports !== undefined) return byOwnImports(wanted, own);
    const { name, subpath } = parseName(specifier);
    const found = name === undefined || !pnp ? 'elsewhere' : pnp.find(name, from);
    if (found !== 'elsewhere') return found === undefined ? undefined : inPackage(found, subpath, isRequire);
    if (name !== undefined && own?.name === name && own.exports !== undefined) return exported(own, subpath, isRequire);
    return inModules(wanted);
  }

  function byOwnImports({ specifier, isRequire }: Import, own: PackageJson): Found | undefined {
    const target = resolveImports(own.imports, specifier, conditionsFor(isRequire));
    if (!target || 'path' in target) return target && atTarget(target, own.folder, isRequire);
    if (isExternal(target.specifier)) return { external: target.specifier };
    return byName({ specifier: target.specifier, from: own.folder, isRequire }, { ...own, imports: undefined });
  }

  /** In the nearest `node_modules` folder that has it. */
  function inModules({ specifier, from, isRequire }: Import): string | undefined {
    const { name, subpath } = parseName(specifier);
    for (const folder of ancestorsOf(from)) {
      const modules = join(folder, 'node_modules');
      if (basename(folder) === 'node_modules' || !files.isFolder(modules)) continue;
      const settings = admit(join(modules, name ?? firstPart(specifier)));
      if (name !== undefined && settings?.exports !== undefined) return exported(settings, subpath, isRequire);
      const found = files.atPath(join(modules, specifier), isRequire);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function inPackage(folder: string, subpath: string, isRequire: boolean): string | undefined {
    const settings = admit(folder);
    if (settings?.exports !== undefined) return exported(settings, subpath, isRequire);
    return files.atPath(join(folder, subpath), isRequire);
  }

  /** Lets files of a package be read that was found by its name; gives its package.json. */
  function admit(path: string): PackageJson | undefined {
    const real = gate.realPath(path);
    if (real === undefined) return undefined;
    gate.admitPackage(real);
    // The table of Yarn tells packages apart by paths that are not real.
    return files.isFolder(path) ? packages.in(pnp ? path : real) : undefined;
  }

  function exported({ exports, folder }: PackageJson, subpath: string, isRequire: boolean): string | undefined {
    const target = resolveExports(exports, subpath, conditionsFor(isRequire));
    return target && atTarget(target, folder, isRequire);
  }

  function atTarget(target: Target, folder: string, isRequire: boolean): string | undefined {
    if (!('path' in target)) return undefined;
    const path = join(folder, target.path);
    return target.isExact ? files.exactly(path) : files.atPath(path, isRequire);
  }

  return (wanted) => {
    if (/[\0*]/.test(wanted.specifier)) return undefined;
    try {
      return resolve(wanted);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal(`cannot resolve ${JSON.stringify(wanted.specifier)}: ${(error as Error).message}`);
    }
  };
}

const conditionsFor = (isRequire: boolean) => (isRequire ? CONDITIONS.require : CONDITIONS.import);

const firstPart = (specifier: string) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';

/** The name is undefined where Node.js sees a path and no package in it. */
function parseName(specifier: string): { name: string | undefined; subpath: string } {
  const [name] = /^(@[^/]+\/[^/]+|[^@/][^/]*)/.exec(specifier) ?? [];
  if (name === undefined || name.startsWith('.') || /[\\%]/.test(name)) return { name: undefined, subpath: '.' };
  return { name, subpath: `.${specifier.slice(name.length)}` };
}

/** What is left to Node.js, or to the network: it stays an import of the bundle. */
export const isExternal = (specifier: string): boolean =>
  isBuiltin(specifier) || /^(node:|https?:\/\/|\/\/)/.test(specifier);
