/** What the analysis says of code, held against a real Node.js 16 that runs it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeProgram } from '../../../src/code/analysis.ts';
import { parseCode } from '../../../src/code/parse/parse.ts';
import { FUNCTIONS, NOT_FUNCTIONS } from '../../fixtures/code/export-styles.ts';
import { LEGAL, REFUSED } from '../../fixtures/code/syntax-cases.ts';
import { folderWith } from '../../helpers/folders.ts';
import { node16 } from '../../node16/setup.ts';

const HANDLER = 'async () => ({})';

/** Each exports a function on Node.js 16; the analysis may say so, or that it cannot tell. */
const LEGAL_STYLES = [
  `module.exports = (module.exports = {}, ${HANDLER});`,
  `module.exports = keep(module.exports = {});\nfunction keep() { return ${HANDLER}; }`,
  `module.exports = ${HANDLER};\nreturn;\nmodule.exports = {};`,
  `module.exports = ${HANDLER};\nif (process.version) return;\nmodule.exports = {};`,
  'const h = {};\n(async function h() { module.exports = h; })();',
  'const h = async function h() {};\nmodule.exports = h;',
  `require.cache[__filename].exports = ${HANDLER};`,
  `require('module')._cache[__filename].exports = ${HANDLER};`,
  `module._compile('module.exports = ${HANDLER}', __filename);`,
  `module.constructor._cache[__filename].exports = ${HANDLER};`,
  `module.exports = ${HANDLER};\nclass A { x = (module.exports = 1); }`,
  `module.exports = ${HANDLER};\nglobalThis.missing?.(module.exports = {});`,
  `module.exports = ${HANDLER};\nlet a = 1;\na ||= (module.exports = {});`,
  `module.exports = ${HANDLER};\nlet a = 1;\na ??= (module.exports = {});`,
  `const Object = { freeze: () => ${HANDLER} };\nmodule.exports = Object.freeze({});`,
  `const x = {};\n{ let { x } = { x: ${HANDLER} }; module.exports = x; }`,
  `const x = {};\ntry { throw ${HANDLER}; } catch (x) { module.exports = x; }`,
  `(function (root, factory) {
    if (typeof define === 'function' && define.amd) define([], factory);
    else if (typeof module === 'object' && module.exports) module.exports = factory();
    else root.x = factory();
  })(this, function () { return ${HANDLER}; });`,
  `var __commonJS = (cb, mod) => () => mod || (cb((mod = { exports: {} }).exports, mod), mod.exports);
  var r = __commonJS((exports, module) => { module.exports = ${HANDLER}; });
  module.exports = r();`,
  `(() => { var all = { 1: (module) => { module.exports = ${HANDLER}; } };
  function r(i) { var m = { exports: {} }; all[i](m, m.exports, r); return m.exports; } module.exports = r(1); })();`,
  `exports.default = ${HANDLER};\nmodule.exports = exports.default;`,
  `exports = ${HANDLER};\nmodule.exports = exports;`,
  `module.exports = {};\nmodule.exports &&= ${HANDLER};`,
  `(m => { m.exports = ${HANDLER}; })(module);`,
  `module.exports = null ?? (${HANDLER});`,
  `module.exports = ${HANDLER};\nif (0) { f() = 1; }`,
  `module.exports = ${HANDLER};\nconst t = \`\n<<<<<<< a\n=======\n>>>>>>> b\n\`;`,
  `module.exports = ${HANDLER};\nconst t = \`\n<<<<<<< a\n\`, j = () => import('./a.json', { assert: { type: 'json' } });`,
  `module.exports = ${HANDLER};\n() => import('x', {});\n/\\(?<a>(?<a>x)[(?i:]/;`,
  `--> an HTML comment\nmodule.exports = ${HANDLER};`,
];

