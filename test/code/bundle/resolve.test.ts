/** Imports resolve to the same files as in esbuild itself, which must not search for them. */
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { type Computer, computerWith, type Files } from '../../helpers/computer.ts';

const PKG = 'repo/node_modules/pkg';
const json = (value: unknown) => JSON.stringify(value);
const file = (name: string) => `module.exports = ${json(name)};\n`;
const module = (name: string) => `export default ${json(name)};\n`;

/** What imports it, and the files. */
const CASES: Record<string, [imports: string[], files: Files]> = {
  'an index': [['pkg', 'pkg/sub'], { [`${PKG}/index.js`]: file('index'), [`${PKG}/sub/index.json`]: '1' }],
  'a main file without its extension': [
    ['pkg'],
    { [`${PKG}/package.json`]: json({ main: 'lib/main' }), [`${PKG}/lib/main.js`]: file('main') },
  ],
  'a main folder': [
    ['pkg'],
    { [`${PKG}/package.json`]: json({ main: './lib/' }), [`${PKG}/lib/index.js`]: file('main') },
  ],
  'a main file that is missing': [
    ['pkg'],
    { [`${PKG}/package.json`]: json({ main: 'gone.js' }), [`${PKG}/index.js`]: file('index') },
  ],
  'main before module': [
    ['pkg'],
    {
      [`${PKG}/package.json`]: json({ main: 'a.js', module: 'b.mjs' }),
      [`${PKG}/a.js`]: file('a'),
      [`${PKG}/b.mjs`]: module('b'),
    },
  ],
  'module without main': [
    ['pkg'],
    { [`${PKG}/package.json`]: json({ module: 'b.mjs' }), [`${PKG}/b.mjs`]: module('b') },
  ],
  'a browser field, which is not for Node.js': [
    ['pkg'],
    {
      [`${PKG}/package.json`]: json({ main: 'a.js', browser: { './a.js': './b.js' } }),
      [`${PKG}/a.js`]: file('a'),
      [`${PKG}/b.js`]: file('b'),
    },
  ],
  conditions: [
    ['pkg', 'pkg/deep'],
    {
      [`${PKG}/package.json`]: json({
        exports: {
          '.': { browser: './b.js', node: { import: './n.mjs', require: './n.js' } },
          './deep': [{ worker: './w.js' }, './d.js'],
        },
      }),
      [`${PKG}/n.mjs`]: module('n'),
      [`${PKG}/n.js`]: file('n'),
      [`${PKG}/b.js`]: file('b'),
      [`${PKG}/d.js`]: file('d'),
    },
  ],
  patterns: [
    ['pkg/a', 'pkg/x/b', 'pkg/x/y/c.js', 'pkg/old/d', 'pkg/never/e'],
    {
      [`${PKG}/package.json`]: json({
        exports: {
          './*': './src/*.js',
          './x/*': './src/x-*.js',
          './x/y/*.js': './src/y-*.mjs',
          './old/': './src/',
          './never/*': null,
        },
      }),
      [`${PKG}/src/a.js`]: file('a'),
      [`${PKG}/src/x-b.js`]: file('b'),
      [`${PKG}/src/y-c.mjs`]: module('c'),
      [`${PKG}/src/d.js`]: file('d'),
      [`${PKG}/src/never/e.js`]: file('e'),
    },
  ],
  'a file that is not exported': [
    ['pkg', 'pkg/private.js', 'pkg/package.json'],
    {
      [`${PKG}/package.json`]: json({ exports: './a.js' }),
      [`${PKG}/a.js`]: file('a'),
      [`${PKG}/private.js`]: file('p'),
    },
  ],
  'a package that imports itself': [
    ['pkg'],
    {
      [`${PKG}/package.json`]: json({ name: 'pkg', exports: { '.': './a.js', './b': './b.js' } }),
      [`${PKG}/a.js`]: "module.exports = require('pkg/b');\n",
      [`${PKG}/b.js`]: file('b'),
    },
  ],
  'private imports': [
    ['#a', '#b/x', '#c', '#d'],
    {
      'repo/formulas/card/package.json': json({
        imports: { '#a': './a.js', '#b/*': './lib/*.js', '#c': 'pkg', '#d': { default: 'node:fs' } },
      }),
      'repo/formulas/card/a.js': file('a'),
      'repo/formulas/card/lib/x.js': file('x'),
      [`${PKG}/index.js`]: file('pkg'),
    },
  ],
  'a scoped package': [
    ['@s/pkg', '@s/pkg/x'],
    {
      'repo/node_modules/@s/pkg/package.json': json({ main: 'm' }),
      'repo/node_modules/@s/pkg/m.js': file('m'),
      'repo/node_modules/@s/pkg/x.js': file('x'),
    },
  ],
  'a package that is a file': [['single'], { 'repo/node_modules/single.js': file('single') }],
  'the nearest package': [
    ['pkg'],
    { [`${PKG}/index.js`]: file('far'), 'repo/formulas/node_modules/pkg/index.js': file('near') },
  ],
  'a folder without the package, which is skipped': [
    ['pkg'],
    { [`${PKG}/index.js`]: file('far'), 'repo/formulas/node_modules/other/index.js': '' },
  ],
  'JavaScript before TypeScript in packages': [
    ['pkg/x'],
    { [`${PKG}/x.js`]: file('js'), [`${PKG}/x.ts`]: module('ts') },
  ],
  'TypeScript before JavaScript elsewhere': [
    ['./x', './y', './z.js', './w.mjs'],
    {
      'repo/formulas/card/x.js': file('js'),
      'repo/formulas/card/x.ts': module('ts'),
      'repo/formulas/card/y/index.ts': module('y'),
      'repo/formulas/card/z.ts': module('z'),
      'repo/formulas/card/w.mts': module('w'),
    },
  ],
  'a file before a folder of its name': [
    ['./x', './x/', '..'],
    {
      'repo/formulas/card/x.js': file('file'),
      'repo/formulas/card/x/index.js': file('folder'),
      'repo/formulas/index.js': file('above'),
    },
  ],
  'modules that see all of a CommonJS package as its default': [
    ['pkg', './own'],
    {
      'repo/package.json': json({ type: 'module' }),
      'repo/formulas/card/own.js': "import other from 'other';\nexport default other;\n",
      [`${PKG}/package.json`]: json({ type: 'module', exports: './i.js' }),
      [`${PKG}/i.js`]: "import other from 'other';\nexport default other;\n",
      'repo/node_modules/other/index.js': 'exports.__esModule = true;\nexports.default = 1;\n',
    },
  ],
  'packages that say they have no side effects': [
    ['pkg'],
    {
      [`${PKG}/package.json`]: json({ sideEffects: ['./effect.js', '**/deep/*.mjs'], main: 'i.mjs' }),
      [`${PKG}/i.mjs`]: "import './free.mjs';\nimport './effect.js';\nimport './a/deep/x.mjs';\nexport default 1;\n",
      [`${PKG}/free.mjs`]: 'globalThis.free = 1;\n',
      [`${PKG}/effect.js`]: 'globalThis.effect = 1;\n',
      [`${PKG}/a/deep/x.mjs`]: 'globalThis.deep = 1;\n',
    },
  ],
  'paths of tsconfig.json': [
    ['@lib/a', '@exact', 'base/b', '@lib/types'],
    {
      'repo/tsconfig.json': `{ // settings
        "extends": "./tsconfig.base.json", "compilerOptions": { "baseUrl": ".", /* "x": */ "paths": { "@lib/*": ["gone/*", "lib/*"], "@exact": ["lib/e.ts"], "@lib/types": ["types.d.ts"] }, },
      }`,
      'repo/tsconfig.base.json': json({ compilerOptions: { useDefineForClassFields: false } }),
      'repo/lib/a.ts': module('a'),
      'repo/lib/e.ts': 'export default class { a = 1 }\n',
      'repo/base/b.ts': module('b'),
      'repo/types.d.ts': '',
    },
  ],
  'settings that a package provides': [
    ['./x'],
    {
      'repo/tsconfig.json': json({ extends: ['@ts/base', '@ts/base/more'] }),
      'repo/node_modules/@ts/base/tsconfig.json': json({ compilerOptions: { experimentalDecorators: true } }),
      'repo/node_modules/@ts/base/more.json': json({ compilerOptions: { useDefineForClassFields: false } }),
      'repo/formulas/card/x.ts': 'const d = (_: unknown, __: string) => {};\nexport default class { @d a = 1 }\n',
    },
  ],
  JSX: [
    ['./x'],
    {
      'repo/tsconfig.json': json({ compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'pkg' } }),
      'repo/formulas/card/x.tsx': 'export default <a b="c" />;\n',
      [`${PKG}/jsx-runtime.js`]: 'exports.jsx = (...all) => all;\n',
    },
  ],
  'a query and a fragment': [
    ['./x.js?a', './x.js#b', './y?z.js'],
    { 'repo/formulas/card/x.js': file('x'), 'repo/formulas/card/y?z.js': file('y') },
  ],
  'a data URL': [['data:text/javascript,export default 1', 'data:application/json;base64,eyJhIjoxfQ=='], {}],
  'modules of Node.js': [['fs', 'node:fs', 'node:test', 'fs/promises', 'https://example.com/x.js'], {}],
  'a load that fails in a try': [
    ['./x.js'],
    { 'repo/formulas/card/x.js': "try { require('gone') } catch {}\nmodule.exports = 1;\n" },
  ],
};

