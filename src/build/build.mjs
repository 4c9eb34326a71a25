/**
 * Builds dist/: the compiled manifest validator, then the tool as CommonJS files of which a command loads only its own.
 * esbuild splits only ECMAScript modules, which start slower, so each of its files is then converted to CommonJS.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { build, transform } from 'esbuild';
import { compileSchemas } from './compile-schema.mjs';
import { compileTexts } from './compile-texts.mjs';
import { collectLicenses } from './licenses.mjs';
import { at } from './paths.mjs';

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

const validatorInputs = await compileSchemas();
await compileTexts();
rmSync(at('dist'), { recursive: true, force: true });
const common = { platform: 'node', target: 'node20.19', minify: true, legalComments: 'none', logLevel: 'warning' };

/**
 * Stubs of modules that packages import for features that are not used. Loading them takes a fifth of the time of a
 * command that sends one request.
 */
const UNUSED = [
  // Commands that are programs of their own.
  { package: 'commander', module: /^node:child_process$/, contents: 'module.exports = {};' },
  // HTTP/2.
  { package: 'undici', module: /\/client-h2\.js$/, contents: 'module.exports = undefined;' },
  // Bodies that are forms or streams.
  { package: 'undici', module: /web\/fetch\/body\.js$/, contents: 'module.exports = {};' },
  // Node.js's own client: the default limit of header bytes, and a class to tell its responses.
  {
    package: 'undici',
    module: /^node:http$/,
    contents: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
  },
];
const leaveOutUnused = {
  name: 'leave-out-unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer }) => {
      const found = UNUSED.findIndex(
        (unused) => unused.module.test(path) && importer.includes(`${sep}node_modules${sep}${unused.package}${sep}`),
      );
      return found < 0 ? undefined : { path, namespace: 'unused', pluginData: found };
    });
    onLoad({ filter: /./, namespace: 'unused' }, ({ pluginData }) => ({ contents: UNUSED[pluginData].contents }));
  },
};
/**
 * esbuild's API is shipped as it is, without the package around it: that has an install script, which package managers
 * refuse or ask about. The program that it starts is in the package of the platform. It refuses to run under another name.
 */
const ESBUILD_API = 'esbuild/lib/main.js';
const shipEsbuildApi = {
  name: 'ship-esbuild-api',
  setup({ onResolve }) {
    // Not `./`, which is for the files that src/build/load.cjs loads.
    onResolve({ filter: /^esbuild$/ }, () => ({ path: `../dist/${ESBUILD_API}`, external: true }));
  },
};
const { outputFiles, metafile } = await build({
  ...common,
  absWorkingDir: at('.'),
  // The second is what the parse threads run; the third is a separate file because many commands that import it
  // never use it.
  entryPoints: ['src/cli.ts', 'src/check/parse-worker.ts', 'src/text/jsonc.ts'],
  outdir: 'dist',
  entryNames: '[name]',
  bundle: true,
  format: 'esm',
  splitting: true,
  write: false,
  metafile: true,
  // jsonc-parser's CommonJS file requires by computed paths; its module file does not.
  mainFields: ['module', 'main'],
  external: ['libsql'],
  plugins: [leaveOutUnused, shipEsbuildApi],
  define: { FORMULARY_VERSION: JSON.stringify(version) },
});
/** Modules of constants alone, which esbuild inlines where they are used: nothing remains of their files. */
const isEmpty = (/** @type {string} */ file) => metafile.outputs[`dist/${file}`]?.bytes === 0;
/**
 * Links the files of dist by the functions of src/build/load.cjs, which takes a fraction of the time that esbuild's code for
 * it takes. What is imported for its effects is left out: only entry points have any.
 */
const linkLazily = (/** @type {string} */ text) =>
  text
    .replace(/\bimport"\.\/[\w-]+\.js";?/g, '')
    .replace(/\bimport\("\.\/([\w-]+\.js)"\)/g, 'Promise.resolve("$1").then(load)')
    .replace(/\bexport default ([\w$]+\(\));?\s*$/, 'expose({default:$1})')
    .replace(
      /^(.*)\bexport\{([^}]*)\};?\s*$/s,
      (_, body, list) => `expose({${list.split(',').map(toGetter)}});${body}`,
    );
const toGetter = (/** @type {string} */ exported) => {
  const [local, name = local] = exported.split(' as ');
  return `get ${name}(){return ${local}}`;
};
mkdirSync(at('dist'));
for (const { path, text } of outputFiles) {
  if (isEmpty(basename(path))) continue;
  // Without `supported` import() would stay, and load the files as ECMAScript modules.
  const options = { ...common, format: 'cjs', supported: { 'dynamic-import': false } };
  const { code } = await transform(linkLazily(text), options);
  if (metafile.outputs[path]?.exports.length && !code.includes('expose(')) throw new Error(`cannot link ${path}`);
  writeFileSync(at(`dist/${basename(path)}`), code);
}
const loader = await transform(readFileSync(at('src/build/load.cjs'), 'utf8'), { ...common, format: 'cjs' });
writeFileSync(at('dist/load.js'), loader.code);
cpSync(at(`node_modules/${ESBUILD_API}`), at(`dist/${ESBUILD_API}`));
const used = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
writeFileSync(at('dist/licenses.txt'), collectLicenses([...used, ...validatorInputs, `node_modules/${ESBUILD_API}`]));
// The sources of each file, for the test of the modules that commands load.
const inputs = Object.entries(metafile.outputs)
  .filter(([path]) => !isEmpty(basename(path)))
  .map(([path, output]) => [basename(path), Object.keys(output.inputs)]);
inputs.push(['load.js', ['src/build/load.cjs']], [ESBUILD_API, [`node_modules/${ESBUILD_API}`]]);
writeFileSync(at('src/generated/dist-files.json'), JSON.stringify(Object.fromEntries(inputs), null, 1));
