/** The inputs of a bundle, and their names for esbuild, which are the same on every computer. */
import { dirname, extname } from 'node:path';
import type { DataUrlContent } from './data-url.ts';
import type { FileAccess } from './file-access.ts';
import type { Importer } from './importer.ts';
import { findPackageFolder } from './package-folder.ts';
import type { PackageFiles, PackageJson } from './package-json.ts';

/** esbuild's namespace for the inputs, so that it does not read files itself. */
export const NAMESPACE = 'formula-source';

export interface Input {
  /** The path to read; may be in an archive, or a virtual path of Yarn. */
  path: string;
  /** Relative to the formula's folder. */
  file: string;
  isPackageFile: boolean;
  /** The name for esbuild. Its extension shows the module type; `suffix` makes it unique. */
  esbuildName: string;
  suffix: string;
  /** The name in comments of the bundle. */
  displayName: string;
  importers: Importer[];
  /** The content of a `data:` URL. */
  data?: DataUrlContent;
}

/** The same input with a unique name. */
export const toVariant = (input: Input): Input => ({
  ...input,
  suffix: `${input.suffix === '' ? '?' : `${input.suffix}&`}${escapeUnsafe(input.path)}`,
});

/** The name of an input in esbuild's messages, source map, and output. */
export const toInputKey = ({ esbuildName, suffix }: Pick<Input, 'esbuildName' | 'suffix'>): string =>
  `${NAMESPACE}:${esbuildName}${suffix}`;

export function createInput(path: string, query: string, fileAccess: FileAccess, packages: PackageFiles): Input {
  const real = fileAccess.realPath(path) ?? path;
  const isPackageFile = fileAccess.isPackageFile(real);
  const scope = packages.findNearest(dirname(real));
  const found = isPackageFile ? findPackageFolder(real, packages) : undefined;
  const name = found?.displayPath ?? fileAccess.toDisplayPath(real);
  const { text, mark } = applyModuleType(name, scope?.type);
  const version = escapeUnsafe((found && packages.get(found.folder)?.version) ?? '');
  const plain = toPlainName(text);
  // Everything that the plain name does not contain.
  const marks = [plain === text ? '' : escapeUnsafe(name), mark, version, escapeUnsafe(query)].filter(Boolean);
  const suffix = marks.length === 0 ? '' : `?${marks.join('&')}`;
  const displayName = escapeUnsafe(name);
  return {
    path,
    file: fileAccess.toDisplayPath(real),
    isPackageFile,
    esbuildName: plain,
    suffix,
    displayName,
    importers: [],
  };
}

const MODULE_EXTENSIONS: Readonly<Record<string, readonly [module: string, commonjs: string]>> = {
  '.js': ['.mjs', '.cjs'],
  '.jsx': ['.mjs', '.cjs'],
  '.ts': ['.mts', '.cts'],
  '.tsx': ['.mts', '.cts'],
};

/** For files that a plugin loads, esbuild detects the module type by the extension only. */
function applyModuleType(name: string, type: PackageJson['type']): { text: string; mark: string } {
  const extension = extname(name);
  const [module, commonjs] = MODULE_EXTENSIONS[extension] ?? [];
  const other = type === 'module' ? module : type === 'commonjs' ? commonjs : undefined;
  return other === undefined
    ? { text: name, mark: '' }
    : { text: name.slice(0, -extension.length) + other, mark: extension };
}

/** A name that esbuild can use in variable names, without parent folders. */
const toPlainName = (name: string) => name.replace(/^(\.\.\/)+/, '').replace(UNSAFE, '_');

const UNSAFE = /[^\p{L}\p{N}\p{M}_./@+~ -]/gu;

/** Escapes characters that could end a comment or string in the output. */
const escapeUnsafe = (name: string) => name.replace(UNSAFE, (one) => `%${one.codePointAt(0)?.toString(16)}`);

/** The folder from which imports are resolved: the real one, except for virtual paths, which Yarn's table has. */
export const getImportFolder = ({ path }: Input, fileAccess: FileAccess): string =>
  dirname(isVirtual(path) ? path : (fileAccess.realPath(path) ?? path));

const isVirtual = (path: string) => /(^|[/\\])(__virtual__|\$\$virtual)[/\\]/.test(path);
