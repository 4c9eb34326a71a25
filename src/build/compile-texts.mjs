/** Compiles into texts: the script of formula processes, the page of the workbench, the templates, and completion scripts. Each is loaded when it is used. */
import { readdirSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { at, writeGenerated } from './paths.mjs';

const FOLDERS = 'src/templates/folders';
const SCRIPTS = 'src/completion/scripts';
const SHELLS = { bash: 'formulary.bash', zsh: 'formulary.zsh', fish: 'formulary.fish', powershell: 'formulary.ps1' };

export async function compileTexts() {
  // A formula may run in a Node.js 16. What the script of -e declares at its top would be global.
  const [child] = await bundle(['src/run/child.ts'], { platform: 'node', target: 'node16' });
  writeGenerated('formula-child', child, 'string');
  writeGenerated('dev-page', await compilePage(), 'Record<string, { type: string; text: string }>');
  const templates = readdirSync(at(FOLDERS)).map((name) => [name, readTemplate(`${FOLDERS}/${name}`)]);
  const scripts = Object.entries(SHELLS).map(([shell, file]) => [
    shell,
    readFileSync(at(`${SCRIPTS}/${file}`), 'utf8'),
  ]);
  writeGenerated(
    'completion-scripts',
    Object.fromEntries(scripts),
    `Record<'${Object.keys(SHELLS).join("' | '")}', string>`,
  );
  writeGenerated('templates', Object.fromEntries(templates), 'Record<string, Record<string, string>>');
}

async function bundle(entryPoints, options) {
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: at('.'),
    entryPoints,
    outdir: 'dist',
    bundle: true,
    format: 'iife',
    minify: true,
    write: false,
  });
  return outputFiles.map(({ text }) => text);
}

/** Type and text of each file by its path in the URL, for browsers of the last years. */
async function compilePage() {
  const folder = 'src/dev/page';
  const entryPoints = [`${folder}/page.ts`, `${folder}/page.css`];
  const [script, style] = await bundle(entryPoints, { target: ['chrome109', 'firefox115', 'safari16'] });
  return {
    '/': { type: 'text/html; charset=utf-8', text: readFileSync(at(`${folder}/page.html`), 'utf8') },
    '/icon.svg': { type: 'image/svg+xml', text: readFileSync(at(`${folder}/icon.svg`), 'utf8') },
    '/page.css': { type: 'text/css; charset=utf-8', text: style },
    '/page.js': { type: 'text/javascript; charset=utf-8', text: script },
  };
}

/** The order in which a new formula's files are listed. */
const ORDER = ['manifest', 'code', 'tests', 'tsconfig', 'formula'];

function readTemplate(folder) {
  const files = readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => (parentPath === at(folder) ? name : `tests/${name}`))
    .sort((a, b) => ORDER.indexOf(a.split(/[./]/)[0]) - ORDER.indexOf(b.split(/[./]/)[0]));
  return Object.fromEntries(files.map((file) => [file, readFileSync(at(`${folder}/${file}`), 'utf8')]));
}
