// Loads the files of dist/, each when one of its exports is first used. Node.js's own loader resolves, checks, and wraps
// each path; for the sixty files of a command that took a tenth of its start. Built into dist/load.js.
'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { compileFunction } = require('node:vm');

/** A module is a function of these, as in Node.js. */
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const modules = new Map();
const lazyExports = new Map();

function load(name) {
  const known = modules.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  const filename = join(__dirname, name);
  // esbuild writes plain ASCII.
  const run = compileFunction(readFileSync(filename, 'latin1'), PARAMETERS, { filename });
  run(module.exports, requireFrom, module, filename, __dirname);
  return module.exports;
}

/** `names`, comma-separated, are the exports of a file that is loaded when one of them is first used. */
function requireFrom(name, names) {
  if (!name.startsWith('./')) return require(name);
  const file = name.slice(2);
  return names === undefined || modules.has(file) ? load(file) : lazyExportsFrom(file, names.split(','));
}

function lazyExportsFrom(file, names) {
  const known = lazyExports.get(file);
  if (known) return known;
  const exports = Object.defineProperty({}, '__esModule', { value: true });
  for (const name of names) {
    const get = () => {
      Object.defineProperties(exports, Object.getOwnPropertyDescriptors(load(file)));
      return exports[name];
    };
    Object.defineProperty(exports, name, { get, configurable: true, enumerable: true });
  }
  lazyExports.set(file, exports);
  return exports;
}

load('cli.js');
