/** APIs that Node.js 16 lacks, by scope: findings, and the many styles without a finding. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { committedTable, lackingIn, namesOf } from '../../../src/build/node16-table.mjs';
import { analyzeProgram } from '../../../src/code/analysis.ts';
import { parseCode } from '../../../src/code/parse/parse.ts';
import { codePositionAt } from '../../../src/text/source-position.ts';
import { folderWith } from '../../helpers/folders.ts';
import { node16 } from '../../node16/setup.ts';

async function lacking(code: string): Promise<string[]> {
  const { program } = await parseCode(code);
  const lacks = program ? analyzeProgram(program).missingApis : [];
  return lacks.map(({ what, at }) => {
    const { line, column } = codePositionAt(code, at);
    return `${line}:${column} ${what}`;
  });
}

/** Each is found, and throws on Node.js 16. */
const FOUND: [string, string[]][] = [
  ["fetch('x');", ['1:1 fetch']],
  ['new Headers();\nnew Headers();\nnew FormData();', ['1:5 Headers', '3:5 FormData']],
  ['const clone = (x) => structuredClone(x);\nclone({});', ['1:22 structuredClone']],
  ['const id = crypto.randomUUID();', ['1:12 crypto']],
  ["{ const fetch = 1; }\nfetch('x');", ['2:1 fetch']],
  ["globalThis.fetch('x');", ['1:12 fetch']],
  ["(async () => fetch?.('x'))();\nfetch('x');", ['1:14 fetch']],
  ['const list = [1, 2];\nlist.findLast((x) => x > 1);', ['2:6 .findLast()']],
  ["['b', 'a'].toSorted();", ['1:12 .toSorted()']],
  ['((list) => list.toReversed())([1]);', ['1:17 .toReversed()']],
  ['const f = (list) => list?.toSpliced(0, 1);\nf([]);', ['1:27 .toSpliced()']],
  ["Object.keys({}).filter(Boolean).with(0, 'a');", ['1:33 .with()']],
  ["'a b'.split(' ').findLastIndex((x) => x);", ['1:18 .findLastIndex()']],
  ["'a'.trim().isWellFormed();", ['1:12 .isWellFormed()']],
  ['new Set([1]).union(new Set([2]));', ['1:14 .union()']],
  ['const seen = new Set();\nseen.isSubsetOf(seen);', ['2:6 .isSubsetOf()']],
  ["Buffer.from('a').toHex();", ['1:18 .toHex()']],
  ['Object.groupBy([1], (x) => x);', ['1:1 Object.groupBy']],
  ['const { resolve } = Promise.withResolvers();', ['1:21 Promise.withResolvers']],
  ["URL.canParse('x');", ['1:1 URL.canParse']],
  ["const crypto = require('crypto');\ncrypto.hash('sha1', 'a');", ["2:1 require('crypto').hash"]],
  ["const c = require('crypto');\n(0, c.hash)('sha1', 'a');", ["2:5 require('crypto').hash"]],
  ["let c;\nc = require('crypto');\nc.hash('sha1', 'a');", ["3:1 require('crypto').hash"]],
  ['const get = fetch.bind(globalThis);\nget(1);', ['1:13 fetch']],
  ["const api = { is: {} };\napi.fetch = 1;\napi.is.fetch = 1;\nexports.fetch = 1;\nfetch('x');", ['5:1 fetch']],
  [
    'function __using(value) { return value[Symbol.for("Symbol.dispose")](); }\n__using({ [Symbol.dispose]() {} });',
    ['2:12 Symbol.dispose'],
  ],
  ["require('core-js/actual');\nrequire('node:sqlite');", ['2:1 node:sqlite']],
  ['({}) instanceof globalThis.Headers;', ['1:28 Headers']],
  ['class Own extends globalThis.Request {}', ['1:30 Request']],
  ['(() => { try { return structuredClone(1); } catch (error) { throw error; } })();', ['1:23 structuredClone']],
  ["const { styleText } = require('node:util');\nstyleText('red', 'a');", ["1:9 require('node:util').styleText"]],
  ["require('crypto').subtle.digest('SHA-1', '');", ["1:1 require('crypto').subtle"]],
  ["const { getCallSite } = require('util');\ngetCallSite();", ["1:9 require('util').getCallSite"]],
  ["require('readline/promises').createInterface({});", ['1:1 readline/promises']],
  ["const fs = require('fs');\nfs.promises.statfs('/');", ["2:1 require('fs').promises.statfs"]],
  ["const { promises: { glob } } = require('fs');\nglob('*');", ["1:21 require('fs').promises.glob"]],
  ["const fs = require('node:fs').promises;\nfs.glob('*');", ["2:1 require('node:fs').promises.glob"]],
  ["const { win32 } = require('path');\nwin32.matchesGlob('a', '*');", ["2:1 require('path').win32.matchesGlob"]],
  ["new Intl.NumberFormat('en').formatRange(1, 2);", ['1:29 .formatRange()']],
  ["const f = Intl.NumberFormat('en');\nf.formatRangeToParts(1, 2);", ['2:3 .formatRangeToParts()']],
  ["const FLAGS = 'gv';\nnew RegExp('a', FLAGS);", ['2:1 v']],
  ["const { DatabaseSync } = require('node:sqlite');", ['1:26 node:sqlite']],
  ["require('node:ffi').dlopen(null);", ['1:1 node:ffi']],
  ["require('_stream_duplex');\nfetch('x');", ['2:1 fetch']],
  ["const _ = require('path');\n[1].findLast(Boolean);", ['2:5 .findLast()']],
  ["const axios = require('./none');\nmodule.exports = (list) => list.findLast(Boolean);", ['2:33 .findLast()']],
  ["const s = 'fetch';\nfetch('x');", ['2:1 fetch']],
  ['const v = process.version;\nfetch(v);', ['2:1 fetch']],
  ["const inBrowser = typeof window !== 'undefined';\nstructuredClone(inBrowser);", ['2:1 structuredClone']],
  ['Object.keys(global);\nstructuredClone(1);', ['2:1 structuredClone']],
  ['try { fetch(1); } catch (error) { throw error; }', ['1:7 fetch']],
  ['let r;\n(() => { try { r = fetch(1); } finally { r = 1; } })();', ['2:20 fetch']],
  ['const { fetch } = globalThis;\nfetch(1);', ['1:9 fetch']],
  ['const { groupBy } = Object;\ngroupBy([1], (x) => x);', ['1:9 Object.groupBy']],
  ["new RegExp('[a]', 'v');", ['1:1 v']],
  ["const { Readable } = require('stream');\nReadable.fromWeb({});", ['2:1 Readable.fromWeb']],
  ["const stream = require('node:stream');\nstream.Readable.fromWeb({});", ['2:1 Readable.fromWeb']],
  ['new Map([[1, 2]]).values().map((x) => x);', ['1:28 .map() of iterators']],
  ['const seen = new Set([1]);\nseen.values().toArray();', ['2:15 .toArray() of iterators']],
  ['function* g() { yield 1; }\ng().take(1);', ['2:5 .take() of iterators']],
  ["'a1'.matchAll(/\\d/g).map((x) => x);", ['1:22 .map() of iterators']],
];

