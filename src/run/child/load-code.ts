/** Loads the code of a formula. */
import NodeModule from 'node:module';
import { dirname } from 'node:path';

/** Loads the code as Node.js loads a CommonJS file, whatever its folder's package.json says. */
export function loadCode(code: string, file: string): unknown {
  const Loader = NodeModule as unknown as {
    new (
      id: string,
    ): { filename: string; paths: string[]; exports: unknown; _compile(text: string, file: string): void };
    _nodeModulePaths(folder: string): string[];
  };
  const loaded = new Loader(file);
  loaded.filename = file;
  loaded.paths = Loader._nodeModulePaths(dirname(file));
  loaded._compile(code, file);
  return loaded.exports;
}
