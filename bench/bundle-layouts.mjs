/**
 * `npm run test:layouts`: installs the same packages with npm, pnpm, and Yarn in each of their layouts, and bundles a
 * formula that imports them: all bundles must have the same bytes. Requires a network, so `npm test` does not run it.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withFolder } from './processes.mjs';

const BIN = join(import.meta.dirname, '../bin/formulary.js');
const PNPM = ['npx', '--yes', 'pnpm@10.34.9'];
const YARN = ['npx', '--yes', '@yarnpkg/cli-dist@4.18.1'];

/** Exact, so that no manager picks other versions. */
const VERSIONS = { jsonwebtoken: '9.0.2', uuid: '9.0.1', 'fast-xml-parser': '4.5.0', dayjs: '1.11.13' };
const dependencies = { ...VERSIONS };

const CODE = `import dayjs from 'dayjs';
import { XMLParser } from 'fast-xml-parser';
import jwt from 'jsonwebtoken';
import { v5 } from 'uuid';

export default async (req: object) => ({
  raw: { req, at: dayjs(0).year(), xml: new XMLParser().parse('<a>1</a>'), jwt: jwt.decode('x'), id: v5('x', v5.URL) },
});
`;

const MANIFEST = { name: 'Layouts', type: 'private', configuration: [], request_parameters: [] };

/** The files that each requires in addition to package.json, and its install command. */
const LAYOUTS = {
  npm: { install: ['npm', 'install', '--no-audit', '--no-fund'] },
  'npm, not hoisted': { install: ['npm', 'install', '--no-audit', '--no-fund', '--install-strategy=nested'] },
  'npm, linked': { install: ['npm', 'install', '--no-audit', '--no-fund', '--install-strategy=linked'] },
  'npm, a workspace': {
    files: {
      'package.json': { private: true, workspaces: ['packages/*'] },
      'packages/one/package.json': { name: 'one', version: '1.0.0', dependencies },
    },
    install: ['npm', 'install', '--no-audit', '--no-fund'],
  },
  pnpm: { install: [...PNPM, 'install'] },
  'pnpm, hoisted': { files: { '.npmrc': 'node-linker=hoisted\n' }, install: [...PNPM, 'install'] },
  'pnpm, with a global virtual store': {
    files: { 'pnpm-workspace.yaml': 'enableGlobalVirtualStore: true\n' },
    install: [...PNPM, 'install'],
  },
  "Yarn Plug'n'Play, with a global cache": {
    files: { '.yarnrc.yml': 'enableGlobalCache: true\n', 'yarn.lock': '' },
    install: [...YARN, 'install'],
  },
  "Yarn Plug'n'Play, with a cache of its own": {
    files: { '.yarnrc.yml': 'enableGlobalCache: false\n', 'yarn.lock': '' },
    install: [...YARN, 'install'],
  },
  "Yarn Plug'n'Play, with its table in JSON": {
    files: { '.yarnrc.yml': 'pnpEnableInlining: false\n', 'yarn.lock': '' },
    install: [...YARN, 'install'],
  },
  'Yarn, with node_modules': {
    files: { '.yarnrc.yml': 'nodeLinker: node-modules\n', 'yarn.lock': '' },
    install: [...YARN, 'install'],
  },
  'Yarn, with links as pnpm has': {
    files: { '.yarnrc.yml': 'nodeLinker: pnpm\n', 'yarn.lock': '' },
    install: [...YARN, 'install'],
  },
};

await withFolder(async (folder) => {
  const env = {
    ...process.env,
    HOME: join(folder, 'home'),
    COREPACK_ENABLE_STRICT: '0',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    CI: '',
  };
  mkdirSync(env.HOME);
  const run = ([command, ...words], cwd) =>
    execFileSync(command, words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const bundles = new Map();
  for (const [name, { files = {}, install }] of Object.entries(LAYOUTS)) {
    const project = join(folder, name);
    write(project, { 'package.json': { name: 'project', version: '1.0.0', private: true, dependencies }, ...files });
    write(project, {
      '.git/HEAD': 'ref: refs/heads/main\n',
      'formulas/f/manifest.json': MANIFEST,
      'formulas/f/code.ts': CODE,
    });
    run(install, project);
    const out = run([process.execPath, BIN, 'formula', 'create', 'formulas/f', '--dry-run', '--json'], project);
    const { code } = JSON.parse(out).body;
    const hash = createHash('sha256').update(code).digest('hex').slice(0, 16);
    bundles.set(hash, [...(bundles.get(hash) ?? []), name]);
    console.log(`${hash}  ${code.length} characters  ${name}`);
  }
  if (bundles.size === 1) return;
  console.error(`the bundles differ: ${JSON.stringify([...bundles.values()])}`);
  process.exitCode = 1;
});

function write(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}
