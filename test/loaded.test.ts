/** What a command loads: the start-up path has on it what the command needs, and nothing else. */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith } from './helpers/folders.ts';
import { installedTool } from './helpers/installed-tool.ts';
import { json, loopback } from './helpers/loopback.ts';

const ROOT = join(import.meta.dirname, '..');
const INPUTS: Record<string, string[]> = JSON.parse(readFileSync(join(ROOT, 'src/generated/dist-files.json'), 'utf8'));

/** Prints, when the process ends, the files that it read. */
const LISTING = `
  const fs = require('fs');
  const { readFileSync } = fs;
  const files = [];
  fs.readFileSync = (file, ...more) => (files.push(String(file)), readFileSync(file, ...more));
  process.on('exit', () => fs.writeSync(3, [...files, ...process.moduleLoadList].join('\\n')));
`;

const listings = new Map<string, Promise<string[]>>();

/** The files and modules of Node.js that a command loads; it is run once. FOLDER is replaced by a formula folder. */
function loadedBy(line: string): Promise<string[]> {
  const listed =
    listings.get(line) ?? listing(line.split(' ').map((word) => word.replace('FOLDER', folderWith(cardFiles()))));
  listings.set(line, listed);
  return listed;
}

async function listing(words: readonly string[]): Promise<string[]> {
  const preload = join(folderWith({ 'list.cjs': LISTING }), 'list.cjs');
  const { url } = await loopback((_, response) =>
    json(response, 200, { data: [], pagination: { total_items: 0, total_pages: 1 } }),
  );
  const child = spawn(process.execPath, ['--require', preload, join(ROOT, 'bin/formulary.js'), ...words], {
    env: { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key-full', XDG_DATA_HOME: folderWith() },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  let listed = '';
  (child.stdio[3] as Readable).on('data', (text) => {
    listed += text;
  });
  expect(await new Promise((done) => child.once('close', done))).toBe(0);
  return listed.split('\n');
}

/** The packages of node_modules that a command line loads. */
async function packagesOf(line: string): Promise<string[]> {
  const files = (await loadedBy(line)).filter((file) => file.startsWith(join(ROOT, 'dist')));
  const inputs = files.flatMap((file) => INPUTS[relative(join(ROOT, 'dist'), file)] ?? expect.unreachable(file));
  const packages = inputs.flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []);
  return [...new Set(packages)].sort();
}

/** Modules of Node.js that take a millisecond or more to load. */
const SLOW = ['tls', 'http', 'http2', 'child_process', 'worker_threads'];

const COMMANDER = ['@commander-js/extra-typings', 'commander'];
const CHECKS = ['@commander-js/extra-typings', 'commander', 'meriyah'];

describe('the start-up path', () => {
  it.each<[string, string[]]>([
    ['--version', []],
    ['--help', COMMANDER],
    ['formula create --help', COMMANDER],
    ['formula validate --help', COMMANDER],
    ['formula push --help', COMMANDER],
    ['formula pull --help', COMMANDER],
    ['formula types --help', COMMANDER],
    ['formula init --help', COMMANDER],
    ['formula init FOLDER/new', COMMANDER],
    ['formula run --help', COMMANDER],
    ['formula test --help', COMMANDER],
    ['formula dev --help', COMMANDER],
    ['doctor --help', COMMANDER],
    ['completion bash', COMMANDER],
    ['completion bash -- formula push --out', COMMANDER],
    ['completion bash -- service application create --permission reactor', COMMANDER],
    ['formula validate FOLDER', CHECKS],
    ['formula validate FOLDER --json', CHECKS],
    ['formula list', [...COMMANDER, 'undici']],
    ['formula list --json', [...COMMANDER, 'undici']],
    ['formula list --local', COMMANDER],
    ['formula create FOLDER --local', CHECKS],
    ['doctor', [...COMMANDER, 'esbuild', 'undici']],
  ])('of %s has no other package than %j', async (line, packages) => {
    expect(await packagesOf(line)).toEqual(packages);
  });

  it.each([
    ['--version', ['stream', 'crypto', 'tty', 'net', ...SLOW]],
    ['--help', ['stream', 'crypto', 'tty', 'net', ...SLOW]],
    ['formula create --help', ['stream', 'crypto', 'tty', 'net', ...SLOW]],
    ['formula validate FOLDER', ['stream', 'crypto', 'tty', 'net', ...SLOW]],
    ['formula list', ['crypto', 'tty', 'zlib', ...SLOW]],
  ])('of %s has none of the slow Node.js modules %j', async (line, slow) => {
    const loaded = (await loadedBy(line)).map((name) => name.replace('NativeModule ', ''));
    expect(loaded.filter((name) => slow.includes(name))).toEqual([]);
  });

  it('writes nothing into the installation', async () => {
    const folder = installedTool();
    const listFiles = () => readdirSync(folder, { recursive: true }).sort();
    const before = listFiles();
    for (const line of ['--version', '--help', `formula validate ${folderWith(cardFiles())}`]) {
      for (const _ of [1, 2]) execFileSync(process.execPath, [join(folder, 'bin/formulary.js'), ...line.split(' ')]);
    }
    expect(listFiles()).toEqual(before);
  });
});
