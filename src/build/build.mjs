/**
 * Makes dist/: the manifest check compiled, then the tool in CommonJS files of which a command loads only its own.
 * esbuild divides ECMAScript modules alone, which start slower; so each of its files is made CommonJS after that.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build, transform } from 'esbuild';
import { compileChild } from './compile-child.mjs';
import { compileSchema } from './compile-schema.mjs';
import { hashOfSources } from './hash-of-sources.mjs';
import { licencesOf } from './licences.mjs';
import { at } from './paths.mjs';

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

const validatorInputs = await compileSchema();
await compileChild();
rmSync(at('dist'), { recursive: true, force: true });
const common = { platform: 'node', target: 'node20.19', minify: true, legalComments: 'none', logLevel: 'warning' };

/** commander starts programs for sub-commands that are files of their own, of which there are none; the module is costly. */
const noPrograms = {
  name: 'no-programs',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      /node_modules.commander/.test(importer) ? { path, namespace: 'no-programs' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'no-programs' }, () => ({ contents: 'module.exports = {};' }));
  },
};
const { outputFiles, metafile } = await build({
  ...common,
  absWorkingDir: at('.'),
  // The second is the script of the threads that read the code of many folders.
  entryPoints: ['src/cli.ts', 'src/code/read-worker.ts'],
  outdir: 'dist',
  entryNames: '[name]-[hash]',
  bundle: true,
  format: 'esm',
  splitting: true,
  write: false,
  metafile: true,
  // jsonc-parser's CommonJS file requires by computed paths; its module file does not.
  mainFields: ['module', 'main'],
  external: ['esbuild', 'libsql'],
  plugins: [noPrograms],
  define: { FORMULARY_VERSION: JSON.stringify(version), FORMULARY_BUILD: JSON.stringify(hashOfSources(at('.'))) },
});
/** What is shared says to src/load.cjs which names it has, so that it is loaded when one of them is first used. */
const withNames = (/** @type {string} */ _, /** @type {string} */ file) =>
  `require("./${file}",${JSON.stringify(metafile.outputs[`dist/${file}`]?.exports.join())})`;
mkdirSync(at('dist'));
for (const { path, text } of outputFiles) {
  // Without `supported` import() would stay, and load the files as ECMAScript modules.
  const { code } = await transform(text, { ...common, format: 'cjs', supported: { 'dynamic-import': false } });
  writeFileSync(at(`dist/${basename(path)}`), code.replace(/require\("\.\/(chunk-[\w-]+\.js)"\)/g, withNames));
}
const used = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
writeFileSync(at('dist/licenses.txt'), licencesOf([...used, ...validatorInputs]));
const fileOf = (source) =>
  basename(Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint === source) ?? '');
const { code } = await transform(readFileSync(at('src/load.cjs'), 'utf8'), {
  ...common,
  format: 'cjs',
  define: { FORMULARY_ENTRY: JSON.stringify(fileOf('src/cli.ts')) },
});
writeFileSync(at('dist/load.js'), code);
writeFileSync(at('dist/read-worker.js'), `require("./${fileOf('src/code/read-worker.ts')}");\n`);
// What each file holds, for the test of what commands load.
const inputs = Object.entries(metafile.outputs).map(([path, output]) => [basename(path), Object.keys(output.inputs)]);
inputs.push(['load.js', ['src/load.cjs']], ['read-worker.js', []]);
writeFileSync(at('src/generated/dist-files.json'), JSON.stringify(Object.fromEntries(inputs), null, 1));
