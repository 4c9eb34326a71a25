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

/** The names of the getters of a prototype; on the prototype itself, most throw. */
const accessorsOf = (prototype) =>
  isThing(prototype)
    ? Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { get }]) => (get ? name : []))
    : [];

const collect = (names, read) => Object.fromEntries(names.map((name) => [name, membersOf(quietly(() => read(name)))]));

const globals = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Za-z]/.test(name));
const things = globals.filter((name) => !/^global(This)?$/.test(name) && isThing(quietly(() => globalThis[name])));
const listed = builtinModules.filter((name) => !/^_|^internal\//.test(name)).map((name) => name.replace(/^node:/, ''));
const unlisted = SCHEME_ONLY.filter((name) => !listed.includes(name) && quietly(() => require(`node:${name}`)));

const ownFunctions = (value) =>
  Object.getOwnPropertyNames(value).filter(
    (name) => /^[a-z]\w*$/.test(name) && typeof quietly(() => value[name]) === 'function',
  );

/** The classes and namespaces among the members of a module or namespace. */
const listContainers = (value) =>
  Object.getOwnPropertyNames(value)
    .filter((name) => /^[A-Za-z]\w*$/.test(name))
    .map((name) => ({ name, member: quietly(() => value[name]) }))
    .filter(({ name, member }) =>
      typeof member === 'function' ? /^[A-Z]/.test(name) : isThing(member) && !Array.isArray(member),
    );

/** The members of the classes and namespaces of modules, by `module.Class`; `things` are those of the class itself. */
function collectClasses() {
  const rows = new Map();
  const add = (path, value) => {
    const members = membersOf(value);
    rows.set(path, typeof value === 'function' ? { ...members, things: ownFunctions(value) } : members);
  };
  for (const module of [...listed, ...unlisted]) {
    const exported = quietly(() => require(`node:${module}`));
    // What a process is made of differs from run to run.
    if (!isThing(exported) || /^(process|repl)$/.test(module)) continue;
    const containers = listContainers(exported);
    const seen = [exported, ...containers.map(({ member }) => member)];
    for (const { name, member } of containers) {
      add(`${module}.${name}`, member);
      if (typeof member === 'function' || member === exported) continue;
      for (const inner of listContainers(member).filter((one) => !seen.includes(one.member)))
        add(`${module}.${name}.${inner.name}`, inner.member);
    }
  }
  return Object.fromEntries(rows);
}

/** The global classes, also those of namespaces: `Intl.NumberFormat`. */
const globalClasses = things.flatMap((name) => [
  name,
  ...(typeof globalThis[name] === 'object'
    ? Object.getOwnPropertyNames(globalThis[name])
        .filter((inner) => /^[A-Z]/.test(inner) && typeof quietly(() => globalThis[name][inner]) === 'function')
        .map((inner) => `${name}.${inner}`)
    : []),
]);

const getClass = (path) => path.split('.').reduce((value, name) => value[name], globalThis);

process.stdout.write(
  JSON.stringify({
    globals,
    statics: collect([...things, ...globalClasses], getClass),
    prototypes: collect(globalClasses, (path) => getClass(path).prototype),
    accessors: Object.fromEntries(globalClasses.map((path) => [path, accessorsOf(getClass(path).prototype)])),
    modules: collect([...listed, ...unlisted], (name) => require(`node:${name}`)),
    classes: collectClasses(),
    // Of the Unicode scripts that are asked for, those that a regular expression may name.
    scripts: process.argv.slice(2).filter((name) => quietly(() => new RegExp(`\\p{Script=${name}}`, 'u'))),
  }),
);
