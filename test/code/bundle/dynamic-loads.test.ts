import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mayLoadDynamically } from '../../../src/code/bundle/prepare-code.ts';
import { computerWith, type Files, SECRET } from '../../helpers/computer.ts';

/** `%` is a part that is only known when the code runs. */
const loading = (expression: string) =>
  `export default async ({ args }) => ({ raw: await ${expression.replaceAll('%', ['$', '{args.lang}'].join(''))} });\n`;

const FILES: Files = {
  'repo/formulas/card/locales/de.json': '"hallo"',
  'repo/formulas/card/locales/en.json': '"hello"',
  'repo/formulas/card/locales/.draft.json': JSON.stringify(SECRET),
  'repo/formulas/card/locales/deep/fr.json': '"bonjour"',
  'repo/formulas/card/locales/node_modules/x.json': JSON.stringify(SECRET),
  'repo/formulas/card/tests/t.json': JSON.stringify(SECRET),
  'repo/formulas/card/text.txt': 'text',
  'outside/data.json': JSON.stringify(SECRET),
};

/** Runs the code of a bundle with arguments. */
async function respond(code: string | undefined, args: object): Promise<unknown> {
  const module = { exports: undefined as unknown };
  new Function('module', 'require', String(code))(module, () => undefined);
  return (module.exports as (request: object) => Promise<{ raw: unknown }>)({ args });
}

const filesIn = (code: string | undefined) =>
  [...new Set(code?.match(/^\/\/ .*\.(json|txt)$/gm))].map((line) => line.slice(3));

describe('a dynamic load with a constant prefix', () => {
  it.each<[string, string, string[]]>([
    ['require(`./locales/%.json`)', './locales/*.json', ['locales/de.json', 'locales/deep/fr.json', 'locales/en.json']],
    [
      "require('./locales/' + args.lang + '.json')",
      './locales/*.json',
      ['locales/de.json', 'locales/deep/fr.json', 'locales/en.json'],
    ],
    ['require(`./locales/d%.json`)', './locales/d*.json', ['locales/de.json']],
    ['import(`./locales/%.json`)', './locales/*.json', ['locales/de.json', 'locales/deep/fr.json', 'locales/en.json']],
    ["import(`./%xt.txt`, { with: { type: 'text' } })", './*xt.txt', ['text.txt']],
    [
      "require(args.a ? './text.txt' : `./locales/e%.json`)",
      './text.txt, ./locales/e*.json',
      ['locales/en.json', 'text.txt'],
    ],
    ['require(`./%.json`)', './*.json', ['locales/de.json', 'locales/deep/fr.json', 'locales/en.json']],
  ])('includes all matching files: %s', async (expression, shape, files) => {
    const { code, errors, notes, shown } = await computerWith(loading(expression), FILES).bundle();
    expect(errors).toEqual([]);
    expect(filesIn(code).sort()).toEqual(files);
    expect(notes).toEqual([
      expect.stringContaining(`may load ${shape}: the bundle contains ${files.length} matching file`),
    ]);
    expect(shown).not.toContain(SECRET);
  });

  it('loads the file when it runs, and fails for another', async () => {
    for (const call of ['require', 'import']) {
      const { code } = await computerWith(loading(`${call}('./locales/' + args.lang + '.json')`), FILES).bundle();
      const { raw } = (await respond(code, { lang: 'de' })) as { raw: { default: string } | string };
      expect(typeof raw === 'string' ? raw : raw.default).toBe('hallo');
      await expect(respond(code, { lang: 'xx' })).rejects.toThrow(
        "Cannot find module './locales/xx.json' in the bundle",
      );
    }
  });

  it('is replaced in place, without moving the positions after it', async () => {
    const code = `const f = (x) => {\n  return require(\`./locales/\${x}.json\`) + 1; };\nexport default async (req) => f(req);\n`;
    const { notes } = await computerWith(code, FILES).bundle();
    expect(notes).toEqual([expect.stringMatching(/^code\.mjs:2:10 /)]);
  });

  it.each([
    'import(`../../../outside/%.json`)',
    'import(`../../.git/%`)',
    'require(`./vcs/%`)',
    'require("../".repeat(1) && `../../../../../../../../etc/%.conf`)',
    'import(`../../../../../../../../../%`)',
    'module["require"](`../../../outside/%`)',
    '(require)(`../../../outside/%`)',
    'requi\\u0072e(`../../../outside/%`)',
    'require /* x */ (`../../../outside/%`)',
  ])('searches nothing outside: %s', async (expression) => {
    const prepare = (top: string) => symlinkSync('../../.git', join(top, 'repo/formulas/card/vcs'));
    const { code, shown } = await computerWith(loading(expression), FILES, prepare).bundle();
    // It is refused, or is left as it is; the listing of a folder would be in the code.
    for (const text of [SECRET, 'data.json', 'resolv.conf', 'passwd', 'HEAD']) {
      expect(code ?? '').not.toContain(text);
      expect(shown).not.toContain(text);
    }
  });

  it('is rejected if it matches too many files', async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`repo/formulas/card/many/${i}.json`, '1']));
    const { errors } = await computerWith(loading('require(`./many/%.json`)'), many).bundle();
    expect(errors).toEqual([expect.stringContaining('must match at most 1000 files')]);
  });

  it('is only a note in a package', async () => {
    const files = {
      'repo/node_modules/loads/index.js': 'module.exports = (x) => require(x) + require("./parts/" + x + ".js");\n',
      'repo/node_modules/loads/parts/a.js': 'module.exports = 1;\n',
      'repo/node_modules/loads/parts/a.md': SECRET,
    };
    const { errors, notes, shown } = await computerWith(
      "import loads from 'loads';\nexport default async (req) => ({ raw: loads(req) });\n",
      files,
    ).bundle();
    expect(errors).toEqual([]);
    expect(notes.map((note) => note.split(' ')[0])).toEqual([
      '../../node_modules/loads/index.js:1:25',
      '../../node_modules/loads/index.js:1:38',
    ]);
    expect(shown).not.toContain(SECRET);
  });

  it('in invalid code causes no additional finding', async () => {
    const { errors } = await computerWith('export default async (x) => require("./" + x) +;\n', FILES).bundle();
    expect(errors).toEqual([expect.stringMatching(/^code\.mjs:1:\d+ Unexpected ";"/)]);
  });
});

describe('code that loads only plain strings', () => {
  it.each([
    'const a = require(\'a\'); const b = require ( "b" );',
    "import a from 'a'; import * as b from \"b\"; import { c } from 'c'; import 'd'; export const e = import.meta.url;",
    "import('a').then((a) => a);",
    'typeof require === "function" && require.resolve && requirement;',
    'exports.required = 1; importScripts; x.require = y;',
  ])('is not parsed twice: %s', (text) => {
    expect(mayLoadDynamically(text)).toBe(false);
  });
});
