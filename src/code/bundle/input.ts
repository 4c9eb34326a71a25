/** The files that a bundle is made of, and the names under which esbuild gets them, which are the same on every computer. */
import { dirname, extname } from 'node:path';
import type { Data } from './data-url.ts';
import type { Gate } from './gate.ts';
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
  text: string;
  suffix: string;
  /** The name in comments of the bundle. */
  shown: string;
  importers: Importer[];
  /** What a `data:` URL contains, which is no file. */
  data?: Data;
}

/** The same input as one of its own, where another has its name. */
export const asVariant = (input: Input): Input => ({
  ...input,
  suffix: `${input.suffix === '' ? '?' : `${input.suffix}&`}${safe(input.path)}`,
});

/** What an input is in esbuild's messages and source map, and in the comments of its output. */
export const keyOf = ({ text, suffix }: Pick<Input, 'text' | 'suffix'>): string => `${NAMESPACE}:${text}${suffix}`;

export function describeInput(path: string, query: string, gate: Gate, packages: PackageFiles): Input {
  const real = gate.realPath(path) ?? path;
  const isPackageFile = gate.isPackageFile(real);
  const scope = packages.above(dirname(real));
  const found = isPackageFile ? findPackageFolder(real, packages) : undefined;
  const name = found?.shown ?? gate.nameOf(real);
  const { text, mark } = withModuleType(name, scope?.type);
  const version = safe((found && packages.in(found.folder)?.version) ?? '');
  const plain = plainName(text);
  // Whatever the plain name does not tell.
  const marks = [plain === text ? '' : safe(name), mark, version, safe(query)].filter(Boolean);
  const suffix = marks.length === 0 ? '' : `?${marks.join('&')}`;
  const shown = safe(name);
  return { path, file: gate.nameOf(real), isPackageFile, text: plain, suffix, shown, importers: [] };
}

const MODULE_EXTENSIONS: Readonly<Record<string, readonly [module: string, commonjs: string]>> = {
  '.js': ['.mjs', '.cjs'],
  '.jsx': ['.mjs', '.cjs'],
  '.ts': ['.mts', '.cts'],
  '.tsx': ['.mts', '.cts'],
};

/** esbuild cannot be told the type of a module that it does not find itself, but for the extension. */
function withModuleType(name: string, type: PackageJson['type']): { text: string; mark: string } {
  const extension = extname(name);
  const [module, commonjs] = MODULE_EXTENSIONS[extension] ?? [];
  const other = type === 'module' ? module : type === 'commonjs' ? commonjs : undefined;
  return other === undefined
    ? { text: name, mark: '' }
    : { text: name.slice(0, -extension.length) + other, mark: extension };
}

/** What esbuild names variables after: neither the folders above the formula's, nor what no name can have. */
const plainName = (name: string) => name.replace(/^(\.\.\/)+/, '').replace(UNSAFE, '_');

const UNSAFE = /[^\p{L}\p{N}\p{M}_./@+~ -]/gu;

/** Without characters that could end a comment or a string of the output. */
const safe = (name: string) => name.replace(UNSAFE, (one) => `%${one.codePointAt(0)?.toString(16)}`);

/** Where its imports are looked up. The table of Yarn knows a virtual path, all others are real. */
export const folderOf = ({ path }: Input, gate: Gate): string =>
  dirname(isVirtual(path) ? path : (gate.realPath(path) ?? path));

const isVirtual = (path: string) => /(^|[/\\])(__virtual__|\$\$virtual)[/\\]/.test(path);
