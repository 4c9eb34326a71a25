/**
 * Finds what a test left behind in its process, so that another test of the formula can use it. Whatever is found or may be
 * hidden makes the process unusable; only modules and own properties of the global object are restored.
 */
import { type AsyncHook, createHook } from 'node:async_hooks';
import { readdirSync } from 'node:fs';
import NodeModule from 'node:module';
import { hasChangedObject, ignoreObject, restoreObject, type SavedObject, saveReachable } from './saved-objects.ts';
import { NETWORK_MODULES, PLAIN_MODULES, watchGlobal, wrapLoad } from './watch-loading.ts';

// Captured before code of the formula can replace them.
const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { stringify } = JSON;
const later = setImmediate;
const { exec } = RegExp.prototype;

/** What code can use to keep state where it cannot be seen. */
const HIDDEN = /\bimport\s*\(|\bFinalizationRegistry\b|getBuiltinModule|\.binding\b|\bWebAssembly\b|\bShadowRealm\b/;

const loader = NodeModule as unknown as {
  _cache: Record<string, unknown>;
  _pathCache: object;
  prototype: { _compile: (this: object, code: string, ...rest: unknown[]) => unknown };
};

/** Resources that were created and not destroyed, by their asynchronous id. */
const alive = new Map<number, { type: string; resource: Resource }>();
/** Whether a resource is one of this module. */
let isOwn = false;
let globals: SavedObject | undefined;
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
  for (const object of [process.env, loader._cache, loader._pathCache]) ignoreObject(object);
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
  ignoreObject((globalThis as Record<symbol, object>)[Symbol.for('undici.globalDispatcher.1')] ?? {});
}

/** Restores modules and globals; false if the test left anything else, which `isQuick` does not look for in objects. */
export async function restoreState(isQuick: boolean): Promise<boolean> {
  for (let turn = 0; turn < TURNS && isRunning(); turn += 1) await waitForTurn();
  if (isRunning()) return false;
  // A request adds an entry.
  timing.clearResourceTimings?.();
  for (const path of Object.keys(loader._cache)) if (!cached.has(path)) delete loader._cache[path];
  if (globals) restoreObject(globals);
  if (isQuick) return !isUnusable;
  return !hasChangedObject() && !isUnusable && readFacts() === facts;
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
