/** The inputs of a bundle, and their names for esbuild, which are the same on every computer. */
import { dirname, extname } from 'node:path';
import type { PackageFiles, PackageJson } from './package-files.ts';

/** esbuild's namespace for files of packages, whose paths differ between package managers. */
export const NAMESPACE = 'formula-source';

export interface Importer {
  file: string;
  specifier: string;
}

export interface Input {
  /** The path from which its imports are resolved; it may be in an archive, or a virtual path of Yarn. */
  path: string;
  real: string;
  /** Relative to the formula's folder. */
  file: string;
  isPackageFile: boolean;
  /** The name for esbuild. For a package, its extension shows the module type; `suffix` makes it unique. */
  esbuildName: string;
  suffix: string;
  /** The name in comments of the bundle. */
  displayName: string;
  importers: Importer[];
  /** Whether it is imported as something else than code. */
  isData: boolean;
}

/** The same input with a unique name. */
export const toVariant = (input: Input): Input => ({
  ...input,
  suffix: `${input.suffix === '' ? '?' : `${input.suffix}&`}${escapeUnsafe(input.file)}`,
});

/** The name of an input in esbuild's messages, source map, and output. */
export const toInputKey = ({ isPackageFile, esbuildName, suffix }: Input): string =>
  isPackageFile ? `${NAMESPACE}:${esbuildName}${suffix}` : esbuildName;

/** The names of a package's file; `query` is the part of the specifier after the path. */
export function namePackageFile(real: string, file: string, query: string, packages: PackageFiles) {
  const found = packages.findFolder(real);
  const displayName = escapeUnsafe(found?.displayPath ?? file);
  const extension = findModuleExtension(displayName, packages.findNearest(dirname(real))?.type);
  const version = (found && packages.get(found.folder)?.version) ?? '';
  const marks = [extension && extname(displayName), escapeUnsafe(version), escapeUnsafe(query)].filter(Boolean);
  const esbuildName = extension ? displayName.slice(0, -extname(displayName).length) + extension : displayName;
  return { esbuildName, suffix: marks.length === 0 ? '' : `?${marks.join('&')}`, displayName };
}

const MODULE_EXTENSIONS: Readonly<Record<string, readonly [module: string, commonjs: string]>> = {
  '.js': ['.mjs', '.cjs'],
  '.jsx': ['.mjs', '.cjs'],
  '.ts': ['.mts', '.cts'],
  '.tsx': ['.mts', '.cts'],
};

/** For files that a plugin loads, esbuild detects the module type by the extension only; undefined for that of the name. */
function findModuleExtension(name: string, type: PackageJson['type']): string | undefined {
  const [module, commonjs] = MODULE_EXTENSIONS[extname(name)] ?? [];
  return type === 'module' ? module : type === 'commonjs' ? commonjs : undefined;
}

/** Characters that could end a comment or string in the output, or are not part of variable names. */
const UNSAFE = /[^\p{L}\p{N}\p{M}_./@+~ -]/gu;

const escapeUnsafe = (name: string) => name.replace(UNSAFE, (one) => `%${one.codePointAt(0)?.toString(16)}`);
