// Prints the names that the Node.js that runs it has, by their owners, as JSON. Runs on any version. Of each owner, `all`
// are the names that can be read off it, and `counted` those that count if an older version lacks them.
'use strict';

const { builtinModules } = require('node:module');

// Some getters reject when they are only looked at.
process.on('unhandledRejection', () => undefined);

/** Modules that only `node:` loads: Node.js 16 and 20 do not list them, newer ones list them with it. */
const SCHEME_ONLY = ['test', 'test/reporters', 'sea', 'sqlite'];

/** Getters that are no news: instances have them in Node.js 16, and all objects and functions inherit the others. */
const OLD_GETTERS = ['isTrusted', 'arguments', 'caller', '__proto__'];

const rows = {};

const isThing = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

function quietly(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const namesOf = (value) => Object.getOwnPropertyNames(value).filter((name) => /^[A-Za-z]\w*$/.test(name));

/** Adds the members of a value, inherited ones too. Those that hold functions or objects count. */
function addMembers(owner, value, counted) {
  const all = new Set();
  for (
    let at = value;
    isThing(at) && at !== Object.prototype && at !== Function.prototype;
    at = Object.getPrototypeOf(at)
  )
    for (const name of namesOf(at)) all.add(name);
  rows[owner] = { all: [...all], counted: counted ?? [...all].filter((name) => isThing(quietly(() => value[name]))) };
}

function addGlobal(path, value) {
  addMembers(`static ${path}`, value);
  if (!isThing(value.prototype)) return addMembers(`instance ${path}`, undefined);
  addMembers(`instance ${path}`, value.prototype);
  // On the prototype itself, most getters throw.
  const getters = Object.entries(Object.getOwnPropertyDescriptors(value.prototype)).filter(([, { get }]) => get);
  const counted = getters.map(([name]) => name).filter((name) => !OLD_GETTERS.includes(name));
  rows[`accessor ${path}`] = { all: rows[`instance ${path}`].all, counted };
}

/** The classes and namespaces among the members of a module or namespace. */
const listContainers = (value) =>
  namesOf(value)
    .map((name) => ({ name, member: quietly(() => value[name]) }))
    .filter(({ name, member }) =>
      typeof member === 'function' ? /^[A-Z]/.test(name) : isThing(member) && !Array.isArray(member),
    );

const listFunctions = (value) =>
  namesOf(value).filter((name) => /^[a-z]/.test(name) && typeof quietly(() => value[name]) === 'function');

/** Adds a module, and the classes and namespaces in it, up to two levels deep. */
function addModule(module) {
  const exported = quietly(() => require(`node:${module}`));
  addMembers(`module ${module}`, exported);
  // What a process is made of differs from run to run.
  if (!isThing(exported) || /^(process|repl)$/.test(module)) return;
  const containers = listContainers(exported);
  const seen = [exported, ...containers.map(({ member }) => member)];
  for (const { name, member } of containers) {
    addMembers(`module ${module}.${name}`, member, typeof member === 'function' ? listFunctions(member) : undefined);
    if (typeof member === 'function' || member === exported) continue;
    for (const inner of listContainers(member).filter((one) => !seen.includes(one.member))) {
      const counted = typeof inner.member === 'function' ? listFunctions(inner.member) : undefined;
      addMembers(`module ${module}.${name}.${inner.name}`, inner.member, counted);
    }
  }
}

const addAll = (owner, all, counted = all) => {
  rows[owner] = { all, counted };
};

const globals = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Za-z]/.test(name));
addAll('global', globals);
for (const name of globals.filter((one) => !/^global(This)?$/.test(one))) {
  const value = quietly(() => globalThis[name]);
  if (!isThing(value)) continue;
  addGlobal(name, value);
  // The classes of namespaces: `Intl.NumberFormat`.
  const inner = typeof value === 'object' ? namesOf(value).filter((one) => /^[A-Z]/.test(one)) : [];
  for (const one of inner) if (typeof quietly(() => value[one]) === 'function') addGlobal(`${name}.${one}`, value[one]);
}
const listed = builtinModules.filter((name) => !/^_|^internal\//.test(name)).map((name) => name.replace(/^node:/, ''));
const unlisted = SCHEME_ONLY.filter((name) => !listed.includes(name) && quietly(() => require(`node:${name}`)));
addAll('module', [...listed, ...unlisted]);
for (const module of [...listed, ...unlisted]) addModule(module);
// Of the Unicode scripts that are asked for, those that a regular expression may name.
const scripts = process.argv.slice(2);
addAll(
  'script',
  scripts.filter((name) => quietly(() => new RegExp(`\\p{Script=${name}}`, 'u'))),
  scripts,
);
process.stdout.write(JSON.stringify(rows));
