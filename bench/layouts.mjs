/**
 * `npm run check:layouts`: packs the tool, installs it with npm (in a project, and globally), pnpm, and Yarn, and
 * publishes a formula with each. Requires a network, so `npm test` does not run it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolder } from './processes.mjs';

const ROOT = join(import.meta.dirname, '..');

/** A program of packages that npx fetches. */
const npx = (program, ...packages) => ['npx', '--yes', ...packages.flatMap((name) => ['--package', name]), program];

const pnpm = (...packages) => ({
  install: [...npx('pnpm', ...packages), 'add', '--save-dev'],
  start: [...npx('pnpm', ...packages), 'exec', 'formulary'],
});

/** What pnpm 11 needs; the others run on any Node.js of the tool. */
const NODE_22 = Number.parseInt(process.versions.node, 10) < 22 ? [`node-${process.platform}-${process.arch}@22`] : [];

/** How each installs the package, and how it then starts the tool. */
const LAYOUTS = {
  npm: { install: ['npm', 'install', '--save-dev'], start: ['npx', '--no', 'formulary', '--'] },
  'npm, global': { install: ['npm', 'install', '--global', '--prefix', '.'], start: ['bin/formulary'] },
  'pnpm 9': pnpm('pnpm@9'),
  'pnpm 10': pnpm('pnpm@10'),
  'pnpm 11': pnpm('pnpm@11', ...NODE_22),
  'pnpm 12': pnpm('pnpm@12'),
  'Yarn 1': {
    install: [...npx('yarn', 'yarn@1.22.22'), 'add', '--dev'],
    start: [...npx('yarn', 'yarn@1.22.22'), '--silent', 'formulary'],
  },
  "Yarn 4, Plug'n'Play": {
    install: [...npx('yarn', '@yarnpkg/cli-dist@4'), 'add', '--dev'],
    start: [...npx('yarn', '@yarnpkg/cli-dist@4'), 'run', 'formulary'],
  },
};

const COMMANDS = [
  ['--version'],
  ['formula', 'init', 'greet', '--no-input', '--template', 'ts'],
  ['formula', 'validate', 'greet', '--strict'],
  ['formula', 'test', 'greet'],
  ['formula', 'create', 'greet', '--local', '--json'],
  ['formula', 'push', 'greet', '--local'],
];

/** Returns what it printed on stdout. Fails unless it ends with 0, and where an install script was not run. */
function run([command = '', ...words], cwd, env) {
  const { status, stdout, stderr, error } = spawnSync(command, words, { cwd, env, encoding: 'utf8' });
  const printed = stdout + stderr;
  if (error || status !== 0)
    throw new Error(`${command} ${words.join(' ')} ended with ${error ?? status}:\n${printed}`);
  if (/ignored build scripts/i.test(printed)) throw new Error(`${command} ${words.join(' ')}:\n${printed}`);
  return stdout;
}

await withFolder(async (folder) => {
  // The rest tells where packages come from.
  const env = { ...process.env, HOME: folder };
  const pack = ['npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const file = join(folder, JSON.parse(run(pack, ROOT, env))[0].filename);
  for (const [name, { install, start }] of Object.entries(LAYOUTS)) {
    const project = join(folder, name);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"name": "project", "version": "1.0.0", "private": true}\n');
    run([...install, `formulary-cli@file:${file}`], project, env);
    // A service of its own for each, so that every name is free.
    const local = { ...env, FORMULARY_LOCAL_DATA: join(project, 'local.db') };
    for (const words of COMMANDS) run([...start, ...words], project, local);
    console.log(`ok  ${name}: installed, and a formula in TypeScript validated, tested, and published`);
  }
});
