/** One invocation of a formula: starts its process, listens to it, and ends it in time. */
import type { ChildProcess } from 'node:child_process';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { randomId } from '../text/hash.ts';
import type { Call, RecordedCall } from './calls.ts';
import {
  GRACE_MS,
  type IdleProcess,
  type InvocationState,
  killAll,
  readMemory,
  startProcess,
} from './child-process.ts';
import type { Doubles } from './doubles/doubles.ts';
import { explainExit, toExitReason } from './exit-reason.ts';
import type { ChildMessage, ChildRequest, ExitReason, SerializedError } from './protocol.ts';
import type { Reaper } from './reaper.ts';

export interface Invocation {
  nodePath: string;
  /** The formula's folder, whose packages the code can load. */
  folder: string;
  /** The path of the code in it. */
  file: string;
  code: string;
  args: unknown;
  configuration: unknown;
  bt?: string | undefined;
  doubles?: Doubles | undefined;
  isNetworkClosed?: boolean | undefined;
  isRecorded?: boolean | undefined;
  timeoutSeconds: number;
  /** Waits for a debugger on this port; then there is no time limit. */
  inspect?: Inspection | undefined;
  sourceMap?: (() => string) | undefined;
  /** Ends the process when the tool is gone; without it, the process does so itself. */
  reaper?: Reaper | undefined;
  /** Takes what the code prints, as it comes. */
  onOutput(text: string): void;
  /** Ends the process before its time. */
  stop?: AbortSignal | undefined;
}

export interface Inspection {
  port: number;
  /** How long a debugger is waited for. */
  attachMs: number;
  onWaiting(): void;
}

export interface InvocationResult {
  exitReason: ExitReason;
  /** The path under which the code was loaded, as it is in stack traces. */
  file: string;
  /** The version of Node.js that the code ran on. */
  nodeVersion: string | undefined;
  /** What was thrown after the response. */
  lateErrors: readonly SerializedError[];
  /** What was still running after the response. */
  openResources: readonly string[];
  /** The calls of doubles, and those without one. */
  calls: readonly Call[];
  /** The calls of a recorded run. */
  recorded: readonly RecordedCall[];
  /** Modules whose doubles were loaded. */
  loaded: readonly string[];
  /** Packages that are not installed, and were replaced by a stand-in. */
  standIns: readonly string[];
  /** Whether a process that it started could not be ended. */
  hasSurvivor: boolean;
}

/** All memory of the process, where it can be seen. */
const MEMORY_MIB = 1024;
const MAX_RESPONSE_BYTES = 20 * 2 ** 20;
const MAX_CHANNEL_BYTES = 2 * MAX_RESPONSE_BYTES;

/** Runs the code once in a process of its own, and resolves when that process is over. Never rejects. */
export async function invoke(invocation: Invocation, idleProcess?: IdleProcess): Promise<InvocationResult> {
  const { child, state, exit, codeFolder } = idleProcess ?? startProcess(invocation.nodePath, invocation.folder);
  const { stop, onOutput, reaper } = invocation;
  const token = randomId();
  const timers = startTimers(child, invocation, state);
  const onStop = () => stopProcess(child, state, { kind: 'stopped' });
  stop?.addEventListener('abort', onStop);
  if (stop?.aborted) onStop();
  listen(child, token, invocation, state, timers);
  // A debugger shows code.js where it is; a bundle has a source map.
  const isReal = invocation.inspect !== undefined && !invocation.sourceMap;
  const file = isReal ? invocation.file : join(codeFolder, basename(invocation.file));
  if (child.pid !== undefined) reaper?.watch(child.pid);
  child.stdin?.end(token + JSON.stringify(toChildRequest({ ...invocation, file })));
  const exitReason = await exit.then((facts) => state.exitReason ?? explainExit(facts, state));
  timers.clear();
  if (child.pid !== undefined) reaper?.release(child.pid);
  stop?.removeEventListener('abort', onStop);
  const { heapReport, exitReason: _, ...told } = state;
  if (heapReport !== undefined && exitReason.kind !== 'memory') onOutput(heapReport);
  return { exitReason, file, ...told };
}

const HEAP_REPORT = '<--- Last few GCs --->';

