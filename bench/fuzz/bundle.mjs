/** Graphs of files with links, devices, pipes, odd names, and hostile settings: a bundle ends, and never contains what is outside or hidden. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SECRET = 'fuzz-secret-4711';
/** Each holds the secret, and none may be bundled. */
const HIDDEN = {
  'repo/.git/HEAD': 'ref: refs/heads/main\n',
  'repo/.git/refs/keep': '',
  'repo/.git/objects/keep': '',
  'repo/.git/config': `[core]\n\trepositoryformatversion = 0\n# ${SECRET}\n`,
  'repo/.gitignore': 'ignored.*\nid_rsa\nbuild/\n',
  'repo/ignored.json': JSON.stringify(SECRET),
  'repo/f/ignored.txt': SECRET,
  'repo/f/id_rsa': SECRET,
  'repo/f/lib/build/x.json': JSON.stringify(SECRET),
  'repo/.env': `KEY = '${SECRET}'`,
  'repo/.dot/data.json': JSON.stringify(SECRET),
  'repo/f/tests/t.json': JSON.stringify(SECRET),
  'outside/data.json': JSON.stringify(SECRET),
  'outside/code.js': `module.exports = '${SECRET}';`,
  'outside/index.js': `module.exports = '${SECRET}';`,
  'outside/package.json': `{"main":"code.js","name":"${SECRET}"}`,
};
const FOLDERS = [
  'repo',
  'repo/f',
  'repo/f/lib',
  'repo/node_modules/a',
  'repo/node_modules/b',
  'repo/node_modules',
  'repo/f/node_modules/c',
];
const NAMES = [
  'x.ts',
  'x.js',
  'x.mjs',
  'x.json',
  'x.txt',
  'index.js',
  'main.js',
  'package.json',
  'tsconfig.json',
  'x',
  'é.js',
  "q'.js",
  'a b.js',
  'n\nl.js',
  '%2e.js',
  '.pnp.cjs',
  '.pnp.data.json',
  '#x.js',
  'x.js?y',
  '*.js',
  '$.d.ts',
];
const TARGETS = [
  'repo/.git',
  'repo/.git/config',
  'repo/.env',
  'repo/ignored.json',
  'repo/f/id_rsa',
  'repo/f/lib/build',
  'repo/f/tests',
  'outside',
  'outside/data.json',
  'outside/code.js',
  '/dev/zero',
  '/etc',
  '/etc/passwd',
  '/proc/self/environ',
  'repo',
  'repo/f',
  '.',
  'repo/nowhere',
];
const PATHS = [
  './lib/x',
  '../x.json',
  './x.txt',
  'a',
  'b',
  'c',
  'a/x',
  'b/index.js',
  '#x',
  '@p/x',
  '../.git/config',
  '../.env',
  '../ignored.json',
  './ignored.txt',
  './id_rsa',
  './lib/build/x.json',
  './link/x.json',
  '../../outside/data.json',
  '../../outside',
  './tests/t.json',
  './link',
  './link/data.json',
  './link/config',
  '../link',
  'link',
  'link/data.json',
  'a/link',
  'b/link/code.js',
  'data:text/javascript,export default 1',
  'data:text/css,/*# sourceMappingURL=file:///dev/zero */',
  'DATA:text/css,a',
  'file:///etc/passwd',
  'fs',
  './é.js',
  "./q'.js",
  './n\nl.js',
  './%2e.js',
  './x.js?y',
  './x.txt#z',
  './*.js',
  '',
  '.',
  '..',
  '/',
  '//x',
  'https://x/y.js',
  '\0',
];
const WITHS = [
  '',
  '',
  '',
  " with { type: 'text' }",
  " with { type: 'bytes' }",
  " with { type: 'json' }",
  " with { a: 'b' }",
];
const MAPS = [
  '../.git/config',
  '../../../../../dev/zero',
  'file:///etc/passwd',
  'data:application/json,{}',
  '%',
  '//x/y',
];
const EXPRESSIONS = [
  '`./%x`',
  "'../' + x",
  '`../.git/%x`',
  '`../../outside/%x.json`',
  '`./lib/%x.js`',
  'x',
  '`../../../../../../etc/%x`',
  "x ? './x.txt' : `./%x.json`",
  '"./" + (x as any)',
  '`./link/%x`',
  'E.A + x',
];
const VALUES = [
  './x.js',
  './lib/x',
  '../../outside/code.js',
  '../.git/config',
  '../.env',
  './link',
  '/etc/passwd',
  '..',
  './',
  './*',
  './../../*',
  'a',
  '#x',
  null,
  1,
  [],
  {},
];

/** `%x` stands for a part of a template that is only known when the code runs. */
const hole = (expression) => expression.replaceAll('%x', ['$', '{x}'].join(''));

export function make(random) {
  const files = {};
  const links = {};
  const pipes = [];
  for (let i = random.int(12); i >= 0; i--) {
    const path = `${random.pick(FOLDERS)}/${random.pick(NAMES)}`;
    const kind = random.int(10);
    if (kind === 0) pipes.push(path);
    else if (kind === 1) links[path] = random.pick(TARGETS);
    else files[path] = textFor(path, random);
  }
  for (let i = random.int(3); i > 0; i--) links[`${random.pick(FOLDERS)}/link`] = random.pick(TARGETS);
  const file = random.pick(['code.ts', 'code.mjs']);
  files[`repo/f/${file}`] = `${codeText(random)}export default async () => ({ raw: 1 });\n`;
  return { file, files, links, pipes };
}

