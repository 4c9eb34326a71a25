/** The kind of a file, by its name and the import attribute. */
import { basename, extname } from 'node:path';
import type { Loader } from 'esbuild';

const CODE: Readonly<Record<string, Loader>> = {
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.jsx': 'jsx',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
};

const DATA: Readonly<Record<string, Loader>> = { '.json': 'json', '.txt': 'text' };

/** Node.js runs a file without an extension, such as `cli`, as a script; dot files do not count. */
const isScript = (path: string) => extname(path) === '' && !basename(path).startsWith('.');

export const isCode = (path: string): boolean => extname(path) in CODE || isScript(path);

/** Whether a file of a package may be bundled. */
export const isPackageFile = (path: string): boolean => isCode(path) || ['.json', '.wasm'].includes(extname(path));

const ATTRIBUTES: Readonly<Record<string, Loader>> = { json: 'json', text: 'text', bytes: 'binary' };

/** esbuild's loader for a file; undefined if there is none. `type` is the import attribute. */
export function chooseLoader(path: string, type: string | undefined): Loader | undefined {
  if (type !== undefined) return Object.hasOwn(ATTRIBUTES, type) ? ATTRIBUTES[type] : undefined;
  const extension = extname(path);
  if (Object.hasOwn(CODE, extension)) return CODE[extension];
  if (Object.hasOwn(DATA, extension)) return DATA[extension];
  return isScript(path) ? 'js' : undefined;
}
