// Prints the globals, their members, and those of modules of the Node.js that runs it, as JSON. Runs on any version.
'use strict';

const { builtinModules } = require('node:module');

// Some getters reject when they are only looked at.
process.on('unhandledRejection', () => undefined);

/** Modules that only `node:` loads: Node.js 16 and 20 do not list them, newer ones list them with it. */
const SCHEME_ONLY = ['test', 'test/reporters', 'sea', 'sqlite'];

const isThing = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

function quietly(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The names that can be read off a value, inherited ones too; `things` are those that hold functions or objects. */
function membersOf(value) {
  const names = new Set();
  for (let at = value; isThing(at) && at !== Object.prototype && at !== Function.prototype; ) {
    for (const name of Object.getOwnPropertyNames(at)) if (/^[A-Za-z]\w*$/.test(name)) names.add(name);
    at = Object.getPrototypeOf(at);
  }
  return { names: [...names], things: [...names].filter((name) => isThing(quietly(() => value[name]))) };
}

const collect = (names, read) => Object.fromEntries(names.map((name) => [name, membersOf(quietly(() => read(name)))]));

const globals = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Za-z]/.test(name));
const things = globals.filter((name) => !/^global(This)?$/.test(name) && isThing(quietly(() => globalThis[name])));
const listed = builtinModules.filter((name) => !/^_|^internal\//.test(name)).map((name) => name.replace(/^node:/, ''));
const unlisted = SCHEME_ONLY.filter((name) => !listed.includes(name) && quietly(() => require(`node:${name}`)));

const ownFunctions = (value) =>
  Object.getOwnPropertyNames(value).filter(
    (name) => /^[a-z]\w*$/.test(name) && typeof quietly(() => value[name]) === 'function',
  );

/** The static members of the classes of modules, by `module.Class`; `things` are those of the class itself. */
function collectClasses() {
  const rows = [...listed, ...unlisted].flatMap((module) => {
    const exported = quietly(() => require(`node:${module}`));
    const names = isThing(exported)
      ? Object.getOwnPropertyNames(exported).filter((name) => /^[A-Z]\w*$/.test(name))
      : [];
    return names
      .filter((name) => typeof quietly(() => exported[name]) === 'function')
      .map((name) => [`${module}.${name}`, { ...membersOf(exported[name]), things: ownFunctions(exported[name]) }]);
  });
  return Object.fromEntries(rows);
}

process.stdout.write(
  JSON.stringify({
    globals,
    statics: collect(things, (name) => globalThis[name]),
    prototypes: collect(things, (name) => globalThis[name].prototype),
    modules: collect([...listed, ...unlisted], (name) => require(`node:${name}`)),
    classes: collectClasses(),
    // Of the Unicode scripts that are asked for, those that a regular expression may name.
    scripts: process.argv.slice(2).filter((name) => quietly(() => new RegExp(`\\p{Script=${name}}`, 'u'))),
  }),
);
