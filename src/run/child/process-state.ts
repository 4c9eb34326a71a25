/**
 * Finds what a test left behind in its process, so that another test of the formula can use it. Whatever is found or may be
 * hidden makes the process unusable; only modules and own properties of the global object are restored.
 */
import { type AsyncHook, createHook } from 'node:async_hooks';
import { readdirSync } from 'node:fs';
import NodeModule from 'node:module';
import { types } from 'node:util';
import { NETWORK_MODULES, PLAIN_MODULES, watchGlobal, wrapLoad } from './watch-loading.ts';

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

/** What code can use to keep state where it cannot be seen. */
const HIDDEN = /\bimport\s*\(|\bFinalizationRegistry\b|getBuiltinModule|\.binding\b|\bWebAssembly\b|\bShadowRealm\b/;

const loader = NodeModule as unknown as {
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
let isUnusable = false;
let hook: AsyncHook | undefined;
let timing: typeof performance;

/** Makes the process unusable for another test. */
export function markUnusable(): void {
  isUnusable = true;
}

/** Saves the state of the process, before code of the formula is loaded; `isPatched`: with a network that is ready for it. */
export function saveState(code: string, isPatched: boolean): void {
  if (apply(exec, HIDDEN, [code])) markUnusable();
  if (hook) return;
  timing = performance;
  // The streams are created at the first access.
  void [process.stdout, process.stderr];
  if (isPatched) ignoreDispatcher();
  for (const object of [process.env, loader._cache, loader._pathCache]) known.add(object);
  watchModules(isPatched ? [...PLAIN_MODULES, ...NETWORK_MODULES] : PLAIN_MODULES);
  watchGlobals();
  globals = saveReachable(globalThis);
  for (const root of [process, timing, NodeModule, ...listHiddenIntrinsics()]) saveReachable(root);
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

/** Loads undici, which adds its dispatcher to the global object; the state of that is connections. */
function ignoreDispatcher(): void {
  void globalThis.Headers;
  known.add((globalThis as Record<symbol, object>)[Symbol.for('undici.globalDispatcher.1')] ?? {});
}

/** Restores modules and globals; false if the test left anything else, which `isQuick` does not look for in objects. */
export async function restoreState(isQuick: boolean): Promise<boolean> {
  for (let turn = 0; turn < TURNS && isRunning(); turn += 1) await waitForTurn();
  if (isRunning()) return false;
  // A request adds an entry.
  timing.clearResourceTimings?.();
  for (const path of Object.keys(loader._cache)) if (!cached.has(path)) delete loader._cache[path];
  if (globals) restore(globals);
  if (isQuick) return !isUnusable;
  for (const entry of saved) if (isChanged(entry)) return false;
  return !isUnusable && readFacts() === facts;
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
function watchModules(plainModules: readonly string[]): void {
  const loaded = new Set<string>();
  wrapLoad((name, load) => {
    const exports = load();
    const builtin = name.replace(/^node:/, '');
    if (!NodeModule.builtinModules.includes(builtin) || loaded.has(builtin)) return exports;
    loaded.add(builtin);
    if (!plainModules.includes(builtin)) markUnusable();
    else if (hook) {
      saveReachable(exports);
      facts = readFacts();
    }
    return exports;
  });
  const { _compile } = loader.prototype;
  loader.prototype._compile = function (code, ...rest) {
    if (apply(exec, HIDDEN, [code])) markUnusable();
    return apply(_compile, this, [code, ...rest]);
  };
}

/** Globals that Node.js creates at the first access are saved then, before the code gets them. */
function watchGlobals(): void {
  for (const name of Object.getOwnPropertyNames(globalThis))
    if (getOwnPropertyDescriptor(globalThis, name)?.get)
      watchGlobal(name, () => saveReachable((globalThis as Record<string, unknown>)[name]));
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

/** Saves a value and what it leads to. */
function saveReachable(value: unknown): Saved | undefined {
  const first = saved.length;
  save(value);
  // The list grows while it is read.
  for (let i = first; i < saved.length; i += 1) {
    const { prototype, descriptors } = saved[i] as Saved;
    save(prototype);
    for (const { value, get, set } of descriptors) [value, get, set].forEach(save);
  }
  return saved[first];
}

function save(value: unknown): void {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
  const object = value as object;
  if (known.has(object) || isLoadList(object)) return;
  known.add(object);
  saved.push(readState(object));
}

function readState(object: object): Saved {
  const keys = ownKeys(object);
  return {
    object,
    prototype: getPrototypeOf(object),
    isExtensible: isExtensible(object),
    size: readSize(object),
    keys,
    descriptors: keys.map((key) => getOwnPropertyDescriptor(object, key) as PropertyDescriptor),
  };
}

function readSize(object: object): unknown {
  if (isMap(object)) return apply(getMapSize, object, []);
  return isSet(object) ? apply(getSetSize, object, []) : undefined;
}

function isChanged({ object, prototype, isExtensible: wasExtensible, size, keys, descriptors }: Saved): boolean {
  if (getPrototypeOf(object) !== prototype || isExtensible(object) !== wasExtensible) return true;
  const now = ownKeys(object);
  if (readSize(object) !== size || now.length !== keys.length) return true;
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] as Key;
    if (now[i] !== key || isOther(getOwnPropertyDescriptor(object, key), descriptors[i])) return true;
  }
  return false;
}

const ATTRIBUTES = ['value', 'get', 'set', 'writable', 'enumerable', 'configurable'] as const;

function isOther(now: PropertyDescriptor | undefined, before: PropertyDescriptor | undefined): boolean {
  for (let i = 0; i < ATTRIBUTES.length; i += 1) {
    const attribute = ATTRIBUTES[i] as (typeof ATTRIBUTES)[number];
    if (!is(now?.[attribute], before?.[attribute])) return true;
  }
  return false;
}

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