/** Each is fine, or may be. */
const NOT_FOUND: [string, string][] = [
  [
    'what Node.js 16 has',
    "Buffer.from('a'); new URLSearchParams(); new URL('http://x'); new AbortController(); performance.now(); queueMicrotask(() => 1); atob('YQ=='); new TextDecoder(); [1].at(0); Object.hasOwn({}, 'a'); 'a'.replaceAll('a', 'b'); Promise.any([1]); new Intl.Segmenter();",
  ],
  [
    'what newer Node.js no longer have',
    "require('util').isArray([]); require('util').log(''); require('tls').createSecurePair(); require('crypto').createCipher('aes', 'a'); require('buffer').SlowBuffer(1); require('node:_stream_wrap');",
  ],
  ['what no Node.js has', 'window.x; unknown(); document.title;'],
  ['a constant', "const fetch = require('node-fetch');\nfetch('x');"],
  ['a constant of a module', "const { default: fetch, Headers } = require('node-fetch');\nnew Headers(fetch('x'));"],
  ['a parameter', 'module.exports = async ({ fetch, crypto }) => fetch(crypto.x);'],
  ['a function of that name', 'fetch(1);\nfunction fetch() {}'],
  ['a class of that name', 'class File {}\nnew File();'],
  ['a variable of that name, declared later', "f();\nvar fetch = 1;\nfunction f() { fetch('x'); }"],
  ['a caught error of that name', 'try {} catch (Response) { Response.x(); }'],
  ['typeof', "const get = typeof fetch === 'function' ? fetch : require('node-fetch');"],
  ['typeof in an if', "if (typeof structuredClone !== 'undefined') structuredClone(1);"],
  ['a typeof that guards with return', "function f() { if (typeof fetch === 'undefined') return; return fetch('x'); }"],
  ['code for a browser too', "const agent = typeof window === 'undefined' ? 'node' : navigator.userAgent;"],
  ['in', "if ('fetch' in globalThis) fetch('x');"],
  ['a test of the global object', "const get = globalThis.fetch || require('node-fetch');\nget('x');"],
  ['an optional call on the global object', "globalThis.fetch?.('x');"],
  ['an assignment', "globalThis.fetch = require('node-fetch');\nfetch('x');"],
  ['an assignment to a sloppy global', "fetch = require('node-fetch');\nfetch('x');"],
  ['an assignment on condition', "if (!global.fetch) global.fetch = require('node-fetch');\nfetch('x');"],
  ['a definition', "Object.defineProperty(globalThis, 'fetch', { value: 1 });\nfetch('x');"],
  ['many definitions', "Object.assign(global, require('node-fetch'));\nnew Headers();"],
  ['a package that is loaded for what it changes', "require('isomorphic-fetch');\nfetch('x');"],
  ['core-js', "require('core-js/actual');\n[1].toSorted();"],
  ['a choice by version', "const major = Number(process.versions.node.split('.')[0]);\nif (major >= 18) fetch('x');"],
  ['a branch by version', "if (parseInt(process.version.slice(1), 10) > 17) { fetch('x'); }"],
  ['an early return by version', "function f() { if (+process.versions.node.split('.')[0] < 18) return; fetch('x'); }"],
  ['a branch for browsers', "const inBrowser = typeof window === 'object';\nif (inBrowser) fetch('x');"],
  ['a catch that replaces it', 'let copy;\ntry { copy = structuredClone({}); } catch { copy = JSON.parse("{}"); }'],
  ['a catch that returns', 'function f(x) { try { return structuredClone(x); } catch { return JSON.parse("{}"); } }'],
  ['a catch that loads another', "let get;\ntry { get = fetch; } catch { get = require('node-fetch'); }"],
  ['what follows a tried return', 'function f(x) { try { return structuredClone(x); } catch {} return { ...x }; }'],
  ['a value that stays if the try fails', 'let copy = {};\ntry { copy = structuredClone(copy); } catch {}'],
  ['a mention that is tried', 'let copy;\ntry { copy = structuredClone; } catch {}'],
  ['a global taken out with a default', "const { fetch = require('node-fetch') } = globalThis;\nfetch(1);"],
  ['a global taken out and tested', 'const { fetch } = globalThis;\nif (fetch) fetch(1);'],
  ['a set on what may be the global object', "((root) => { root.fetch = root.other; })(this);\nfetch('x');"],
  ['another flag', "new RegExp('a', 'u'); new RegExp('v');"],
  ['methods of arrays', 'Object.values({}).map((x) => x); [...new Map().values()].map((x) => x);'],
  ['values of what is unknown', 'module.exports = (x) => x.values().map((y) => y);'],
  ['a package result', "const db = require('db');\nmodule.exports = async () => (await db.list()).findLast((x) => x);"],
  ['the global object that is passed on', "install(globalThis);\nfetch('x');"],
  ['a name in a question', "Object.prototype.hasOwnProperty.call(globalThis, 'fetch');\nfetch('x');"],
  ['a property', 'api.fetch(1); api.crypto.x; ({ fetch: 1, Headers() {} });'],
  ['a label and a key', 'fetch: for (;;) break fetch;'],
  ['an optional call', 'const last = [1].findLast?.((x) => x);'],
  ['a test of a method', 'const last = [1].findLast ? [1].findLast(Boolean) : 1;'],
  ['its polyfill', 'if (!Array.prototype.toSorted) { Array.prototype.toSorted = function () {}; }\n[1].toSorted();'],
  ['a method of an own class', 'class List { findLast() {} }\nnew List().findLast();'],
  ['a field of an own class', 'class List { toSorted = () => 1; }\nnew List().toSorted();'],
  ['a method of an own object', 'const list = { toSorted() {} };\nlist.toSorted();'],
  ['a method that is added', 'List.prototype.toSorted = f;\nnew List().toSorted();'],
  [
    'lodash',
    "const _ = require('lodash');\n_.findLast([1], (x) => x); _([1]).findLast((x) => x); _.chain([1]).findLast().value();",
  ],
  ['lodash in pieces', "const findLast = require('lodash/findLast');\nfindLast([1], (x) => x);"],
  ['immutable', "const { List } = require('immutable');\nList([1]).findLast((x) => x);"],
  ['with of a library', "const { DateTime } = require('luxon');\nDateTime.now().with({ day: 1 }); query.union(other);"],
  ['a Set of its own', "const { Set } = require('immutable');\nnew Set([1]).union([2]);"],
  ['groupBy of lodash', "const _ = require('lodash');\n_.groupBy([1], (x) => x);"],
  ['a test of a static method', 'const group = Object.groupBy || ((list) => list);'],
  ['Promise of a library', "const Promise = require('bluebird');\nPromise.try(() => 1);"],
  ['Symbol.dispose as a key', 'class A { [Symbol.dispose]() {} }'],
  ['a tested member', "const crypto = require('crypto');\nconst id = crypto.hash ? crypto.hash('sha1', 'a') : 1;"],
  ['a module member with a default', "const { hash = own } = require('crypto');\nhash('a');"],
  ['promises that Node.js 16 has', "const fs = require('fs');\nfs.promises.readFile('a'); fs.promises.constants.X;"],
  ['a function in a block', 'if (1) { function structuredClone(v) { return v; } }\nstructuredClone(1);'],
  ['formatRange of dates', "new Intl.DateTimeFormat('en').formatRange(1, 2);"],
  ['a package of the name', "const sqlite = require('sqlite');"],
  ['a module that is tried for', "let db;\ntry { db = require('node:sqlite'); } catch {}"],
  ['the test module, which 16.20 has', "const test = require('node:test');\ntest('a', () => {});"],
  ['webcrypto as a constant', "const { webcrypto: crypto } = require('crypto');\ncrypto.subtle.digest('SHA-1', x);"],
  ['Blob of the buffer module', "const { Blob } = require('buffer');\nnew Blob([]);"],
  ['eval, which sees every name', "eval('var fetch = 1');\nfetch('x');"],
  ['with, where names may be members', 'with (api) { fetch(1); }'],
  ['code that brings it', 'var require_p = (() => { var g = globalThis; g.fetch = function () {}; })();\nfetch("x");'],
];