const REFUSED_WITH_PLACE: [string, string, string, string, number, number][] = [
  ['exports taken apart at the top', 'let a;\nconst { exports } = {};', 'syntax', 'exports', 2, 9],
  ['require in a list at the top', 'let [, require] = [];', 'syntax', 'require', 1, 8],
  ['await before a return', 'const x = await y;\nif (!x) return;', 'module', 'await', 1, 11],
  ['await before export', 'const y = await z();\nexport const a = 1;', 'module', 'await', 1, 11],
  ['import.meta below a comment on await', '// await\nx = import.meta.url;', 'module', 'import.meta', 2, 5],
  ['import in broken code', "import x from 'x';\ny = (;", 'module', 'import', 1, 1],
  ['import in code too deep for acorn', `import 'x';\ny = ${'a + '.repeat(20_000)}a;`, 'module', 'import', 1, 1],
  ['a module that quotes conflict markers', 'export const a = `\n<<<<<<< x\n`;', 'module', 'export', 1, 1],
  ['half a conflict', 'a;\n=======\nb;', 'conflict', 'conflict', 2, 1],
  ['a line of = in a comment', '/*\nTitle\n=======\n*/\nx = (;', 'syntax', 'Unexpected token', 5, 6],
  ['code that is cut off', 'module.exports = async () => {\n', 'syntax', 'unexpected end', 2, 1],
  ['the source of a module', "x = () => import.source('a.wasm');", 'target', 'import.source()', 1, 18],
  ['a module that is deferred', "x = () =>\n  import .defer('a');", 'target', 'import.defer()', 2, 11],
  ['a modifier behind a plain group', 'x = /(?:a)(?-i:b)/;', 'target', 'modifier', 1, 5],
  ['broken code too deep for acorn', `x = ${'a + '.repeat(20_000)}a;\r\n y = (;`, 'syntax', "token ';'", 1, 1],
];

/** What each piece of code exports on Node.js 16. */
function exportedOnNode16(codes: readonly string[]): string[] {
  const folder = folderWith(Object.fromEntries(codes.map((code, i) => [`${i}.js`, code])));
  const out = execFileSync(node16 ?? '', [join(import.meta.dirname, '../../node16/requires.cjs'), folder], {
    encoding: 'utf8',
    env: {},
  });
  const kinds = JSON.parse(out) as Record<string, string>;
  return codes.map((_, i) => kinds[`${i}.js`] ?? 'none');
}

describe.skipIf(!node16)('on a real Node.js 16', () => {
  it('every style with an exported function exports one', () => {
    const kinds = exportedOnNode16(FUNCTIONS);
    expect(FUNCTIONS.filter((_, i) => kinds[i] !== 'function')).toEqual([]);
  });

  it('no rejected style exports a function', () => {
    const codes = NOT_FUNCTIONS.map(([code]) => code);
    const kinds = exportedOnNode16(codes);
    expect(codes.filter((_, i) => kinds[i] === 'function')).toEqual([]);
  });

  it('all legal syntax compiles', () => {
    const kinds = exportedOnNode16(LEGAL.map(([, code]) => code));
    expect(LEGAL.filter((_, i) => kinds[i] === 'syntax error')).toEqual([]);
  });

  it('all rejected syntax does not compile', () => {
    const refused = REFUSED.filter(([, , kind]) => kind !== 'empty');
    const kinds = exportedOnNode16(refused.map(([, code]) => code));
    expect(refused.filter((_, i) => kinds[i] !== 'syntax error')).toEqual([]);
  });
});

describe('rare styles', () => {
  it.each(LEGAL_STYLES)('are not rejected: %s', async (code) => {
    const { program, error } = await parseCode(code);
    expect(error).toBeUndefined();
    if (program) expect(analyzeProgram(program).moduleExport.kind).not.toBe('not-a-function');
  });

  it.skipIf(!node16)('export a function on a real Node.js 16', () => {
    const kinds = exportedOnNode16(LEGAL_STYLES);
    expect(LEGAL_STYLES.filter((_, i) => kinds[i] !== 'function')).toEqual([]);
  });

  it('do not crash with a table of 150,000 numbers', async () => {
    const { program } = await parseCode(`const t = [${'1,'.repeat(150_000)}];\nmodule.exports = async () => t;`);
    expect(program && analyzeProgram(program).moduleExport).toMatchObject({
      kind: 'function',
      asynchronous: 'yes',
    });
  });
});

describe('rare mistakes', () => {
  it.each(REFUSED_WITH_PLACE)('are reported with their position: %s', async (_, code, kind, found, line, column) => {
    expect((await parseCode(code)).error).toEqual({ kind, found: expect.stringContaining(found), line, column });
  });

  it.skipIf(!node16)('do not compile on a real Node.js 16', () => {
    const kinds = exportedOnNode16(REFUSED_WITH_PLACE.map(([, code]) => code));
    expect(REFUSED_WITH_PLACE.filter((_, i) => kinds[i] !== 'syntax error').map(([title]) => title)).toEqual([]);
  });
});