async function esbuilds(computer: Computer): Promise<string | undefined> {
  const built = await build({
    stdin: {
      contents: `import formula from './code.mjs';\nmodule.exports = formula;\n`,
      resolveDir: computer.card,
      sourcefile: 'formula',
    },
    absWorkingDir: computer.card,
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node16',
    charset: 'utf8',
    logLevel: 'silent',
    supported: { 'dynamic-import': false },
  }).catch(() => undefined);
  return built?.outputFiles[0]?.text;
}

/** Paths are named differently, on purpose, and so are values after a query. */
const withoutNames = (code: string | undefined) =>
  code
    ?.replaceAll(/^\/\/ .*$/gm, '')
    .replaceAll(/^ {2}"[^"\n]*"\(/gm, '  "x"(')
    .replaceAll(/[\w$]*(data|json|export_default|import_javascript)[\w$]*/g, 'data');

describe('an import resolves as in esbuild', () => {
  it.each(Object.entries(CASES))('%s', async (_, [imports, files]) => {
    for (const specifier of imports) {
      for (const use of [`import x from ${json(specifier)};\n`, `const x = require(${json(specifier)});\n`]) {
        const computer = computerWith(`${use}export default async () => ({ raw: x });\n`, files);
        const { code } = await computer.bundle();
        expect(withoutNames(code), specifier).toBe(withoutNames(await esbuilds(computer)));
      }
    }
  });
});
