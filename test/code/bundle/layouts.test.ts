/** The ways in which package managers keep packages: each can be bundled, and all give the same bytes. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { computerWith, type Files, importing, initGit } from '../../helpers/computer.ts';
import { inFolder } from '../../helpers/folders.ts';
import { zipOf } from '../../helpers/zip.ts';

/** A package with `exports`, that depends on one of both kinds, and is a module itself. */
const FORMAT: Files = {
  'package.json': JSON.stringify({
    name: 'format',
    version: '2.0.0',
    type: 'module',
    exports: { '.': { import: './src/index.js' }, './rates.json': './rates.json' },
    dependencies: { digits: '1.0.0' },
  }),
  'src/index.js':
    "import last4 from 'digits';\nexport { one } from './one.js';\nexport default (n) => '*' + last4(n);\n",
  'src/one.js': "import rates from '../rates.json';\nexport const one = rates.one;\n",
  'rates.json': '{ "one": 1 }',
};

const DIGITS: Files = {
  'package.json': '{"name":"digits","version":"1.0.0","main":"./lib"}',
  'lib/index.js': "module.exports = require('./all/');\n",
  'lib/all/index.js': "module.exports = require('../last');\n",
  'lib/last.js': 'module.exports = (n) => n.slice(-4);\n',
};

const CODE = `import format, { one } from 'format';
import last4 from 'digits';

export default async ({ args }) => ({ raw: { format: format(args.n), one, last4: last4(args.n) } });
`;

function link(from: string, to: string): void {
  mkdirSync(dirname(from), { recursive: true });
  symlinkSync(to, from);
}

interface Layout {
  files: Files;
  links?: Record<string, string>;
  prepare?: (top: string) => void;
}

const PNPM = 'repo/node_modules/.pnpm';
const STORE = 'home/.local/share/pnpm/store/v10/links';
const CACHE = 'home/.yarn/berry/cache';

const pnp = (format: string, digits: string) => ({
  enableTopLevelFallback: true,
  fallbackExclusionList: [],
  fallbackPool: [],
  ignorePatternData: null,
  packageRegistryData: [
    [
      null,
      [
        [
          null,
          {
            packageLocation: './',
            packageDependencies: [
              ['format', 'npm:2.0.0'],
              ['digits', 'npm:1.0.0'],
            ],
          },
        ],
      ],
    ],
    ['digits', [['npm:1.0.0', { packageLocation: digits, packageDependencies: [['digits', 'npm:1.0.0']] }]]],
    [
      'format',
      [
        [
          'npm:2.0.0',
          {
            packageLocation: format,
            packageDependencies: [
              ['digits', 'npm:1.0.0'],
              ['format', 'npm:2.0.0'],
            ],
          },
        ],
      ],
    ],
  ],
});

/** As Yarn writes it: JSON in a string of several lines. */
const pnpFile = (table: object) =>
  `#!/usr/bin/env node\n/* eslint-disable */\nthrow new Error('run');\nconst RAW_RUNTIME_STATE =\n'${JSON.stringify(table, null, 2).replaceAll("'", "\\'").replaceAll('\n', '\\\n')}';\n\nfunction $$SETUP_STATE(hydrateRuntimeState, basePath) {\n  return hydrateRuntimeState(JSON.parse(RAW_RUNTIME_STATE), {basePath: basePath || __dirname});\n}\n`;

