/** Compiles the page of the workbench into texts, which are loaded only when it is served. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { at } from './paths.mjs';

const FOLDER = 'src/dev/page';
/** Browsers of the last years. */
const TARGET = ['chrome109', 'firefox115', 'safari16'];

/** Writes src/generated/dev-page.js: type and text of each file by its path in the URL. */
export async function compilePage() {
  mkdirSync(at('src/generated'), { recursive: true });
  const { outputFiles } = await build({
    absWorkingDir: at('.'),
    entryPoints: [`${FOLDER}/page.ts`, `${FOLDER}/page.css`],
    outdir: 'dist',
    bundle: true,
    format: 'iife',
    target: TARGET,
    minify: true,
    write: false,
  });
  const textOf = (/** @type {string} */ end) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  const files = {
    '/': { type: 'text/html; charset=utf-8', text: readFileSync(at(`${FOLDER}/page.html`), 'utf8') },
    '/icon.svg': { type: 'image/svg+xml', text: readFileSync(at(`${FOLDER}/icon.svg`), 'utf8') },
    '/page.css': { type: 'text/css; charset=utf-8', text: textOf('.css') },
    '/page.js': { type: 'text/javascript; charset=utf-8', text: textOf('.js') },
  };
  writeFileSync(at('src/generated/dev-page.js'), `export default ${JSON.stringify(files)};\n`);
  writeFileSync(
    at('src/generated/dev-page.d.ts'),
    'declare const files: Record<string, { type: string; text: string }>;\nexport default files;\n',
  );
}