/** Runs each code and prints how it ended: `ran`, or the name of the error. */
const RUNNER = `process.on('unhandledRejection', () => undefined);
  const run = (code) => { try { new Function('require', code)(require); return 'ran'; } catch (error) { return error.name; } };
  process.stdout.write(JSON.stringify(require('./codes.json').map(run)));`;

describe('an API that Node.js 16 lacks', () => {
  it.each(FOUND)('is found: %s', async (code, found) => {
    expect(await lacking(code)).toEqual(found);
  });

  it.each([
    ["const url = new URLSearchParams('a=1');\nmodule.exports = url.size ? 1 : 2;", ['2:18 URLSearchParams.size']],
    ["const { size } = new URLSearchParams('a=1');", []],
    ["const params = new URLSearchParams('a=1');\nmodule.exports = params.size ?? [...params].length;", []],
    [
      "const params = new URLSearchParams('a=1');\nif (params.size === undefined) use([...params]); else use(params.size);",
      [],
    ],
    ['new Set([1]).size; new Map().size;', []],
  ])('is found though it is only undefined there: %s', async (code, found) => {
    expect(await lacking(code)).toEqual(found);
  });

  it.each(NOT_FOUND)('is not reported for %s', async (_, code) => {
    expect(await lacking(code)).toEqual([]);
  });

  it.skipIf(!node16)('is missing on Node.js 16, which throws for each of the findings', () => {
    // A file, since a script on the command line has more globals.
    const folder = folderWith({ 'codes.json': JSON.stringify(FOUND.map(([code]) => code)), 'run.cjs': RUNNER });
    const out = execFileSync(node16 ?? '', [join(folder, 'run.cjs')], { encoding: 'utf8', env: {} });
    const ended = JSON.parse(out) as string[];
    expect(FOUND.filter((_, i) => !/^(Reference|Type|Syntax)?Error$/.test(ended[i] ?? ''))).toEqual([]);
  });
});