const LAYOUTS: Record<string, Layout> = {
  'npm, in the repository': {
    files: { ...inFolder('repo/node_modules/format', FORMAT), ...inFolder('repo/node_modules/digits', DIGITS) },
  },
  'npm, in the folder of the formula': {
    files: {
      ...inFolder('repo/formulas/card/node_modules/format', FORMAT),
      ...inFolder('repo/formulas/card/node_modules/digits', DIGITS),
    },
  },
  'npm, not hoisted': {
    files: {
      ...inFolder('repo/node_modules/format', FORMAT),
      ...inFolder('repo/node_modules/digits', DIGITS),
      ...inFolder('repo/node_modules/format/node_modules/digits', DIGITS),
    },
  },
  'npm, above the repository': {
    files: { ...inFolder('node_modules/format', FORMAT), ...inFolder('node_modules/digits', DIGITS) },
  },
  pnpm: {
    files: {
      ...inFolder(`${PNPM}/format@2.0.0/node_modules/format`, FORMAT),
      ...inFolder(`${PNPM}/digits@1.0.0/node_modules/digits`, DIGITS),
    },
    links: {
      [`${PNPM}/format@2.0.0/node_modules/digits`]: '../../digits@1.0.0/node_modules/digits',
      'repo/node_modules/format': '.pnpm/format@2.0.0/node_modules/format',
      'repo/node_modules/digits': '.pnpm/digits@1.0.0/node_modules/digits',
    },
  },
  'pnpm, with a global virtual store': {
    files: {
      ...inFolder(`${STORE}/@/format/2.0.0/af12/node_modules/format`, FORMAT),
      ...inFolder(`${STORE}/@/digits/1.0.0/bc34/node_modules/digits`, DIGITS),
    },
    links: {
      [`${STORE}/@/format/2.0.0/af12/node_modules/digits`]: '../../../../digits/1.0.0/bc34/node_modules/digits',
      'repo/node_modules/format': `TOP/${STORE}/@/format/2.0.0/af12/node_modules/format`,
      'repo/node_modules/digits': `TOP/${STORE}/@/digits/1.0.0/bc34/node_modules/digits`,
    },
  },
  'Yarn, with links into its store': {
    files: {
      ...inFolder('repo/node_modules/.store/format-npm-2.0.0-af12/package', FORMAT),
      ...inFolder('repo/node_modules/.store/digits-npm-1.0.0-bc34/package', DIGITS),
    },
    links: {
      'repo/node_modules/.store/format-npm-2.0.0-af12/node_modules/digits': '../../digits-npm-1.0.0-bc34/package',
      'repo/node_modules/format': '.store/format-npm-2.0.0-af12/package',
      'repo/node_modules/digits': '.store/digits-npm-1.0.0-bc34/package',
    },
  },
  "Yarn Plug'n'Play, with archives in the repository": {
    files: {
      'repo/.pnp.cjs': pnpFile(
        pnp('./.yarn/cache/format.zip/node_modules/format/', './.yarn/unplugged/digits/node_modules/digits/'),
      ),
      'repo/.yarn/cache/format.zip': zipOf(inFolder('node_modules/format', FORMAT) as Record<string, string>),
      ...inFolder('repo/.yarn/unplugged/digits/node_modules/digits', DIGITS),
    },
  },
  "Yarn Plug'n'Play, with a global cache": {
    files: {
      'repo/.pnp.cjs': pnpFile(
        pnp(
          './.yarn/__virtual__/format-virtual-1/2/home/.yarn/berry/cache/format.zip/node_modules/format/',
          `../${CACHE}/digits.zip/node_modules/digits/`,
        ),
      ),
      [`${CACHE}/format.zip`]: zipOf(inFolder('node_modules/format', FORMAT) as Record<string, string>),
      [`${CACHE}/digits.zip`]: zipOf(inFolder('node_modules/digits', DIGITS) as Record<string, string>),
    },
  },
  "Yarn Plug'n'Play, with its tables in JSON": {
    files: {
      'repo/.pnp.data.json': JSON.stringify(
        pnp(`../${CACHE}/format.zip/node_modules/format/`, `../${CACHE}/digits.zip/node_modules/digits/`),
      ),
      [`${CACHE}/format.zip`]: zipOf(inFolder('node_modules/format', FORMAT) as Record<string, string>),
      [`${CACHE}/digits.zip`]: zipOf(inFolder('node_modules/digits', DIGITS) as Record<string, string>),
    },
  },
};

async function bundled({ files, links = {}, prepare }: Layout, code = CODE) {
  const computer = computerWith(code, files, (top) => {
    for (const [from, to] of Object.entries(links)) link(join(top, from), to.replace('TOP', top));
    prepare?.(top);
  });
  return computer.bundle({ home: join(computer.top, 'home') });
}

