/**
 * The network of a test: closed except for doubles, or open except for hosts with doubles. Patched when the code first loads
 * a module, or uses a global, that can reach the network, because patching takes time.
 */
import type { Server } from 'node:http';
import NodeModule from 'node:module';
import { markUnusable } from '../child/process-state.ts';
import { isCallingBt } from './bt.ts';
import { trackAsyncStacks } from './call-stacks.ts';
import { addPending } from './connections.ts';
import type { HttpDouble } from './doubles.ts';
import { forwardRequest } from './forward-request.ts';
import { startServer } from './loopback-server.ts';
import { matchesOrigin } from './match-request.ts';
import { blockDatagrams, blockHttp2, blockLookups } from './patch-lookups.ts';
import { patchSockets } from './patch-sockets.ts';
import { respondWith } from './respond.ts';

const { apply } = Reflect;
const HARMLESS = new Set(
  'assert buffer console constants crypto events fs fs/promises module os path path/posix perf_hooks process punycode querystring stream stream/promises string_decoder timers timers/promises url util util/types v8 vm zlib'.split(
    ' ',
  ),
);
const GLOBALS = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];

export interface Network {
  isClosed: boolean;
  /** Whether requests are forwarded and recorded. */
  isRecorded: boolean;
  doubles: readonly HttpDouble[];
}

let current: Network;
let server: Server | undefined;
let isWatched = false;
let isPatched = false;

/** Prepares the network for the code. The function that it returns resolves when requests can be made. */
export function prepareNetwork(network: Network, code: string): () => Promise<void> {
  current = network;
  // These load modules without Module._load.
  if (/\bimport\s*\(|getBuiltinModule|\.binding\b/.test(code)) patch();
  else if (!isWatched) {
    isWatched = true;
    watchModules(patch);
    for (const name of GLOBALS) watchGlobal(name, patch);
  }
  return async () => {
    const starting = server;
    if (starting && !starting.listening) await new Promise<void>((done) => starting.once('listening', () => done()));
  };
}

function patch(): void {
  if (isPatched) return;
  isPatched = true;
  markUnusable('the network');
  server = patchAll(current);
}

function watchModules(patch: () => void): void {
  const loader = NodeModule as unknown as { _load: (this: object, name: string, ...rest: unknown[]) => unknown };
  const { _load } = loader;
  loader._load = function (name, ...rest) {
    if (!HARMLESS.has(String(name).replace(/^node:/, ''))) patch();
    return apply(_load, this, [name, ...rest]);
  };
}

/** Replaces a global with a getter that patches and then restores the global. */
function watchGlobal(name: string, patch: () => void): void {
  const real = Object.getOwnPropertyDescriptor(globalThis, name);
  if (!real?.configurable) return;
  const restore = () => {
    patch();
    Object.defineProperty(globalThis, name, real);
  };
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: real.enumerable ?? false,
    get: () => {
      restore();
      return (globalThis as Record<string, unknown>)[name];
    },
    set: (value) => {
      restore();
      (globalThis as Record<string, unknown>)[name] = value;
    },
  });
}

function patchAll({ isClosed, isRecorded, doubles }: Network): Server {
  const server = startServer(isRecorded ? forwardRequest : respondWith(doubles));
  const hasDouble = (origin: string) => doubles.some(({ request }) => matchesOrigin(request, origin));
  const isRedirected = (origin: string) => isClosed || (isRecorded && !isCallingBt()) || hasDouble(origin);
  trackAsyncStacks();
  patchSockets(server, isRedirected, hasDouble, isClosed);
  if (isClosed) {
    blockLookups();
    blockDatagrams();
    blockHttp2();
  }
  const channels = require('node:diagnostics_channel') as typeof import('node:diagnostics_channel');
  channels.channel('undici:request:create').subscribe((message) => {
    const { request } = message as { request: { method: string; origin: string | URL; path: string } };
    addPending(`${request.method} ${new URL(request.origin).origin}${request.path}`);
  });
  // For ECMAScript modules that import by name.
  NodeModule.syncBuiltinESMExports();
  return server;
}
