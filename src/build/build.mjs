/** Makes dist/: the manifest check compiled, then the tool in one CommonJS file whose modules wake when first imported. */
import { readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';
import { compileSchema } from './compile-schema.mjs';
import { at } from './paths.mjs';

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

await compileSchema();
rmSync(at('dist'), { recursive: true, force: true });
await build({
  absWorkingDir: at('.'),
  entryPoints: ['src/cli.ts'],
  outfile: 'dist/cli.js',
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
});