describe('packages', () => {
  it.each(Object.entries(LAYOUTS))('of %s are bundled', async (_, layout) => {
    const { code, errors, notes } = await bundled(layout);
    expect({ errors, notes }).toEqual({ errors: [], notes: [] });
    expect(code).toBe((await bundled(LAYOUTS['npm, in the repository'] as Layout)).code);
    const formula = { exports: undefined as unknown };
    new Function('module', 'require', String(code))(formula, require);
    expect(await (formula.exports as (request: object) => object)({ args: { n: '4242' } })).toEqual({
      raw: { format: '*4242', one: 1, last4: '4242' },
    });
  });

  it('in two versions are both in the bundle, in any layout', async () => {
    const other = {
      ...DIGITS,
      'package.json': '{"name":"digits","version":"0.9.0","main":"./lib"}',
      'lib/last.js': 'module.exports = (n) => n;\n',
    };
    const nested = await bundled({
      files: {
        ...inFolder('repo/node_modules/format', FORMAT),
        ...inFolder('repo/node_modules/digits', DIGITS),
        ...inFolder('repo/node_modules/format/node_modules/digits', other),
      },
    });
    const pnpm = LAYOUTS['pnpm'] as Layout;
    const linked = await bundled({
      files: { ...pnpm.files, ...inFolder(`${PNPM}/digits@0.9.0/node_modules/digits`, other) },
      links: { ...pnpm.links, [`${PNPM}/format@2.0.0/node_modules/digits`]: '../../digits@0.9.0/node_modules/digits' },
    });
    expect(nested.errors).toEqual([]);
    expect(nested.code).toContain('(n) => n.slice(-4)');
    expect(nested.code).toContain('(n) => n;');
    expect(linked.code).toBe(nested.code);
  });

  it('of one version are in the bundle twice only if their dependencies differ', async () => {
    const uses = (digits: object) => ({
      'package.json': JSON.stringify({ name: 'uses', version: '1.0.0', ...digits }),
      'index.js': "module.exports = require('digits');\n",
    });
    const code = "import a from 'a';\nimport b from 'b';\nexport default async () => ({ raw: { a, b } });\n";
    const loads = { 'index.js': "module.exports = require('uses');\n" };
    const files = (inB: Files) => ({
      ...inFolder('repo/node_modules/a', {
        ...loads,
        ...inFolder('node_modules/uses', uses({ dependencies: { digits: '*' } })),
      }),
      ...inFolder('repo/node_modules/b', {
        ...loads,
        ...inFolder('node_modules/uses', uses({ dependencies: { digits: '*' } })),
      }),
      ...inFolder('repo/node_modules/digits', DIGITS),
      ...inFolder('repo/node_modules/b/node_modules/digits', inB),
    });
    const count = async (inB: Files) =>
      (await bundled({ files: files(inB) }, code)).code?.match(/^\/\/ node_modules\/(uses|digits)\/.*$/gm);
    const one = [
      '// node_modules/digits/lib/last.js',
      '// node_modules/digits/lib/all/index.js',
      '// node_modules/digits/lib/index.js',
      '// node_modules/uses/index.js',
    ];
    expect(await count(DIGITS)).toEqual(one);
    const newer = { ...DIGITS, 'package.json': '{"name":"digits","version":"1.0.1","main":"./lib"}' };
    expect(await count(newer)).toEqual([...one, ...one]);
  });

  it('are in the bundle once if pnpm links one next to another version of a dependency', async () => {
    const uses = { 'package.json': '{"name":"uses","version":"1.0.0","dependencies":{"digits":"1"}}' };
    const loads = { 'index.js': "module.exports = require('uses');\n" };
    const kept = (name: string, version: string, files: Files) =>
      inFolder(`${PNPM}/${name}@${version}/node_modules/${name}`, {
        'package.json': JSON.stringify({ name, version }),
        ...files,
      });
    const { code, errors } = await bundled(
      {
        files: {
          ...kept('uses', '1.0.0', { ...uses, 'index.js': "module.exports = require('digits');\n" }),
          ...kept('digits', '1.0.0', DIGITS),
          ...kept('digits', '2.0.0', { 'index.js': 'module.exports = 2;\n' }),
          ...kept('a', '1.0.0', loads),
          ...kept('b', '1.0.0', loads),
        },
        links: {
          'repo/node_modules/a': '.pnpm/a@1.0.0/node_modules/a',
          'repo/node_modules/b': '.pnpm/b@1.0.0/node_modules/b',
          [`${PNPM}/a@1.0.0/node_modules/uses`]: '../../uses@1.0.0/node_modules/uses',
          [`${PNPM}/uses@1.0.0/node_modules/digits`]: '../../digits@1.0.0/node_modules/digits',
          [`${PNPM}/b@1.0.0/node_modules/uses`]: '../../uses@1.0.0/node_modules/uses',
          [`${PNPM}/b@1.0.0/node_modules/digits`]: '../../digits@2.0.0/node_modules/digits',
        },
      },
      "import a from 'a';\nimport b from 'b';\nexport default async () => ({ raw: { a, b } });\n",
    );
    expect(errors).toEqual([]);
    expect(code?.match(/^\/\/ node_modules\/(uses|digits)\/.*$/gm)).toEqual([
      '// node_modules/digits/lib/last.js',
      '// node_modules/digits/lib/all/index.js',
      '// node_modules/digits/lib/index.js',
      '// node_modules/uses/index.js',
    ]);
  });

  it('of a workspace are bundled through their link, including files that git ignores', async () => {
    const { code, errors, notes } = await bundled(
      {
        files: {
          'repo/.gitignore': 'dist/\n',
          'repo/package.json': '{"workspaces":["packages/*"]}',
          'repo/packages/tools/package.json': '{"name":"tools","main":"dist/index.js"}',
          'repo/packages/tools/dist/index.js': "module.exports = require('./data.json');\n",
          'repo/packages/tools/dist/data.json': '"tools"',
        },
        links: { 'repo/node_modules/tools': '../packages/tools' },
        prepare: initGit,
      },
      importing('tools'),
    );
    expect(errors).toEqual([]);
    expect(code).toContain('exports = "tools"');
    expect(notes).toEqual([
      '../../packages/tools/dist/index.js:1:1 git ignores this file, so another clone of the repository may not have it',
      "code.mjs:1:1 the bundle contains files from outside the formula's folder: ../../packages/tools/dist/data.json, ../../packages/tools/dist/index.js",
    ]);
  });

  it('that are generated into a dot folder of node_modules are bundled', async () => {
    const files = {
      'repo/node_modules/@prisma/client/index.js': "module.exports = require('.prisma/client');\n",
      'repo/node_modules/.prisma/client/index.js': 'module.exports = 1;\n',
    };
    expect((await bundled({ files }, importing('@prisma/client'))).errors).toEqual([]);
  });
});

