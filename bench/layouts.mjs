/**
 * `npm run check:layouts`: packs the tool, installs it as npm (for a project, and globally), pnpm and yarn do, and
 * publishes a formula with each. Needs a network, so it is no part of `npm test`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolder } from './processes.mjs';

const ROOT = join(import.meta.dirname, '..');
const PNPM = 'pnpm@9';
const YARN = 'yarn@1.22.22';

/** How each installs the package at `file`, and how it then starts the tool. */
const LAYOUTS = {
  npm: { install: ['npm', 'install', '--save-dev'], start: ['npx', '--no', 'formulary', '--'] },
  'npm, global': { install: ['npm', 'install', '--global', '--prefix', '.'], start: ['bin/formulary'] },
  pnpm: { install: ['npx', '--yes', PNPM, 'add', '--save-dev'], start: ['npx', '--yes', PNPM, 'exec', 'formulary'] },
  yarn: { install: ['npx', '--yes', YARN, 'add', '--dev'], start: ['npx', '--yes', YARN, '--silent', 'formulary'] },
};

const TYPED = [
  ['--version'],
  ['formula', 'init', 'greet', '--no-input', '--template', 'ts'],
  ['formula', 'validate', 'greet', '--strict'],
  ['formula', 'test', 'greet'],
  ['formula', 'create', 'greet', '--local', '--json'],
  ['formula', 'push', 'greet', '--local'],
];

await withFolder(async (folder) => {
  // The rest tells where packages come from.
  const env = { ...process.env, HOME: folder };
  const run = ([command = '', ...words], cwd) =>
    execFileSync(command, words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const pack = ['npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const file = join(folder, JSON.parse(run(pack, ROOT))[0].filename);
  for (const [name, { install, start }] of Object.entries(LAYOUTS)) {
    const project = join(folder, name);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"name": "project", "version": "1.0.0", "private": true}\n');
    run([...install, file], project);
    for (const words of TYPED) {
      // A service of its own for each, so that every name is free.
      const local = { ...env, FORMULARY_LOCAL_DATA: join(project, 'local.db') };
      const [command = '', ...before] = start;
      execFileSync(command, [...before, ...words], { cwd: project, env: local, stdio: ['ignore', 'pipe', 'inherit'] });
    }
    console.log(`ok  ${name}: installed, and a formula in TypeScript checked, tested and published`);
  }
});
