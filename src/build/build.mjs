/**
 * Makes dist/: the manifest check compiled, then the tool in CommonJS files of which a command loads only its own.
 * esbuild divides ECMAScript modules alone, which start slower; so each of its files is made CommonJS after that.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build, transform } from 'esbuild';
import { compileChild } from './compile-child.mjs';
import { compileSchema } from './compile-schema.mjs';
import { licencesOf } from './licences.mjs';
import { at } from './paths.mjs';

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

const validatorInputs = await compileSchema();
await compileChild();
rmSync(at('dist'), { recursive: true, force: true });
const common = { platform: 'node', target: 'node20.19', minify: true, legalComments: 'none', logLevel: 'warning' };
const { outputFiles, metafile } = await build({
  ...common,
  absWorkingDir: at('.'),
  entryPoints: ['src/cli.ts'],
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  splitting: true,
  write: false,
  metafile: true,
  // jsonc-parser's CommonJS file requires by computed paths; its module file does not.
  mainFields: ['module', 'main'],
  external: ['esbuild', 'libsql'],
  define: { FORMULARY_VERSION: JSON.stringify(version) },
});
mkdirSync(at('dist'));
for (const { path, text } of outputFiles) {
  // Without `supported` import() would stay, and load the files as ECMAScript modules.
  const { code } = await transform(text, { ...common, format: 'cjs', supported: { 'dynamic-import': false } });
  writeFileSync(at(`dist/${basename(path)}`), code);
}
const used = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
writeFileSync(at('dist/licenses.txt'), licencesOf([...used, ...validatorInputs]));
// What each file holds, for the test of what commands load.
const inputs = Object.entries(metafile.outputs).map(([path, output]) => [basename(path), Object.keys(output.inputs)]);
writeFileSync(at('src/generated/dist-files.json'), JSON.stringify(Object.fromEntries(inputs), null, 1));
