// Loads the files of dist/, each when one of its exports is first used. Node.js's own loader resolves, checks, and wraps
// each path; for the sixty files of a command that took a tenth of its start. Built into dist/load.js.
'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { compileFunction } = require('node:vm');

/** A file is a function of these. */
const PARAMETERS = ['require', 'load', 'expose', '__filename', '__dirname'];
/** What the files export, by their names. */
const exported = new Map();
const loaded = new Set();

function load(name) {
  const exports = find(name);
  if (loaded.has(name)) return exports;
  loaded.add(name);
  const filename = join(__dirname, name);
  // esbuild writes plain ASCII.
  const run = compileFunction(readFileSync(filename, 'latin1'), PARAMETERS, { filename });
  run(requireFrom, load, (getters) => Object.setPrototypeOf(exports, getters), filename, __dirname);
  return exports;
}

/** What a file exports inherits from this until the file is loaded, which happens when something is first read from it. */
function find(name) {
  const known = exported.get(name);
  if (known) return known;
  const exports = Object.create(new Proxy({}, { get: (_, key) => load(name)[key] }));
  exported.set(name, exports);
  return exports;
}

const requireFrom = (name) => (name.startsWith('./') ? find(name.slice(2)) : require(name));

// Only a parse thread runs this file itself.
load(require.main === module ? 'parse-worker.js' : 'cli.js');