function textFor(path, random) {
  if (/package\.json$/.test(path))
    return settingsText(random, [
      'main',
      'module',
      'exports',
      'imports',
      'type',
      'sideEffects',
      'name',
      'browser',
      'tsconfig',
    ]);
  if (/tsconfig\.json$/.test(path))
    return JSON.stringify({
      extends: random.pick(VALUES),
      compilerOptions: {
        baseUrl: random.pick(['.', '..', '../..', '/', 1]),
        paths: { '@p/*': [random.pick(VALUES)], link: [random.pick(VALUES)] },
        jsx: 'react-jsx',
        jsxImportSource: random.pick(PATHS),
      },
    });
  if (/\.pnp\./.test(path)) return pnpText(path, random);
  if (/\.json$/.test(path)) return random.pick(['1', '{"a":1}', '{', '[[[[']);
  return random.chance(0.1) ? random.pick(['}', '`', '/*', '\u2028', '#!/x', '\ufeffexport {}']) : codeText(random);
}

function settingsText(random, keys) {
  const entries = keys
    .filter(() => random.chance(0.4))
    .map((key) => [
      key,
      random.chance(0.5)
        ? random.pick(VALUES)
        : {
            '.': random.pick(VALUES),
            './*': random.pick(VALUES),
            '#x': random.pick(VALUES),
            import: random.pick(VALUES),
          },
    ]);
  return JSON.stringify(Object.fromEntries(entries));
}

function pnpText(path, random) {
  const one = (packageLocation, names) => ({ packageLocation, packageDependencies: names.map((name) => [name, '1']) });
  const table = JSON.stringify({
    packageRegistryData: [
      [null, [[null, one(random.pick(['./', './f/']), ['a', 'b', 'link'])]]],
      [
        'a',
        [
          [
            '1',
            one(
              random.pick([
                '../outside/',
                './.git/',
                './node_modules/a/',
                '/etc/',
                './f/x.zip/node_modules/a/',
                './__virtual__/x/5/etc/',
                './__virtual__/x/99/',
              ]),
              ['b'],
            ),
          ],
        ],
      ],
      ['link', [['1', one(random.pick(['./.dot/', './f/tests/', '../outside']), [])]]],
    ],
  });
  return path.endsWith('.json') ? table : `const RAW_RUNTIME_STATE = '${table}';`;
}

function codeText(random) {
  let text = '';
  for (let i = random.int(5); i > 0; i--) {
    const path = JSON.stringify(random.pick(PATHS));
    text += random.pick([
      `import x${i} from ${path}${random.pick(WITHS)};\n`,
      `export * from ${path};\n`,
      `require(${path});\n`,
      `try { require(${path}) } catch {}\n`,
      `import(${path});\n`,
      `(x) => ${random.pick(['require', 'import', 'module.require', '(require)', 'requi\\u0072e', 'require/**/', 'import.defer', 'require.resolve', "module['require']"])}(${hole(random.pick(EXPRESSIONS))});\n`,
      `//# sourceMappingURL=${random.pick(MAPS)}\n`,
      `/** @jsxImportSource ${random.pick(PATHS).replace(/[\0\n]/g, '')} */\n`,
      "enum E { A = '../../outside/' }\n",
    ]);
  }
  return text;
}

export function start({ tool }) {
  const top = mkdtempSync(join(tmpdir(), 'formulary-fuzz-bundle-'));
  let count = 0;
  const check = async ({ file, files, links, pipes }) => {
    const folder = join(top, String(count++));
    build(folder, { files: { ...HIDDEN, ...files }, links, pipes });
    try {
      const { bundle, problems: faults } = await tool.bundleCode(join(folder, 'repo/f'), file, { excludedFolders: [] });
      assert.equal(
        bundle === undefined,
        faults.some(({ level }) => level === 'error'),
      );
      const told = JSON.stringify([bundle?.code, [...(bundle?.sources ?? [])], faults]);
      for (const text of [SECRET, 'root:x:', 'PATH='])
        assert.ok(!told.includes(text), `what is told contains ${text}: ${told.slice(0, 2000)}`);
      for (const { line, column, message } of faults) assert.ok(line >= 1 && column >= 1 && message !== '', message);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  return { check, end: () => rmSync(top, { recursive: true, force: true }) };
}

/** What is in the way of another, or cannot be made here, is left out. */
function build(folder, { files, links, pipes }) {
  const make = (path, act) => {
    try {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      act(join(folder, path));
    } catch (error) {
      if (
        !['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOENT', 'EACCES', 'EINVAL', 'ELOOP'].includes(error.code) &&
        error.status === undefined
      )
        throw error;
    }
  };
  for (const [path, text] of Object.entries(files)) make(path, (at) => writeFileSync(at, text, { flag: 'wx' }));
  for (const [path, target] of Object.entries(links))
    make(path, (at) => symlinkSync(target.startsWith('/') ? target : join(folder, target), at));
  for (const path of pipes) make(path, (at) => execFileSync('mkfifo', [at], { stdio: 'ignore' }));
}
