/** The kind of a file, by its name and the import attribute. */
import { basename, extname, join } from 'node:path';
import type { Loader } from 'esbuild';

const LOADERS: Readonly<Record<string, Loader>> = {
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.jsx': 'jsx',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.json': 'json',
  '.txt': 'text',
};
const ATTRIBUTES: Readonly<Record<string, Loader>> = { json: 'json', text: 'text', bytes: 'binary' };

/** esbuild's loader for a file; undefined if there is none. `type` is the import attribute. */
export function chooseLoader(path: string, type: string | undefined): Loader | undefined {
  const [loaders, key] = type === undefined ? [LOADERS, extname(path)] : [ATTRIBUTES, type];
  if (Object.hasOwn(loaders, key)) return loaders[key];
  // Node.js runs a file without an extension, such as `cli`, as a script; dot files do not count.
  return type === undefined && key === '' && !basename(path).startsWith('.') ? 'js' : undefined;
}

export const isCode = (path: string): boolean => /^(js|ts)x?$/.test(chooseLoader(path, undefined) ?? '');

/** Whether a file of a package may be bundled. */
export const isPackageFile = (path: string): boolean => isCode(path) || ['.json', '.wasm'].includes(extname(path));

const EXTENSIONS = ['.tsx', '.ts', '.jsx', '.js', '.json'];

/** TypeScript imports files by the names of their compiled files. */
const COMPILED_FROM: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.ts', '.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/** The files that a path in an import may mean, in order. */
export const listCandidates = (path: string): string[] => [
  path,
  ...EXTENSIONS.map((extension) => path + extension),
  ...(COMPILED_FROM[extname(path)] ?? []).map((source) => path.slice(0, -extname(path).length) + source),
  ...EXTENSIONS.map((extension) => join(path, `index${extension}`)),
];
