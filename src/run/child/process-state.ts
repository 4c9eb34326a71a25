/**
 * Finds what a test left behind in its process, so that another test of the formula can use it. Whatever is found or may be
 * hidden makes the process unusable; only modules and own properties of the global object are restored.
 */
import { type AsyncHook, createHook } from 'node:async_hooks';
import { readdirSync } from 'node:fs';
import NodeModule from 'node:module';
import { types } from 'node:util';

type Key = string | symbol;

/** An object as it was. */
interface Saved {
  object: object;
  prototype: object | null;
  isExtensible: boolean;
  size: unknown;
  keys: Key[];
  descriptors: PropertyDescriptor[];
}

// Captured before code of the formula can replace them.
const { apply, deleteProperty, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, isExtensible, ownKeys } =
  Reflect;
const { is } = Object;
const { isMap, isSet } = types;
const { isArray: isList } = Array;
const { stringify } = JSON;
const later = setImmediate;
const { exec } = RegExp.prototype;
const getMapSize = getOwnPropertyDescriptor(Map.prototype, 'size')?.get as () => number;
const getSetSize = getOwnPropertyDescriptor(Set.prototype, 'size')?.get as () => number;

/** Built-in modules whose exports are compared. Others have state of their own. */
const COMPARED = new Set(
  'assert assert/strict buffer console constants crypto events fs fs/promises os path path/posix path/win32 process punycode querystring stream stream/promises string_decoder timers timers/promises url util util/types zlib'.split(
    ' ',
  ),
);

/** What code can use to keep state where it cannot be seen. */
const HIDDEN = /\bimport\s*\(|\bFinalizationRegistry\b|getBuiltinModule|\.binding\b|\bWebAssembly\b|\bShadowRealm\b/;

const loader = NodeModule as unknown as {
  _load: (this: object, name: string, ...rest: unknown[]) => unknown;
  _cache: Record<string, unknown>;
  _pathCache: object;
  prototype: { _compile: (this: object, code: string, ...rest: unknown[]) => unknown };
};

const saved: Saved[] = [];
const known = new Set<object>();
/** Resources that were created and not destroyed, by their asynchronous id. */
const alive = new Map<number, { type: string; resource: Resource }>();
/** Whether a resource is one of this module. */
let isOwn = false;
let globals: Saved | undefined;
let cached: Set<string>;
let facts = '';
let unusable: string | undefined;
let hook: AsyncHook | undefined;
let timing: typeof performance;

/** Makes the process unusable for another test. */
export function markUnusable(why: string): void {
  unusable ??= why;
}

/** Saves the state of the process, before code of the formula is loaded. */
export function saveState(code: string): void {
  if (apply(exec, HIDDEN, [code])) markUnusable('the code');
  if (hook) return;
  timing = performance;
  watchModules();
  watchGlobals();
  // These are created at the first access.
  void [process.stdout, process.stderr];
  for (const object of [process.env, loader._cache, loader._pathCache]) known.add(object);
  globals = save(globalThis);
  for (const root of [process, timing, NodeModule, ...listHiddenIntrinsics()]) save(root);
  saveReachable(0);
  cached = new Set(Object.keys(loader._cache));
  facts = readFacts();
  hook = createHook({
    init: (id, type, _, resource) => {
      if (type !== 'PROMISE' && !isOwn) alive.set(id, { type, resource });
    },
    after: (id) => {
      if (isJob(alive.get(id)?.type)) alive.delete(id);
    },
    destroy: (id) => {
      alive.delete(id);
    },
  }).enable();
}

/** Restores modules and globals, and finds what else the test left; undefined if nothing. */
export async function findLeftover(): Promise<string | undefined> {
  for (let turn = 0; turn < TURNS && isRunning(); turn += 1) await waitForTurn();
  if (isRunning()) return 'something that is running';
  for (const path of Object.keys(loader._cache)) if (!cached.has(path)) delete loader._cache[path];
  if (globals) restore(globals);
  return unusable ?? findChange() ?? (readFacts() === facts ? undefined : 'the process');
}

const TURNS = 6;

function waitForTurn(): Promise<void> {
  return new Promise((done) => {
    isOwn = true;
    later(done);
    isOwn = false;
  });
}

/** What Node.js stores in resources of work in its threads. */
interface Resource {
  ondone?: unknown;
  buffer?: unknown;
  fd?: number;
}

const isJob = (type = ''): boolean => type.slice(-7) === 'REQUEST';

/** Jobs of crypto, compression, and closed files exist until they are collected, even if they are not running. */
function isRunning(): boolean {
  for (const { type, resource } of alive.values()) {
    if (isJob(type) && resource.ondone === undefined) continue;
    if (type === 'ZLIB' && (resource.buffer ?? undefined) === undefined) continue;
    if (type === 'FILEHANDLE' && (resource.fd ?? 0) < 0) continue;
    return true;
  }
  return false;
}

/** Exports of a built-in module are saved when it is loaded first, before the code gets them. */
function watchModules(): void {
  const { _load } = loader;
  const loaded = new Set<string>();
  loader._load = function (name, ...rest) {
    const exports = apply(_load, this, [name, ...rest]);
    const builtin = String(name).replace(/^node:/, '');
    if (!NodeModule.builtinModules.includes(builtin) || loaded.has(builtin)) return exports;
    loaded.add(builtin);
    if (!COMPARED.has(builtin)) markUnusable(`the module ${builtin}`);
    else if (hook) {
      saveWithReachable(exports);
      facts = readFacts();
    }
    return exports;
  };
  const { _compile } = loader.prototype;
  loader.prototype._compile = function (code, ...rest) {
    if (apply(exec, HIDDEN, [code])) markUnusable('a package');
    return apply(_compile, this, [code, ...rest]);
  };
}

/** Globals that Node.js creates at the first access are saved then, before the code gets them. */
function watchGlobals(): void {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const real = getOwnPropertyDescriptor(globalThis, name);
    if (!real?.get || !real.configurable) continue;
    const { get } = real;
    const watched = function (this: unknown) {
      const value: unknown = apply(get, this, []);
      saveWithReachable(value);
      return value;
    };
    defineProperty(globalThis, name, { ...real, get: watched });
  }
}

