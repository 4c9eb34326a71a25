/** The files that a bundle is made of, and the names under which esbuild gets them, which are the same on every computer. */
import { dirname, extname } from 'node:path';
import type { DataUrlContent } from './data-url.ts';
import type { FileAccess } from './file-access.ts';
import type { Importer } from './importer.ts';
import { findPackageFolder } from './package-folder.ts';
import type { PackageFiles, PackageJson } from './package-json.ts';

/** esbuild's namespace for files, which it cannot read itself. */
export const NAMESPACE = 'formula-source';

export interface Input {
  /** Where it is read, in an archive too; may be a virtual path of Yarn. */
  path: string;
  /** Relative to the formula's folder. */
  file: string;
  isPackageFile: boolean;
  /** esbuild's name, of which the extension says whether it is an ECMAScript module, and what tells it from others. */
  esbuildName: string;
  suffix: string;
  /** The name in comments of the bundle. */
  displayName: string;
  importers: Importer[];
  /** What a `data:` URL contains, which is no file. */
  data?: DataUrlContent;
}

/** The same input as one of its own, where another has its name. */
export const toVariant = (input: Input): Input => ({
  ...input,
  suffix: `${input.suffix === '' ? '?' : `${input.suffix}&`}${escapeUnsafe(input.path)}`,
});

/** What an input is in esbuild's messages and source map, and in the comments of its output. */
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
  // Whatever the plain name does not tell.
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

/** esbuild cannot be told the type of a module that it does not find itself, but for the extension. */
function applyModuleType(name: string, type: PackageJson['type']): { text: string; mark: string } {
  const extension = extname(name);
  const [module, commonjs] = MODULE_EXTENSIONS[extension] ?? [];
  const other = type === 'module' ? module : type === 'commonjs' ? commonjs : undefined;
  return other === undefined
    ? { text: name, mark: '' }
    : { text: name.slice(0, -extension.length) + other, mark: extension };
}

/** What esbuild names variables after: neither the folders above the formula's, nor what no name can have. */
const toPlainName = (name: string) => name.replace(/^(\.\.\/)+/, '').replace(UNSAFE, '_');

const UNSAFE = /[^\p{L}\p{N}\p{M}_./@+~ -]/gu;

/** Without characters that could end a comment or a string of the output. */
const escapeUnsafe = (name: string) => name.replace(UNSAFE, (one) => `%${one.codePointAt(0)?.toString(16)}`);

/** Where its imports are looked up. The table of Yarn knows a virtual path, all others are real. */
export const getImportFolder = ({ path }: Input, fileAccess: FileAccess): string =>
  dirname(isVirtual(path) ? path : (fileAccess.realPath(path) ?? path));

const isVirtual = (path: string) => /(^|[/\\])(__virtual__|\$\$virtual)[/\\]/.test(path);
