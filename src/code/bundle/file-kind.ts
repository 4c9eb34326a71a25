/** What a file contains, by its name and by the attribute of the import; decides how it is bundled. */
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

/** A name such as `LICENSE` or `cli` has no extension: Node.js runs it as a script. A dot file does not count as one. */
const isScript = (path: string) => extname(path) === '' && !basename(path).startsWith('.');

export const isCode = (path: string): boolean => extname(path) in CODE || isScript(path);

/** What a package may contribute. */
export const isPackageFile = (path: string): boolean => isCode(path) || ['.json', '.wasm'].includes(extname(path));

const ATTRIBUTES: Readonly<Record<string, Loader>> = { json: 'json', text: 'text', bytes: 'binary' };

/** How esbuild loads a file; undefined if it cannot. `type` is the import attribute of that name. */
export function chooseLoader(path: string, type: string | undefined): Loader | undefined {
  if (type !== undefined) return Object.hasOwn(ATTRIBUTES, type) ? ATTRIBUTES[type] : undefined;
  const extension = extname(path);
  if (Object.hasOwn(CODE, extension)) return CODE[extension];
  if (Object.hasOwn(DATA, extension)) return DATA[extension];
  return isScript(path) ? 'js' : undefined;
}
