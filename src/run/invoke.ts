/** Invokes a formula once, in a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { randomId } from '../text/hash.ts';
import { CHANNEL, GRACE_MS, type IdleProcess, killAll, type ProcessExit, startProcess } from './child-process.ts';
import type { Doubles } from './doubles/doubles.ts';
import type { Call, RecordedCall } from './protocol.ts';
import {
  type ChildMessage,
  type ChildRequest,
  type ExitReason,
  MAX_RESPONSE_BYTES,
  type SerializedError,
} from './protocol.ts';
import type { Reaper } from './reaper.ts';
import { type Inspection, type InvocationState, startTimers, stopProcess, type Timers } from './time-limits.ts';

export interface Invocation {
  nodePath: string;
  /** The formula's folder; the code can load its packages. */
  folder: string;
  /** The path of the code file in the folder. */
  file: string;
  code: string;
  args: unknown;
  configuration: unknown;
  bt?: string | undefined;
  doubles?: Doubles | undefined;
  now?: number | undefined;
  seed?: number | undefined;
  isNetworkClosed?: boolean | undefined;
  isRecorded?: boolean | undefined;
  /** Whether the process may run another test, if this one leaves nothing behind. */
  isShared?: boolean | undefined;
  timeoutSeconds: number;
  /** If set, the process waits for a debugger, and has no time limit. */
  inspect?: Inspection | undefined;
  sourceMap?: (() => string) | undefined;
  /** Ends the process when the tool is gone; without a reaper, the process watches the tool itself. */
  reaper?: Reaper | undefined;
  /** Receives the output of the code. */
  onOutput(text: string): void;
  /** Ends the process. */
  abortSignal?: AbortSignal | undefined;
}

export interface InvocationResult {
  exitReason: ExitReason;
  /** The path of the code in stack traces. */
  file: string;
  /** The version of the Node.js that ran the code. */
  nodeVersion: string | undefined;
  /** Values that were thrown after the response. */
  lateErrors: readonly SerializedError[];
  /** Resources that were still open after the response. */
  openResources: readonly string[];
  /** The calls to other services, with and without a double. */
  calls: readonly Call[];
  /** The calls of a recorded run. */
  recorded: readonly RecordedCall[];
  /** Modules whose doubles were loaded. */
  loaded: readonly string[];
  /** Missing packages that a stand-in replaced. */
  standIns: readonly string[];
  /** Whether a process that the code started may still be running. */
  hasSurvivor: boolean;
  /** The process, if it can run another test. */
  reusable?: IdleProcess;
}

/** Resolves when the process has ended, or can run another test. Never rejects. */
export async function invoke(invocation: Invocation, idleProcess?: IdleProcess): Promise<InvocationResult> {
  const running = idleProcess ?? startProcess(invocation.nodePath, invocation.folder);
  const { child, codeFolder } = running;
  const { abortSignal, onOutput, reaper } = invocation;
  const token = randomId();
  const state = createState();
  const timers = startTimers(child, invocation, state);
  const onStop = () => stopProcess(child, state, { kind: 'stopped' });
  abortSignal?.addEventListener('abort', onStop);
  if (abortSignal?.aborted) onStop();
  const listening = listen(child, token, onOutput, state, timers, invocation.isShared ?? false);
  // So that a debugger shows code.js itself; a bundle has a source map.
  const isReal = invocation.inspect !== undefined && !invocation.sourceMap;
  const file = isReal ? invocation.file : join(codeFolder, basename(invocation.file));
  if (child.pid !== undefined) reaper?.watch(child.pid);
  sendRequest(running, token + JSON.stringify(toChildRequest({ ...invocation, file })));
  const exit = await Promise.race([running.exit, listening.reusable]);
  listening.end();
  timers.clear();
  abortSignal?.removeEventListener('abort', onStop);
  if (exit && child.pid !== undefined) reaper?.release(child.pid);
  const { heapReport, exitReason = toProcessExitReason(exit, state), ...details } = state;
  if (heapReport !== undefined && exitReason.kind !== 'memory') onOutput(heapReport);
  const recorded = state.recorded.filter(Boolean);
  const result = { exitReason, file, ...details, recorded, hasSurvivor: exit?.hasSurvivor ?? false };
  return exit ? result : { ...result, reusable: { ...running, isNew: false } };
}

/** The first request is the standard input, so that the code finds that at its end. */
function sendRequest({ child, isNew }: IdleProcess, request: string): void {
  if (isNew) child.stdin?.end(request);
  else (child.stdio[CHANNEL] as Writable).write(`${request}\n`);
}

const createState = (): InvocationState => ({
  exitReason: undefined,
  nodeVersion: undefined,
  lateErrors: [],
  openResources: [],
  calls: [],
  recorded: [],
  loaded: [],
  standIns: [],
  heapReport: undefined,
});

function toChildRequest({
  code,
  sourceMap,
  inspect,
  file,
  args,
  configuration,
  bt,
  doubles,
  now,
  seed,
  isNetworkClosed,
  isRecorded,
  isShared,
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
    now,
    seed,
    isNetworkClosed,
    isRecorded,
    isShared,
    graceMs: GRACE_MS,
    maxBytes: MAX_RESPONSE_BYTES,
  };
}

