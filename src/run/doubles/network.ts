/**
 * The network of a test: closed except for doubles, or open except for hosts with doubles. Patched when the code first loads
 * a module, or uses a global, that can reach the network, because patching takes time.
 */
import type { Server } from 'node:http';
import NodeModule from 'node:module';
import { markUnusable } from '../child/process-state.ts';
import { PLAIN_MODULES, watchGlobal, wrapLoad } from '../child/watch-loading.ts';
import type { ChildRequest } from '../protocol.ts';
import { isCallingBt } from './bt.ts';
import { trackAsyncStacks } from './call-stacks.ts';
import { forwardRequest } from './forward-request.ts';
import { startServer } from './loopback-server.ts';
import { matchesOrigin } from './match-request.ts';
import { blockOthers } from './patch-lookups.ts';
import { patchSockets } from './patch-sockets.ts';
import { respondWith } from './respond.ts';

const HARMLESS = new Set([...PLAIN_MODULES, 'module', 'perf_hooks', 'v8', 'vm']);
const GLOBALS = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];

let current: ChildRequest;
let server: Server | undefined;
let isWatched = false;
let isPatched = false;

/** Prepares the network for the code. The function that it returns resolves when requests can be made. */
export function prepareNetwork(request: ChildRequest): () => Promise<void> {
  current = request;
  if (request.isNetworkUsed) patch();
  // These load modules without Module._load.
  else if (/\bimport\s*\(|getBuiltinModule|\.binding\b/.test(request.code)) patchLate();
  else if (!isWatched) {
    isWatched = true;
    wrapLoad((name, load) => {
      if (!HARMLESS.has(name.replace(/^node:/, ''))) patchLate();
      return load();
    });
    for (const name of GLOBALS) watchGlobal(name, patchLate);
  }
  return async () => {
    const starting = server;
    if (starting && !starting.listening) await new Promise<void>((done) => starting.once('listening', () => done()));
  };
}

/** Patches after the state of the process was saved. */
function patchLate(): void {
  if (!isPatched) markUnusable();
  patch();
}

function patch(): void {
  if (isPatched) return;
  isPatched = true;
  const { isNetworkClosed: isClosed = false, isRecorded = false } = current;
  const doubles = current.doubles?.http ?? [];
  server = startServer(isRecorded ? forwardRequest : respondWith(doubles));
  const hasDouble = (origin: string) => doubles.some(({ request }) => matchesOrigin(request, origin));
  const isRedirected = (origin: string) => isClosed || (isRecorded && !isCallingBt()) || hasDouble(origin);
  trackAsyncStacks();
  patchSockets({ server, isRedirected, hasDouble, isClosed });
  if (isClosed) blockOthers();
  // For ECMAScript modules that import by name.
  NodeModule.syncBuiltinESMExports();
}