describe('files of the repository', () => {
  it('that are generated and ignored by git are bundled with a note', async () => {
    const { errors, notes } = await bundled(
      {
        files: { 'repo/.gitignore': 'generated\n', 'repo/formulas/card/generated/client.js': 'module.exports = 1;\n' },
        prepare: initGit,
      },
      importing('./generated/client.js'),
    );
    expect({ errors, notes }).toEqual({
      errors: [],
      notes: ['generated/client.js:1:1 git ignores this file, so another clone of the repository may not have it'],
    });
  });

  it('are bundled in a container image without version control, without running git', async () => {
    const files = {
      'repo/package.json': '{}',
      'repo/.gitignore': '*.json\n',
      'repo/formulas/rates.json': '1',
      ...LAYOUTS['npm, in the repository']?.files,
    };
    const prepare = (top: string) => rmSync(join(top, 'repo/.git'), { recursive: true });
    const { errors } = await bundled({ files, prepare }, `import '../rates.json';\n${CODE}`);
    expect(errors).toEqual([]);
  });

  it('are bundled without package.json too, if the current folder contains the formula', async () => {
    const computer = computerWith(importing('../../common.json'), { 'repo/common.json': '1' }, (top) =>
      rmSync(join(top, 'repo/.git'), { recursive: true }),
    );
    expect((await computer.bundle()).errors).toEqual([expect.stringContaining('outside the repository')]);
    expect((await computer.bundle({ cwd: join(computer.top, 'repo') })).errors).toEqual([]);
    const home = join(computer.top, 'repo');
    expect((await computer.bundle({ cwd: home, home })).errors).toHaveLength(1);
  });
});
