/**
 * Makes dist/: the manifest check compiled, then the tool in one CommonJS file whose modules wake when first imported.
 * What is big and seldom needed is a file beside it, so that Node.js need not read it at every start.
 */
import { readFileSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { build } from 'esbuild';
import { compileSchema } from './compile-schema.mjs';
import { at } from './paths.mjs';

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

await compileSchema();
rmSync(at('dist'), { recursive: true, force: true });

/** Modules without state, which import nothing that the tool has too. */
const APART = ['src/api/undici.ts', 'src/code/typescript.ts'];

const shared = {
  absWorkingDir: at('.'),
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  // jsonc-parser's CommonJS file requires by computed paths; its module file does not.
  mainFields: ['module', 'main'],
  // Without this esbuild keeps import() alive in CommonJS output and looks for files that are not there.
  supported: { 'dynamic-import': false },
  external: ['esbuild', 'libsql'],
  define: { FORMULARY_VERSION: JSON.stringify(version) },
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
};

const besideTool = {
  name: 'beside-the-tool',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => {
      const isApart = APART.some((file) => at(file) === resolve(resolveDir, path));
      return isApart ? { path: `./${basename(path, '.ts')}.js`, external: true } : undefined;
    });
  },
};

await build({ ...shared, entryPoints: ['src/cli.ts'], plugins: [besideTool] });
await build({ ...shared, entryPoints: Object.fromEntries(APART.map((file) => [basename(file, '.ts'), file])) });
