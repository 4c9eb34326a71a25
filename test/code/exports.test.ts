/** Styles of export, legal and not, with the one answer of three that each must have. */
import { describe, expect, it } from 'vitest';
import { exportedValue } from '../../src/code/exports.ts';
import { parseCode } from '../../src/code/parse.ts';

function answerFor(code: string) {
  const { program, fault } = parseCode(code);
  expect(fault).toBeUndefined();
  return program ? exportedValue(program) : { answer: 'no program' };
}

const FUNCTIONS = [
  'module.exports = async (req) => ({ raw: {} });',
  'module.exports = async function (req) { return {}; };',
  'module.exports = async function handler(req) { return {}; };',
  'async function handler(req) { return {}; }\nmodule.exports = handler;',
  'module.exports = handler;\nasync function handler() { return {}; }',
  'const handler = async () => ({});\nmodule.exports = handler;',
  'exports = module.exports = async () => ({});',
  'module.exports = exports = async () => ({});',
  "module['exports'] = async () => ({});",
  'module[`exports`] = async () => ({});',
  "'use strict';\nmodule.exports = async () => ({});",
  'module.exports = async () => ({});\nmodule.exports.helper = () => 1;\nmodule.exports.default = module.exports;',
  'exports.helper = 1;\nmodule.exports = async () => ({});',
  'module.exports = {};\nmodule.exports = async () => ({});',
  'module.exports = async () => ({});\nreturn;',
  'module.exports = Object.assign(async () => ({}), { version: 1 });',
  'module.exports = Object.freeze(async () => ({}));',
  'const f = async () => ({});\nmodule.exports = f.bind(null);',
  'module.exports = (0, async () => ({}));',
  'module.exports = process.env.X ? async () => ({}) : async () => ({ raw: {} });',
  'const a = async () => ({}), b = a;\nmodule.exports = b;',
  'module.exports = async () => ({});\nif (require.main === module) { module.exports({}).then(console.log); }',
  'var package = 1;\nmodule.exports = async () => ({ raw: { package } });',
  "if (typeof module === 'object') module.exports = async () => ({});\nmodule.exports = async () => ({});",
];

const UNKNOWN = [
  'module.exports = async ({ args: { exports, module } }) => ({ raw: { exports, module } });',
  'module.exports = withRetry(async (req) => ({}));',
  "module.exports = require('./handler');",
  'class Handler { async run() {} }\nconst h = new Handler();\nmodule.exports = h.run.bind(h);',
  'module.exports = h.run;',
  'const m = module;\nm.exports = async () => ({});',
  "Object.defineProperty(module, 'exports', { value: async () => ({}) });",
  '(function (module, exports) { module.exports = async () => ({}); })(module, exports);',
  'this.handler = 1;',
  'module.exports = new Proxy(async () => ({}), {});',
  'if (process.env.X) { module.exports = async () => ({}); }',
  'let f;\nf = async () => ({});\nmodule.exports = f;',
  'let f = {};\nf = async () => ({});\nmodule.exports = f;',
  'eval("module.exports = async () => ({})");',
  'with (module) { exports = async () => ({}); }',
  'module.exports ??= async () => ({});',
  '[module.exports] = [async () => ({})];',
  '({ a: module.exports } = { a: async () => ({}) });',
  'for (module.exports of [async () => ({})]) {}',
  'function set() { module.exports = async () => ({}); }\nset();',
  'try { module.exports = async () => ({}); } catch { module.exports = {}; }',
  'if (x) return;\nmodule.exports = {};',
  'var __toCommonJS = (x) => x;\nmodule.exports = __toCommonJS(src_exports);',
  'const key = "exports";\nmodule[key] = async () => ({});',
  'module.exports = (() => async () => ({}))();',
  'arguments[2].exports = async () => ({});',
  'const { exports: e } = module;',
  'x = { module };',
  'module.exports = a || (async () => ({}));',
  'const a = b, b = a;\nmodule.exports = a;',
];

const NOT_FUNCTIONS: [string, string, number][] = [
  ['async function handler() {}', 'nothing is assigned to module.exports', 1],
  ['exports = async () => ({});', 'exports = …', 1],
  ['\nexports.handler = async () => ({});', 'handler', 2],
  ['module.exports.handler = async () => ({});', 'handler', 1],
  ["exports['handler'] = async () => ({});", 'handler', 1],
  ["Object.defineProperty(exports, '__esModule', { value: true });\nexports.default = async () => ({});", 'default', 2],
  ['module.exports = { handler: async () => ({}) };', 'an object', 1],
  ['const handler = async () => ({});\nmodule.exports = { handler };', 'an object', 2],
  ['module.exports = class { async run() {} };', 'a class', 1],
  ['class Handler {}\nmodule.exports = Handler;', 'a class', 2],
  ['module.exports = (async () => ({}))();', 'a promise', 1],
  ['async function handler() {}\nmodule.exports = handler();', 'a promise', 2],
  ['module.exports = [];', 'an array', 1],
  ["module.exports = 'x';", 'a plain value', 1],
  ['module.exports = undefined;', 'undefined', 1],
  ['module.exports = async () => ({});\nmodule.exports = {};', 'an object', 2],
  ['if (x) { module.exports = {}; } else { module.exports = []; }', 'an object', 1],
];

describe('the exported value', () => {
  it.each(FUNCTIONS)('is a function: %s', (code) => {
    expect(answerFor(code)).toMatchObject({ answer: 'function' });
  });

  it.each(UNKNOWN)('cannot be told: %s', (code) => {
    expect(answerFor(code)).toEqual({ answer: 'unknown' });
  });

  it.each(NOT_FUNCTIONS)('is provably no function: %s', (code, why, line) => {
    expect(answerFor(code)).toMatchObject({
      answer: 'not-a-function',
      why: expect.stringContaining(why),
      at: { line },
    });
  });
});

describe('the exported function', () => {
  it.each([
    ['module.exports = async () => 1;', 'yes'],
    ['module.exports = () => ({ raw: {} });', 'no'],
    ['module.exports = () => {};', 'no'],
    ['module.exports = function () { if (x) return { raw: {} }; return { raw: 1 }; };', 'no'],
    ['module.exports = () => (x ? {} : []);', 'no'],
    ['module.exports = (req) => new Greeter().run(req);', 'unknown'],
    ['module.exports = (req) => run(req);', 'unknown'],
    ['module.exports = () => result;', 'unknown'],
    ['module.exports = () => { return [1].map(async () => 1)[0]; };', 'unknown'],
    ['module.exports = () => { const f = () => { return 1; }; return f2(); };', 'unknown'],
    ['module.exports = function* () {};', 'unknown'],
  ])('%s: asynchronous is %s', (code, asynchronous) => {
    expect(answerFor(code)).toMatchObject({ answer: 'function', asynchronous });
  });
});
