// Loads the files of dist, for each command from a pack of those that it needs, with what V8 made of them at an earlier
// run: to find, read and compile them is half of a start. Made into dist/load.js.
'use strict';

const { accessSync, constants, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

/** The file that begins; its name tells the content of all. */
const entry = FORMULARY_ENTRY;

const FOLDER = join(__dirname, 'compiled');
const NOTHING = Buffer.alloc(0);
const packFile = join(FOLDER, [entry, process.version, process.arch, ...wordsOfCommand()].join('-'));
const pack = process.env.NODE_DISABLE_COMPILE_CACHE ? undefined : openPack();

/** The source of each file that was not in the pack. */
const missed = new Map();
const modules = new Map();

/** Commands differ in what they load and call of it. */
function wordsOfCommand() {
  const words = process.argv.slice(2, 4).filter((word) => /^[a-z]+$/.test(word));
  return process.argv.includes('--help') ? [...words, 'help'] : words;
}

/** A module is a function of `exports`, `require`, `module` and `__dirname`, as those of Node are. */
const asFunction = (source) => `function(exports,require,module,__dirname){${source}\n}`;

/** What esbuild writes is plain ASCII. */
const sourceOf = (name) => readFileSync(join(__dirname, name), 'latin1');

function load(name) {
  const known = modules.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  (pack?.functions[name] ?? compile(name))(module.exports, requireFrom, module, __dirname);
  return module.exports;
}

/** With its names, a file is loaded only when something of it is first used. */
function requireFrom(name, names) {
  if (!name.startsWith('./')) return require(name);
  const file = name.slice(2);
  return names === undefined || modules.has(file) ? load(file) : awaited(file, names.split(','));
}

const waiting = new Map();

function awaited(file, names) {
  const known = waiting.get(file);
  if (known) return known;
  const exports = Object.defineProperty({}, '__esModule', { value: true });
  for (const name of names) {
    const get = () => {
      Object.defineProperties(exports, Object.getOwnPropertyDescriptors(load(file)));
      return exports[name];
    };
    Object.defineProperty(exports, name, { get, configurable: true, enumerable: true });
  }
  waiting.set(file, exports);
  return exports;
}

function compile(name) {
  const source = asFunction(sourceOf(name));
  missed.set(name, source);
  return new Script(`(${source})`, { filename: join(__dirname, name) }).runInThisContext();
}

/** A pack is a line with the length of its source, the source, and twice what V8 made of it, if it has been run before. */
function openPack() {
  try {
    const bytes = readFileSync(packFile);
    const start = bytes.indexOf('\n') + 1;
    const end = start + Number(bytes.latin1Slice(0, start));
    const source = bytes.latin1Slice(start, end);
    const cachedData = saidTwice(bytes.subarray(end));
    const script = new Script(source, { filename: packFile, cachedData });
    const functions = script.runInThisContext();
    if (functions[entry]) return { source, script, isWhole: script.cachedDataRejected === false, functions };
  } catch {
    // There is none yet, or it is damaged.
  }
  return { source: '', isWhole: false, functions: {} };
}

/**
 * V8 runs what is damaged, and the process crashes. To compare takes nothing, while a checksum has to be counted here,
 * or a part of Node loaded for it: either takes longer than to compile.
 */
function saidTwice(bytes) {
  const half = bytes.subarray(0, bytes.length / 2);
  return half.length > 0 && half.equals(bytes.subarray(half.length)) ? half : undefined;
}

/**
 * Keeps the pack, where the folder of the tool can be written; a start without it is slower, not wrong. What is new is
 * packed after one run, and what V8 makes of the pack is added to it after the next.
 */
function keepPack() {
  // What failed has not called all that the command usually calls, and may be no command.
  if (process.exitCode || (missed.size === 0 && pack.isWhole)) return;
  const whole = `${packFile}.${process.pid}`;
  try {
    mkdirSync(FOLDER, { recursive: true, mode: 0o755 });
    accessSync(FOLDER, constants.W_OK);
    const [source, compiled] = missed.size === 0 ? [pack.source, pack.script.createCachedData()] : [packed(), NOTHING];
    const bytes = Buffer.concat([Buffer.from(`${source.length}\n${source}`), compiled, compiled]);
    writeFileSync(whole, bytes, { mode: 0o644 });
    renameSync(whole, packFile);
  } catch {
    leaveNothing(whole);
  }
}

/** A full disk leaves the beginning of a file. */
function leaveNothing(file) {
  try {
    unlinkSync(file);
  } catch {}
}

function packed() {
  const sources = Object.keys(pack.functions).map((name) => [name, asFunction(sourceOf(name))]);
  return `({${[...sources, ...missed].map(([name, source]) => `${JSON.stringify(name)}:${source}`).join(',\n')}})`;
}

if (pack) process.on('exit', keepPack);
load(entry);
