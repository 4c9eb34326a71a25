/**
 * Measures other command-line tools and the client library of a public service: their size, the time of --version,
 * and 1,000 creates against the same loopback service. Installs them into a temporary folder, except gh, which must be
 * installed: node bench/peers.mjs [NAME...], for example gh or library
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPlainService } from './plain-service.mjs';
import { bare, compare, countOf, runOnce, withFolder, world } from './processes.mjs';

const TOOLS = ['wrangler', 'auth0-deploy-cli', '@google/clasp'];
const LIBRARY = '@basis-theory/basis-theory-js@4.30.2';
const CREATES = countOf(1000);
const VERSION = { target: 'none', rounds: 10 };

/** Installs one package into a folder of its own, from whatever registry npm is set to. */
function install(folder, name) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', name];
  execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

const bytesIn = (path) => {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
};

/** The script behind the first command of a package, and its version. */
function commandOf(folder, name) {
  const place = join(folder, 'node_modules', name);
  const { bin, version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  return { script: join(place, typeof bin === 'string' ? bin : Object.values(bin)[0]), version };
}

async function measureTool(name, place, env) {
  const folder = join(place, name.replace('/', '-'));
  install(folder, name);
  const { script, version } = commandOf(folder, name);
  const size = (bytesIn(join(folder, 'node_modules')) / 1024 / 1024).toFixed(0);
  const title = `${name} ${version}, ${size} MiB installed: --version`;
  await compare({ ...VERSION, title, ours: { words: [script, '--version'], env }, base: { words: ['-e', '0'], env } });
}

async function measureGh(env) {
  const { stdout, error } = spawnSync('gh', ['--version'], { encoding: 'utf8' });
  if (error) return console.log('\ngh: not measured, since it is not installed');
  const ours = { program: 'gh', words: ['--version'], env };
  await compare({ ...VERSION, title: stdout.split('\n')[0], ours, base: { words: ['-e', '0'], env } });
}

async function measureLibrary(place, env) {
  const folder = join(place, 'library');
  install(folder, LIBRARY);
  const service = await startPlainService();
  // The one name that the library speaks plain http to.
  const url = service.url.replace('127.0.0.1', 'localhost');
  const { wallMs } = await runOnce({ words: [bare('sdk-creates'), folder, url, String(CREATES)], env });
  const { formulas } = await service.ask();
  console.log(`\n${LIBRARY}: ${formulas} of ${CREATES} creates, 16 at once, in ${(wallMs / 1000).toFixed(1)} s`);
  service.stop();
}

const wanted = process.argv.slice(2);
const isAsked = (name) => wanted.length === 0 || wanted.some((word) => name.includes(word));
await withFolder(async (place) => {
  const env = world(place);
  if (isAsked('gh')) await measureGh(env);
  if (isAsked('library')) await measureLibrary(place, env);
  for (const name of TOOLS.filter(isAsked)) await measureTool(name, place, env);
});