const withSourceMap = (code: string, map: string): string =>
  `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;

const MAX_CHANNEL_BYTES = 2 * MAX_RESPONSE_BYTES;

const HEAP_REPORT = '<--- Last few GCs --->';

interface Listening {
  /** Resolves when the process can run another test, and its output was read. */
  reusable: Promise<undefined>;
  end(): void;
}

/** Handles the lines of the channel that start with the token; passes output on. */
function listen(
  child: ChildProcess,
  token: string,
  onOutput: (text: string) => void,
  state: InvocationState,
  timers: Timers,
  isShared: boolean,
): Listening {
  const outputs = [child.stdout, child.stderr].map((stream) =>
    readOutput(stream, isShared ? token : '', onOutput, state),
  );
  const channel = child.stdio[CHANNEL] as Readable;
  let [received, rest] = [0, ''];
  let setReusable: () => void = () => undefined;
  const isReusable = new Promise<void>((done) => {
    setReusable = done;
  });
  const onData = (text: string) => {
    received += text.length;
    if (received > MAX_CHANNEL_BYTES) return killAll(child);
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith(token)) continue;
      const message = parseMessage(line.slice(token.length));
      handleMessage(child, message, state, timers, isShared);
      if (message.isReusable) setReusable();
    }
  };
  channel?.on('data', onData);
  return {
    reusable: Promise.all([isReusable, ...outputs.map(({ marked }) => marked)]).then(() => undefined),
    end: () => {
      channel?.off('data', onData);
      for (const output of outputs) output.end();
    },
  };
}

/** Passes output on, up to the token if there is one. */
function readOutput(stream: Readable | null, token: string, onOutput: (text: string) => void, state: InvocationState) {
  let held = '';
  let setMarked: () => void = () => undefined;
  const marked = new Promise<void>((done) => {
    setMarked = done;
  });
  const show = (text: string) => {
    if (text === '') return;
    // When it is out of memory, Node.js prints a report, which is withheld until the cause of the exit is known.
    if (state.heapReport !== undefined || text.includes(HEAP_REPORT))
      state.heapReport = (state.heapReport ?? '') + text;
    else onOutput(text);
  };
  const onData = (text: string) => {
    const all = held + text;
    const at = token === '' ? -1 : all.indexOf(token);
    const end = at < 0 ? all.length - token.length : at;
    show(all.slice(0, Math.max(0, end)));
    held = at < 0 ? all.slice(Math.max(0, end)) : '';
    if (at >= 0) setMarked();
  };
  stream?.on('data', onData);
  const end = () => {
    stream?.off('data', onData);
    show(held);
  };
  return { marked, end };
}

/** Code can add a `toJSON` to a prototype, which changes lists that the process reports. */
function parseMessage(json: string): ChildMessage {
  const message = JSON.parse(json) as ChildMessage;
  if (message.call && 'bt' in message.call && !Array.isArray(message.call.with)) message.call.with = [];
  return message;
}

function handleMessage(
  child: ChildProcess,
  message: ChildMessage,
  state: InvocationState,
  timers: Timers,
  isShared: boolean,
): void {
  collectFacts(message, state);
  if (message.inspecting) timers.awaitDebugger();
  if (message.attached) timers.onAttached();
  if (message.late) state.lateErrors.push(message.late);
  if (message.open) {
    state.openResources.push(...message.open.filter((name) => !/^(Pipe|TTY)Wrap$|^CloseReq$/.test(name)));
    if (state.openResources.length === 0) state.openResources.push('something');
    killAll(child);
  }
  const exitReason = toExitReason(message);
  // An error of a test that may share its process is followed by what it left.
  const isFollowed = exitReason?.kind === 'response' || (isShared && exitReason?.kind === 'failed');
  if (exitReason && isFollowed) {
    state.exitReason ??= exitReason;
    timers.startGracePeriod();
  } else if (exitReason) stopProcess(child, state, exitReason);
}

function collectFacts(message: ChildMessage, state: InvocationState): void {
  if (message.started !== undefined) state.nodeVersion = message.started;
  if (message.call) state.calls.push(message.call);
  if (message.loaded !== undefined) state.loaded.push(message.loaded);
  if (message.standIn !== undefined) state.standIns.push(message.standIn);
  if (message.recorded) state.recorded[message.position ?? 0] = message.recorded;
}

/** The exit code of an aborted process on systems without signals. */
const ABORT_EXIT_CODE = 134;

/** The exit reason in a message; undefined if the invocation continues. */
function toExitReason(message: ChildMessage): ExitReason | undefined {
  const { failed, when, noFunction, tooLarge, lost } = message;
  if (message.portInUse !== undefined) return { kind: 'port-in-use', port: message.portInUse };
  if (message.tooDeep) return { kind: 'too-deep' };
  if (failed && when) return { kind: 'failed', error: failed, phase: when };
  if (noFunction !== undefined) return { kind: 'no-function', found: noFunction };
  if (tooLarge !== undefined) return { kind: 'too-large', bytes: tooLarge };
  if (message.unsettled) return { kind: 'unsettled' };
  if (!('response' in message)) return undefined;
  return { kind: 'response', response: message.isNothing ? undefined : message.response, lost: lost ?? [] };
}

/** The exit reason of a process that ended without a message. */
function toProcessExitReason(
  { code, signal, startError }: ProcessExit = { code: null, signal: null },
  { nodeVersion, heapReport }: InvocationState,
): ExitReason {
  if (heapReport !== undefined && (signal === 'SIGABRT' || code === ABORT_EXIT_CODE)) return { kind: 'memory' };
  if (startError !== undefined) return { kind: 'not-started', reason: `it could not be started (${startError})` };
  if (nodeVersion === undefined) return { kind: 'not-started', reason: 'it is not Node.js' };
  return { kind: 'exited', code, signal };
}