/** A bundle as esbuild writes it: each module behind a comment with its name. */
const bundleOf = (modules: Record<string, string>) =>
  `${Object.entries(modules)
    .map(([name, code]) => `// ${name}\n${code}\n`)
    .join('\n')}\n// formula\nmodule.exports = code_default;\n`;

async function lackingInBundle(modules: Record<string, string>): Promise<string[]> {
  const code = bundleOf(modules);
  const { program } = await parseCode(code);
  const lacks = program ? analyzeProgram(program, code).missingApis : [];
  return lacks.map(
    ({ what, packageName, failsAtLoad }) => `${packageName ?? 'own'}: ${what}${failsAtLoad ? ' at load' : ''}`,
  );
}

const OWN = "var code_default = async () => ({ raw: await fetch('x') });";

const INSTALL = 'function install() { globalThis.fetch = 1; }';
const NOTHING = 'var code_default = async () => ({});';

describe('an API in a bundle that Node.js 16 lacks', () => {
  it.each<[string, string[], Record<string, string>, string?]>([
    ['needs its own guard', ['own: fetch'], { 'node_modules/a/i.js': "if (typeof fetch === 'function') f(fetch);" }],
    ['is not guarded by another own file', ['own: fetch'], { 'lib/a.ts': "var has = typeof fetch === 'function';" }],
    ['is told next to a package with eval', ['own: fetch'], { 'node_modules/b/i.js': 'var f = (x) => eval(x);' }],
    ['is not set by a function that nobody calls', ['own: fetch'], { 'node_modules/u/i.js': INSTALL }],
    ['is set by a function of a package that is called', [], { 'node_modules/u/i.js': INSTALL }, `install();\n${OWN}`],
    [
      'is set by a function that the formula calls as a property of a CommonJS package',
      [],
      { 'node_modules/u/i.js': `${INSTALL}\nmodule.exports = { install };` },
      `(0, import_u.install)();\n${OWN}`,
    ],
    ['is guarded in its own file', [], {}, `if (typeof fetch === 'undefined') stop();\n${OWN}`],
    [
      'is guarded in another file of the same package',
      [],
      {
        'node_modules/@a/b/one.js': "var has = typeof structuredClone === 'function';",
        'node_modules/@a/b/two.js': 'var copy = structuredClone(1);',
      },
      NOTHING,
    ],
    ['is provided by a package that sets it', [], { 'node_modules/cross-fetch/i.js': 'globalThis.fetch = () => 1;' }],
    ['is provided by a package that is loaded for its effect', [], {}, `require_polyfill();\n${OWN}`],
    [
      'is found in packages too, with whether it runs at load',
      ['a: structuredClone at load', 'b: structuredClone', 'c: fetch at load'],
      {
        'node_modules/a/index.js': 'var a = structuredClone(1);',
        'node_modules/b/index.js': 'var b = () => structuredClone(1);',
        'node_modules/c/index.js':
          'var require_c = __commonJS({\n  "node_modules/c/index.js"(exports) {\n    exports.x = fetch;\n  }\n});',
      },
      NOTHING,
    ],
    [
      'is found in default and namespace imports of modules of Node.js',
      ["own: require('node:crypto').getRandomValues", "own: require('util').styleText", 'own: Readable.fromWeb'],
      {},
      `var import_node_crypto = __toESM(require("node:crypto"));
var util = __toESM(require("util"));
var import_stream = require("node:stream");
var code_default = async () => [import_node_crypto.default.getRandomValues(1), util.styleText(1), import_stream.Readable.fromWeb(1)];`,
    ],
    ['is not split by a text like a module', ['own: fetch'], {}, `var text = \`\n// node_modules/a/i.js\n\`;\n${OWN}`],
  ])('%s', async (_, expected, modules, own = OWN) => {
    expect(await lackingInBundle({ ...modules, 'code.ts': own })).toEqual(expected);
  });
});

describe('the table of missing APIs', () => {
  it.skipIf(!node16)('contains all additional names of this Node.js, and no name of Node.js 16', () => {
    expect(lackingIn(namesOf(node16 ?? ''), namesOf(process.execPath), committedTable())).toEqual(committedTable());
  });

  it.skipIf(!node16)('keeps the names of other Node.js versions', () => {
    const older = namesOf(node16 ?? '');
    expect(lackingIn(older, older, committedTable())).toEqual(committedTable());
  });
});
