/** The file that a path without an extension, or the path of a folder, stands for: as for Node.js and TypeScript. */
import { extname, join } from 'node:path';
import { splitPath } from '../../files/paths.ts';
import type { Gate } from './gate.ts';
import type { PackageFiles } from './package-json.ts';

export interface FileFinder {
  isFolder(path: string): boolean;
  /** Undefined where there is none. Throws Refusal for a package.json that cannot be read. */
  atPath(path: string, isRequire: boolean): string | undefined;
  inFolder(path: string, isRequire: boolean): string | undefined;
  /** The file at exactly this path, or the TypeScript that is compiled to it. */
  exactly(path: string): string | undefined;
}

const EXTENSIONS = ['.tsx', '.ts', '.jsx', '.js', '.json'];
/** Packages publish what they compiled; their TypeScript may need settings that are not known. */
const PACKAGE_EXTENSIONS = ['.jsx', '.js', '.tsx', '.ts', '.json'];

/** TypeScript imports a file by the name that it will have when it is compiled. */
const COMPILED_FROM: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.ts', '.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/** The files that a path may stand for, where there is none yet. */
export const possibleFiles = (path: string): string[] => [
  path,
  ...EXTENSIONS.flatMap((extension) => [path + extension, join(path, `index${extension}`)]),
  ...(COMPILED_FROM[extname(path)] ?? []).map((source) => path.slice(0, -extname(path).length) + source),
];

export function openFileFinder({ kindOf }: Gate, packages: PackageFiles): FileFinder {
  const isFile = (path: string) => kindOf(path) === 'file';
  const isFolder = (path: string) => kindOf(path) === 'folder';

  function exactly(path: string): string | undefined {
    const extension = extname(path);
    const sources = COMPILED_FROM[extension] ?? [];
    return [path, ...sources.map((source) => path.slice(0, -extension.length) + source)].find(isFile);
  }

  const asFile = (path: string) =>
    [path, ...extensionsIn(path).map((extension) => path + extension)].find(isFile) ?? exactly(path);

  const asIndex = (path: string) =>
    extensionsIn(path)
      .map((extension) => join(path, `index${extension}`))
      .find(isFile);

  function inFolder(path: string, isRequire: boolean): string | undefined {
    if (!isFolder(path)) return undefined;
    const settings = packages.in(path);
    const [main, module] = [settings?.main, settings?.module].map((name) => name && asMain(join(path, name)));
    if (main) return main;
    if (!module) return asIndex(path);
    // An index.js in addition to `module` is for what does not know that field.
    return isRequire && settings?.main === undefined ? (asIndex(path) ?? module) : module;
  }

  const asMain = (path: string) => asFile(path) ?? (isFolder(path) ? asIndex(path) : undefined);

  return { isFolder, inFolder, exactly, atPath: (path, isRequire) => asFile(path) ?? inFolder(path, isRequire) };
}

const extensionsIn = (path: string) => (splitPath(path).includes('node_modules') ? PACKAGE_EXTENSIONS : EXTENSIONS);