/** Built-in objects that no property leads to. */
function listHiddenIntrinsics(): object[] {
  const of = (value: unknown) => getPrototypeOf(value as object) as object;
  return [
    async () => undefined,
    function* () {
      yield 0;
    },
    async function* () {
      yield 0;
    },
    [][Symbol.iterator](),
    ''[Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    'a'.matchAll(/a/g),
    Int8Array,
  ].flatMap((value) => [of(value), ...(of(of(value)) ? [of(of(value))] : [])]);
}

/** Names of the modules that Node.js loaded. */
const isLoadList = (object: object): boolean =>
  isList(object) && typeof object[0] === 'string' && object[0].startsWith('Internal Binding ');

function save(object: object): Saved | undefined {
  if (known.has(object) || isLoadList(object)) return undefined;
  known.add(object);
  const keys = ownKeys(object);
  const descriptors = keys.map((key) => getOwnPropertyDescriptor(object, key) as PropertyDescriptor);
  const entry = {
    object,
    prototype: getPrototypeOf(object),
    isExtensible: isExtensible(object),
    size: readSize(object),
    keys,
    descriptors,
  };
  saved.push(entry);
  return entry;
}

/** Saves what the objects lead to, from the one at an index on. */
function saveReachable(first: number): void {
  // The list grows while it is read.
  for (let i = first; i < saved.length; i += 1) {
    const { prototype, descriptors } = saved[i] as Saved;
    for (const value of [prototype, ...descriptors.flatMap(({ value, get, set }) => [value, get, set])])
      if ((typeof value === 'object' && value !== null) || typeof value === 'function') save(value as object);
  }
}

function saveWithReachable(value: unknown): void {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
  const first = saved.length;
  save(value);
  saveReachable(first);
}

function readSize(object: object): unknown {
  if (isMap(object)) return apply(getMapSize, object, []);
  return isSet(object) ? apply(getSetSize, object, []) : undefined;
}

function findChange(): string | undefined {
  for (const entry of saved) if (isChanged(entry)) return 'a built-in object';
  return undefined;
}

function isChanged({ object, prototype, isExtensible: wasExtensible, size, keys, descriptors }: Saved): boolean {
  if (getPrototypeOf(object) !== prototype || isExtensible(object) !== wasExtensible) return true;
  if (size !== undefined && readSize(object) !== size) return true;
  const now = ownKeys(object);
  if (now.length !== keys.length) return true;
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] as Key;
    if (now[i] !== key) return true;
    if (isOther(getOwnPropertyDescriptor(object, key), descriptors[i] as PropertyDescriptor)) return true;
  }
  return false;
}

const isOther = (now: PropertyDescriptor | undefined, before: PropertyDescriptor): boolean =>
  now === undefined ||
  !is(now.value, before.value) ||
  now.get !== before.get ||
  now.set !== before.set ||
  now.writable !== before.writable ||
  now.enumerable !== before.enumerable ||
  now.configurable !== before.configurable;

/** Where this is not possible, the object stays changed. */
function restore({ object, keys, descriptors }: Saved): void {
  const before = new Set(keys);
  for (const key of ownKeys(object)) if (!before.has(key)) deleteProperty(object, key);
  for (let i = 0; i < keys.length; i += 1) {
    const [key, descriptor] = [keys[i] as Key, descriptors[i] as PropertyDescriptor];
    if (isOther(getOwnPropertyDescriptor(object, key), descriptor)) defineProperty(object, key, descriptor);
  }
}

/** State that is not in properties. */
function readFacts(): string {
  const events = require('node:events') as unknown as Record<string, unknown>;
  const util = require('node:util') as typeof import('node:util');
  return stringify([
    process.cwd(),
    readdirSync('.').length,
    process.env,
    process.title,
    process.umask(),
    process.exitCode,
    process.hasUncaughtExceptionCaptureCallback(),
    process.argv,
    process.execArgv,
    timing.getEntries().length,
    events['defaultMaxListeners'],
    events['captureRejections'],
    util.inspect.defaultOptions,
  ]);
}
