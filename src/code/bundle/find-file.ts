/** Finds the file of a path without an extension, or of a folder, as Node.js and TypeScript do. */
import { extname, join } from 'node:path';
import { splitPath } from '../../files/paths.ts';
import type { FileAccess } from './file-access.ts';
import type { PackageFiles } from './package-json.ts';

export interface FileFinder {
  isFolder(path: string): boolean;
  /** Undefined if there is none. Throws BundleError for an unreadable package.json. */
  findAtPath(path: string, isRequire: boolean): string | undefined;
  findInFolder(path: string, isRequire: boolean): string | undefined;
  /** The file at exactly this path, or its TypeScript source. */
  findExact(path: string): string | undefined;
}

const EXTENSIONS = ['.tsx', '.ts', '.jsx', '.js', '.json'];
/** Packages publish compiled code; their TypeScript may require unknown settings. */
const PACKAGE_EXTENSIONS = ['.jsx', '.js', '.tsx', '.ts', '.json'];

/** TypeScript imports files by the names of their compiled files. */
const COMPILED_FROM: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.ts', '.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/** The files that would resolve a path if they existed. */
export const listCandidates = (path: string): string[] => [
  path,
  ...EXTENSIONS.flatMap((extension) => [path + extension, join(path, `index${extension}`)]),
  ...(COMPILED_FROM[extname(path)] ?? []).map((source) => path.slice(0, -extname(path).length) + source),
];

export function openFileFinder({ getKind }: FileAccess, packages: PackageFiles): FileFinder {
  const isFile = (path: string) => getKind(path) === 'file';
  const isFolder = (path: string) => getKind(path) === 'folder';

  function findExact(path: string): string | undefined {
    const extension = extname(path);
    const sources = COMPILED_FROM[extension] ?? [];
    return [path, ...sources.map((source) => path.slice(0, -extension.length) + source)].find(isFile);
  }

  const findWithExtension = (path: string) =>
    [path, ...listExtensions(path).map((extension) => path + extension)].find(isFile) ?? findExact(path);

  const findIndex = (path: string) =>
    listExtensions(path)
      .map((extension) => join(path, `index${extension}`))
      .find(isFile);

  function findInFolder(path: string, isRequire: boolean): string | undefined {
    if (!isFolder(path)) return undefined;
    const packageJson = packages.get(path);
    const [main, module] = [packageJson?.main, packageJson?.module].map((name) => name && findMain(join(path, name)));
    if (main) return main;
    if (!module) return findIndex(path);
    // An index.js next to `module` is for tools that do not know that field.
    return isRequire && packageJson?.main === undefined ? (findIndex(path) ?? module) : module;
  }

  const findMain = (path: string) => findWithExtension(path) ?? (isFolder(path) ? findIndex(path) : undefined);

  return {
    isFolder,
    findInFolder,
    findExact,
    findAtPath: (path, isRequire) => findWithExtension(path) ?? findInFolder(path, isRequire),
  };
}

const listExtensions = (path: string) => (splitPath(path).includes('node_modules') ? PACKAGE_EXTENSIONS : EXTENSIONS);