function toChildRequest({
  code,
  sourceMap,
  inspect,
  file,
  args,
  configuration,
  bt,
  doubles,
  isNetworkClosed,
  isRecorded,
  reaper,
}: Invocation): ChildRequest {
  return {
    code: inspect && sourceMap ? withSourceMap(code, sourceMap()) : code,
    inspectPort: inspect?.port,
    isWatched: reaper !== undefined,
    file,
    args: JSON.stringify(args),
    configuration: JSON.stringify(configuration),
    bt,
    doubles,
    isNetworkClosed,
    isRecorded,
    graceMs: GRACE_MS,
    maxBytes: MAX_RESPONSE_BYTES,
  };
}

const withSourceMap = (code: string, map: string): string =>
  `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;

/** The first reason counts; whatever is still running is ended. */
function stopProcess(child: ChildProcess, state: InvocationState, exitReason: ExitReason): void {
  state.exitReason ??= exitReason;
  killAll(child);
}

interface Timers {
  /** A debugger must attach in time. */
  awaitDebugger(): void;
  attached(): void;
  /** The response is there: what is left has the grace alone. */
  startGracePeriod(): void;
  clear(): void;
}

function startTimers(child: ChildProcess, { timeoutSeconds, inspect }: Invocation, state: InvocationState): Timers {
  let limit = inspect
    ? undefined
    : setTimeout(() => stopProcess(child, state, { kind: 'timeout' }), timeoutSeconds * 1000);
  const memory = setInterval(() => {
    if (readMemory(child.pid) > MEMORY_MIB) stopProcess(child, state, { kind: 'memory' });
  }, 100);
  return {
    awaitDebugger: () => {
      if (!inspect) return;
      inspect.onWaiting();
      limit = setTimeout(() => stopProcess(child, state, { kind: 'no-debugger' }), inspect.attachMs);
    },
    attached: () => clearTimeout(limit),
    startGracePeriod: () => {
      clearTimeout(limit);
      // A process with a debugger waits for it to disconnect.
      if (inspect) {
        killAll(child);
        return;
      }
      limit = setTimeout(() => {
        state.openResources.push('code that never pauses');
        killAll(child);
      }, GRACE_MS * 5);
    },
    clear: () => {
      clearTimeout(limit);
      clearInterval(memory);
    },
  };
}

/** Takes the lines of the channel that carry the token, and all that is printed. */
function listen(
  child: ChildProcess,
  token: string,
  { onOutput }: Invocation,
  state: InvocationState,
  timers: Timers,
): void {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      // Out of memory, Node.js ends with a report about itself; until it is known to be one, it is kept back.
      if (state.heapReport !== undefined || text.includes(HEAP_REPORT))
        state.heapReport = (state.heapReport ?? '') + text;
      else onOutput(text);
    });
  }
  const channel = child.stdio[3] as Readable & Writable;
  let [received, rest] = [0, ''];
  channel?.on('error', () => undefined);
  channel?.setEncoding('utf8');
  channel?.on('data', (text: string) => {
    received += text.length;
    if (received > MAX_CHANNEL_BYTES) return killAll(child);
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith(token))
        handleMessage(child, JSON.parse(line.slice(token.length)) as ChildMessage, state, timers);
    }
  });
}

function handleMessage(child: ChildProcess, message: ChildMessage, state: InvocationState, timers: Timers): void {
  if (message.started !== undefined) state.nodeVersion = message.started;
  if (message.call) state.calls.push(message.call);
  if (message.loaded !== undefined) state.loaded.push(message.loaded);
  if (message.standIn !== undefined) state.standIns.push(message.standIn);
  if (message.recorded) state.recorded.push(message.recorded);
  if (message.inspecting) timers.awaitDebugger();
  if (message.attached) timers.attached();
  if (message.late) state.lateErrors.push(message.late);
  if (message.open) {
    state.openResources.push(...message.open.filter((name) => !/^(Pipe|TTY)Wrap$|^CloseReq$/.test(name)));
    if (state.openResources.length === 0) state.openResources.push('something');
    killAll(child);
  }
  const exitReason = toExitReason(message);
  if (exitReason?.kind === 'response') {
    state.exitReason ??= exitReason;
    timers.startGracePeriod();
  } else if (exitReason) stopProcess(child, state, exitReason);
}
