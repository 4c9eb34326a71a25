// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code as text
/** Files next to the code: certainly loaded, possibly loaded, and not loaded. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeProgram } from '../../src/code/analysis.ts';
import { parseCode } from '../../src/code/parse/parse.ts';
import { folderWith } from '../helpers/folders.ts';
import { node16 } from '../node16/setup.ts';

async function filesOf(code: string): Promise<string[]> {
  const { program, error } = await parseCode(code);
  expect(error).toBeUndefined();
  const files = program ? analyzeProgram(program).localFiles : [];
  return files.map(({ kind, what, isCertain }) => `${isCertain ? 'surely' : 'maybe'} ${kind} ${what}`);
}

/** Each fails on a real Node.js 16 where the file is not there, when it is loaded and called. */
const CERTAIN: [string, string][] = [
  ["const { mask } = require('../lib/mask');\nmodule.exports = async () => ({});", '../lib/mask'],
  ['module.exports = async () => ({});\nconst a = require(`./a`);', './a'],
  ["const { a } = require('./a.json'), b = 1;\nmodule.exports = async () => ({});", './a.json'],
  ["const a = require('/opt/a');\nmodule.exports = async () => ({});", '/opt/a'],
  ["const a = require('.');\nmodule.exports = async () => ({ raw: a.x.y });", '.'],
  ["const p = require.resolve('./a');\nmodule.exports = async () => ({});", './a'],
  ["module.exports = async () => { const a = require('./a'); return {}; };", './a'],
  ["module.exports = async () => ({ raw: require('./a') });", './a'],
  ["module.exports = async () => { const { a } = await import('./a.mjs'); return {}; };", './a.mjs'],
  ["const run = async () => { const a = require('./a'); return {}; };\nmodule.exports = run;", './a'],
  ["const a = require('./a') || {};\nmodule.exports = async () => ({});", './a'],
];

const MAYBE: [string, string][] = [
  ["let a;\ntry { a = require('./a'); } catch { a = {}; }\nmodule.exports = async () => ({});", 'load ./a'],
  ["const a = process.env.X ? require('./a') : {};\nmodule.exports = async () => ({});", 'load ./a'],
  ["const load = () => require('./a');\nmodule.exports = async () => ({});", 'load ./a'],
  ["module.exports = async ({ args }) => { if (args.x) return {}; return require('./a'); };", 'load ./a'],
  ["module.exports = wrap(async () => { require('./a'); });\nfunction wrap(f) { return f; }", 'load ./a'],
  ["const a = require(__dirname + '/a');\nmodule.exports = async () => ({});", 'path __dirname'],
  ['module.exports = async () => (await import(`${__dirname}/a.mjs`)).default;', 'path __dirname'],
  ["const a = require(require('path').join(__dirname, 'a'));\nmodule.exports = async () => ({});", 'path __dirname'],
  ['const a = require(`${__dirname}/a`);\nmodule.exports = async () => ({});', 'path __dirname'],
  [
    "const fs = require('fs');\nconst t = fs.readFileSync(__dirname + '/t.txt');\nmodule.exports = async () => ({});",
    'read readFileSync',
  ],
  [
    "const { readFile } = require('fs/promises');\nconst file = require('path').resolve(__dirname, 't.txt');\nmodule.exports = async () => ({ raw: { t: await readFile(file) } });",
    'read readFile',
  ],
];

const NONE: [string, string][] = [
  ['packages and modules of Node.js', "require('fs'); require('@scope/a'); require('a/b'); import('a');"],
  ['a require of its own', "function require(path) { return path; }\nrequire('./a');"],
  ['a require that is a parameter', "(function (require) { require('./a'); })((x) => x);"],
  ['the program itself', "if (require.main === module) { require('./a'); }"],
  ['the program itself, in short', "require.main === module && require('./a');"],
  [
    'the output of a bundler',
    "var defs = { './lib/a.js': function (module) { module.exports = 1; } };\nvar a = require('./lib/a.js');",
  ],
  ['AMD', "define(['require', './a'], function (require) { return require('./a'); });"],
  ['a text', 'const text = "require(\'./a\')";'],
  ['a member', "loader.require('./a'); x.resolve('./a');"],
  ['a file elsewhere', "require('fs').readFileSync('/etc/hosts'); require('fs').readFileSync(process.cwd() + '/a');"],
  ['the folder as a value', 'module.exports = async () => ({ raw: { folder: __dirname } });'],
  ['__dirname of its own', "const __dirname2 = '/x';\nrequire('fs').readFileSync(__dirname2 + '/a');"],
];

describe('files next to the code', () => {
  it.each(CERTAIN)('are certainly loaded: %s', async (code, path) => {
    expect(await filesOf(code)).toEqual([`surely load ${path}`]);
  });

  it.skipIf(!node16)('that are certainly loaded fail on Node.js 16 with only the code', () => {
    const folder = folderWith();
    const script =
      "Promise.resolve(require('./code.js')).then((f) => f({ args: {} })).then(() => 'ran', (e) => e.code).then(console.log)";
    for (const [code] of CERTAIN.filter(([, path]) => path !== '.')) {
      writeFileSync(join(folder, 'code.js'), code);
      const guarded = `try { ${script} } catch (e) { console.log(e.code) }`;
      const out = execFileSync(String(node16), ['-e', guarded], { cwd: folder, encoding: 'utf8', env: {} });
      expect(out.trim(), code).toMatch(/^(ERR_)?MODULE_NOT_FOUND$/);
    }
  });

  it.each(MAYBE)('are possibly used: %s', async (code, use) => {
    expect(await filesOf(code)).toEqual([`maybe ${use}`]);
  });

  it.each(NONE)('are not loaded by %s', async (_, code) => {
    expect(await filesOf(code)).toEqual([]);
  });
});
