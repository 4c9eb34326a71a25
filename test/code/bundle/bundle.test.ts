/** Bundling: what comes out runs on a real Node.js 16, is the same everywhere, and its places are those of the sources. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFolder } from '../../../src/check/check-folder.ts';
import { bundleCode } from '../../../src/code/bundle/bundle.ts';
import { cardFiles, folderWith } from '../../helpers/folders.ts';
import { run } from '../../helpers/test-host.ts';
import { node16 } from '../../node16/setup.ts';

const CARD_TS = `import { createHash } from 'node:crypto';
import currencies from './currencies.json';
import { last4 } from './lib/card';

interface Request {
  args: { card: { number: string } };
}

export default async ({ args }: Request) => {
  const fingerprint = createHash('sha256').update(args.card.number).digest('hex').slice(0, 8);
  return { raw: { fingerprint, last4: last4(args.card.number), currency: currencies[0] } };
};
`;

const SOURCES = {
  'code.ts': CARD_TS,
  'currencies.json': '["EUR"]\n',
  'lib/card.ts': `// Digits only.\nexport const last4 = (number: string): string => number.slice(-4);\n`,
};

const withoutCode = (files: Record<string, string>) => {
  const { 'code.js': _, ...card } = cardFiles({}, files);
  return card;
};

/** The result of a formula with these files. */
const check = (files: Record<string, string>) =>
  checkFolder({ displayPath: 'card', path: folderWith(withoutCode(files)) });

async function codeOf(files: Record<string, string>): Promise<string> {
  const { body, findings } = await check(files);
  // Notes say what of the manifest these few lines do not read.
  expect(findings.filter(({ level }) => level !== 'note')).toEqual([]);
  return body?.code ?? '';
}

/** The response of a script to a request, on Node.js 16 where there is one. */
function respond(code: string, request: object): unknown {
  const folder = folderWith({ 'code.js': code });
  const script = `require(process.argv[1])(JSON.parse(process.argv[2])).then((r) => process.stdout.write(JSON.stringify(r)))`;
  const words = ['-e', script, join(folder, 'code.js'), JSON.stringify(request)];
  return JSON.parse(execFileSync(node16 ?? process.execPath, words, { encoding: 'utf8', env: {} }));
}

const REQUEST = { args: { card: { number: '4242424242424242' } } };

describe('a bundle', () => {
  it('contains TypeScript, modules, and JSON in one script that exports the function', async () => {
    expect(respond(await codeOf(SOURCES), REQUEST)).toEqual({
      raw: { fingerprint: '477bba13', last4: '4242', currency: 'EUR' },
    });
  });

  const L = { 'l.mjs': 'export const last4 = (n) => n.slice(-4);\n' };
  const PACKAGE = {
    'node_modules/last4/package.json': '{"name":"last4","main":"main.js"}',
    'node_modules/last4/main.js': 'module.exports = (n) => n.slice(-4);\n',
  };
  it.each<[string, string, string, Record<string, string>]>([
    [
      'code.mjs',
      'code.mjs',
      `import { last4 } from './l.mjs';\nexport default async function handler({ args }) {\n  return { raw: { last4: last4(args.card.number) } };\n}\n`,
      L,
    ],
    [
      'a package of both kinds',
      'code.mjs',
      `import last4 from 'last4';\nexport default async ({ args }) => ({ raw: { last4: last4(args.card.number) } });\n`,
      PACKAGE,
    ],
    [
      'module.exports in TypeScript',
      'code.ts',
      'type Card = { number: string };\nmodule.exports = async ({ args }: { args: { card: Card } }) => ({ raw: { last4: args.card.number.slice(-4) } });\n',
      {},
    ],
    [
      'export = of TypeScript',
      'code.ts',
      'export = async ({ args }: any) => ({ raw: { last4: args.card.number.slice(-4) } });\n',
      {},
    ],
    [
      'an import() of a file',
      'code.mjs',
      `export default async ({ args }) => {\n  const { last4 } = await import('./l.mjs');\n  return { raw: { last4: last4(args.card.number) } };\n};\n`,
      L,
    ],
    [
      'a shebang, which is left out',
      'code.mjs',
      `#!/usr/bin/env node\nexport default async ({ args }) => ({ raw: { last4: args.card.number.slice(-4) } });\n`,
      {},
    ],
  ])('can be created from %s', async (_, file, code, files) => {
    expect(respond(await codeOf({ [file]: code, ...files }), REQUEST)).toEqual({ raw: { last4: '4242' } });
  });

  it('is the same in any working folder and any formula folder, with any line endings', async () => {
    const files = { ...SOURCES, 'code.ts': `/*! a licence\n * of two lines */\n${CARD_TS}` };
    const expected = await codeOf(files);
    const windows = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, text.replaceAll('\n', '\r\n')]),
    );
    expect(await codeOf(windows)).toBe(expected);
    const place = folderWith(withoutCode(files));
    mkdirSync(join(place, 'a'));
    for (const name of ['code.ts', 'lib', 'currencies.json', 'manifest.json'])
      cpSync(join(place, name), join(place, 'a', name), { recursive: true });
    renameSync(join(place, 'a'), join(place, 'b'));
    for (const [cwd, dir] of [
      [place, 'b'],
      [join(place, 'b'), '.'],
    ] as const) {
      const { out } = await run(['formula', 'create', dir, '--dry-run', '--json'], { cwd });
      expect(JSON.parse(out).body.code).toBe(expected);
    }
  });

  it.each(['own code', 'a package'])('has the URL of the script as import.meta.url: %s', async (owner) => {
    const module =
      "import { createRequire } from 'module';\nexport const { sep } = createRequire(import.meta.url)('path');\n";
    const files =
      owner === 'own code'
        ? { 'lib.mjs': module }
        : { 'node_modules/lib/package.json': '{"name":"lib","exports":"./i.mjs"}', 'node_modules/lib/i.mjs': module };
    const name = owner === 'own code' ? './lib.mjs' : 'lib';
    const code = `import { sep } from '${name}';\nexport default async ({ args }) => ({ raw: { sep, args } });\n`;
    expect(respond(await codeOf({ 'code.mjs': code, ...files }), { args: {} })).toEqual({
      raw: { sep: '/', args: {} },
    });
  });

  it('maps each position to its source', async () => {
    const folder = folderWith(SOURCES);
    const { bundle } = await bundleCode(folder, 'code.ts');
    const lines = bundle?.code.split('\n') ?? [];
    const line = lines.findIndex((text) => text.includes('slice(-4)')) + 1;
    const column = (lines[line - 1] ?? '').indexOf('number.slice') + 1;
    expect(bundle?.sourcePosition({ line, column })).toEqual({ file: 'lib/card.ts', line: 2, column: 50 });
    expect(
      bundle?.sourcePosition({ line: lines.findIndex((text) => text.startsWith('module.exports')) + 1, column: 1 }),
    ).toBeUndefined();
  });
});

describe('sources that cannot be bundled', () => {
  const X = 'export default async () => ({ raw: { x } });\n';
  const LIB = `import './lib/a';\nexport default async () => ({});\n`;
  it.each<[string, string, string, string[], Record<string, string>?]>([
    [
      'an import that is not there',
      'code.ts:2:15 code-bundle',
      `\nimport x from 'surely-not-there/sub';\n${X}`,
      ['surely-not-there/sub', 'npm install surely-not-there'],
    ],
    ['a missing file', 'code.mjs:1:15 code-bundle', `import x from './gone.mjs';\n${X}`, ['./gone.mjs', 'path']],
    [
      'a native addon',
      'code.mjs:1:15 code-bundle',
      `import x from './x.node';\n${X}`,
      ['x.node', 'native addon'],
      { 'x.node': 'ELF' },
    ],
    ['await at the top', 'code.mjs:1:1 code-bundle', `await null;\nexport default async () => ({});\n`, ['await']],
    [
      'no default export',
      'code.ts:1:1 code-bundle',
      'export const handler = async () => ({});\n',
      ['default export', 'export default async'],
    ],
    ['a mistake', 'lib/a.ts:1:26 code-bundle', LIB, ['Unexpected ";"'], { 'lib/a.ts': 'const ü = "ü"; const x = ;\n' }],
    ['a Markdown code block', 'code.ts:1:1 code-bundle', '```ts\nexport default 1;\n```\n', ['Markdown']],
    ['JSX', 'code.mjs:1:22 code-bundle', 'export default () => <p />;\n', ['JSX']],
    [
      'JSX in TypeScript',
      'code.ts:1:55 code-bundle',
      'export default async (n: number) => ({ raw: { x: <img alt="a" /> } });\n',
      ['JSX'],
    ],
    [
      'JSX in a file with a dynamic load',
      'lib/a.ts:2:4 code-bundle',
      LIB,
      ['JSX'],
      { 'lib/a.ts': 'const f = (x: string) => require(x);\nf(<></>);\n' },
    ],
    [
      'exports.default in place of a default export',
      'code.ts:1:1 code-bundle',
      '// card\nconst handle = async (x: object) => x;\nexports.default = handle;\n',
      ['code.ts must have a default export', 'export default async'],
    ],
    ['no code', 'code.ts:1:1 code-bundle', '// later\n', ['default export']],
    [
      'a default export that is not a function',
      'code.ts:1:16 code-export',
      'export default { a: 1 };\n',
      ['the default export is an object'],
    ],
    [
      'a default export that is declared before it',
      'code.ts:6:16 code-export',
      '// card\nconst x = {\n  async handle() {},\n};\n\nexport default x;\n',
      ['the default export is an object'],
    ],
    [
      'newer syntax than Node.js 16 has, in an imported file',
      'lib/a.ts:2:18 code-syntax-target',
      `import { x } from './lib/a';\n${X}`,
      ['flag v'],
      { 'lib/a.ts': '\nexport const x = /[a--b]/v;\n' },
    ],
  ])('are rejected with the position: %s', async (_, where, code, words, files = {}) => {
    const { findings, body } = await check({ [where.startsWith('code.mjs') ? 'code.mjs' : 'code.ts']: code, ...files });
    expect(findings.map(({ file, line, column, rule }) => `${file}:${line}:${column} ${rule}`)).toEqual([where]);
    expect(findings[0]?.level).toBe('error');
    for (const word of words) expect(`${findings[0]?.message} ${findings[0]?.fix}`).toContain(word);
    expect(body).toBeUndefined();
  });

  it.each([
    ['const text = readFileSync(new URL("./t.txt", import.meta.url), "utf8");', 'error'],
    ['const text = () => readFileSync(new URL("./t.txt", import.meta.url).pathname);', 'warning'],
    ['const text = import.meta.url;', undefined],
  ])('read files next to them by import.meta.url: %s', async (line, level) => {
    const code = `import { readFileSync } from 'node:fs';\n${line}\nexport default async () => ({ raw: { text, readFileSync } });\n`;
    const path = folderWith(withoutCode({ 'code.mjs': code, 't.txt': 'text' }));
    const { findings } = await checkFolder({ displayPath: 'card', path });
    const found = findings.filter(({ rule }) => rule === 'code-local-file');
    expect(found.map((one) => `${one.line} ${one.level}`)).toEqual(level === undefined ? [] : [`2 ${level}`]);
  });

  it.each([
    ['code.ts', 'export default async ({ args }: any) => require(args.name);\n', '1:41', 'this require'],
    ['code.mjs', 'export default async ({ args }) => import(args.name);\n', '1:36', 'this import()'],
  ])('get a warning for a path that is only known when the code runs: in %s', async (file, code, place, words) => {
    const { findings, body } = await check({ [file]: code });
    const warnings = findings.filter(({ level }) => level !== 'note');
    expect(warnings.map(({ line, column, level, rule }) => `${line}:${column} ${level} ${rule}`)).toEqual([
      `${place} warning code-bundle`,
    ]);
    expect(warnings[0]?.message).toContain(words);
    expect(body?.code).toContain('require(args.name)');
  });

  it.each<[string, string, string]>([
    ['a package with a loader of native parts', "module.exports = require('node-gyp-build')(__dirname);", 'warning'],
    ['one that requires it', "module.exports = require('./build/x.node');", 'warning'],
    ['one that can do without', "try { module.exports = require('./build/x.node'); } catch {}", 'note'],
  ])('get a finding at their import for %s', async (_, text, level) => {
    const files = {
      'code.ts': `import load from 'native';\nexport default async (req: object) => load(req);\n`,
      'node_modules/native/package.json': '{"name":"native"}',
      'node_modules/native/index.js': text,
      'node_modules/node-gyp-build/index.js': 'module.exports = () => {};\n',
    };
    const { findings, body } = await check(files);
    expect(findings.filter(({ message }) => message.includes('loads a native part'))).toMatchObject([
      { file: 'code.ts', line: 1, column: 18, level, rule: 'code-bundle' },
    ]);
    expect(body?.code).toBeDefined();
  });

  it('names the largest packages if the bundle is too large', async () => {
    const large = `module.exports = ${JSON.stringify('x'.repeat(4.5 * 1024 * 1024))};\n`;
    const files = {
      'code.mjs': "import x from 'large';\nexport default async () => x;\n",
      'node_modules/large/index.js': large,
    };
    const { findings } = await check(files);
    expect(findings[0]).toMatchObject({
      message: 'the bundle must have at most 4 MiB (got 4.5 MiB); the largest packages are large (4.5 MiB)',
      fix: expect.stringContaining("from 'large/…'"),
    });
  });

  it('get only a note for a dynamic path in a package', async () => {
    const files = {
      'code.ts': `import load from 'load';\nexport default async (req: object) => load(req);\n`,
      'node_modules/load/index.js': 'module.exports = (x) => require(x);\n',
    };
    const { findings } = await check(files);
    const told = findings.filter(({ rule }) => rule === 'code-bundle');
    expect(told).toMatchObject([{ file: 'node_modules/load/index.js', line: 1, column: 25, level: 'note' }]);
  });

  it('gets a warning for APIs that Node.js 16 lacks in its own files, not in packages', async () => {
    const files = {
      'code.ts': `import { get } from 'get';\nexport default async () => ({ raw: { x: structuredClone(get) } });\n`,
      'node_modules/get/package.json': '{"name":"get","main":"main.js"}',
      'node_modules/get/main.js': 'exports.get = () => fetch("x");\n',
    };
    const { findings } = await check(files);
    const warnings = findings.filter(({ level }) => level === 'warning');
    expect(warnings.map(({ file, line, column, rule }) => `${file}:${line}:${column} ${rule}`)).toEqual([
      'code.ts:2:41 code-target-global',
    ]);
  });

  it('does not show secrets of its sources', async () => {
    const value = ['Zq7Rt2Wm', '9LxKp4Vc', '6NbHs8Jd'].join('');
    const files = {
      'code.ts': `const apiKey: string = '${value}';\nexport default async (req: object) => f(req, apiKey);\n`,
    };
    const { findings, texts } = await check(files);
    expect(findings).toMatchObject([{ file: 'code.ts', line: 1, rule: 'secret-in-code' }]);
    expect(texts.get('code.ts')).toContain(`'${'*'.repeat(value.length)}'`);
  });
});
