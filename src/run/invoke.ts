/** Invokes a formula once, in a process of its own or one that ran another test. */
import type { ChildProcess } from 'node:child_process';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { randomId } from '../text/hash.ts';
import { createSignal, readOutput } from './child-output.ts';
import {
  CHANNEL,
  GRACE_MS,
  type IdleProcess,
  killAll,
  type ProcessExit,
  readMemory,
  startProcess,
} from './child-process.ts';
import {
  type Call,
  type ChildMessage,
  type ChildRequest,
  type ExitReason,
  MAX_RESPONSE_BYTES,
  type RecordedCall,
  type SerializedError,
} from './protocol.ts';

/** The members of a request that callers do not decide. */
type OwnMember = 'args' | 'configuration' | 'isQuick' | 'inspectPort' | 'graceMs' | 'maxBytes';

export interface Invocation extends Omit<ChildRequest, OwnMember> {
  /** Whether a call without a double ends the run. */
  endsAtCall?: boolean | undefined;
  nodePath: string;
  /** The formula's folder; the code can load its packages. */
  folder: string;
  /** The path of the code file in the folder. */
  file: string;
  args: unknown;
  configuration: unknown;
  timeoutSeconds: number;
  /** If set, the process waits for a debugger, and has no time limit. */
  inspect?: Inspection | undefined;
  sourceMap?: (() => string) | undefined;
  /** Only each so many-th invocation of a shared process is checked for changed objects (default: each). */
  callsPerCheck?: number | undefined;
  /** Receives the output of the code. */
  onOutput(text: string): void;
  /** Ends the process. */
  abortSignal?: AbortSignal | undefined;
}

export interface Inspection {
  port: number;
  /** How long to wait for a debugger. */
  attachMs: number;
  onWaiting(): void;
}

export interface InvocationResult {
  exitReason: ExitReason;
  /** The path of the code in stack traces. */
  file: string;
  /** Values that were thrown after the response. */
  lateErrors: SerializedError[];
  /** Resources that were still open after the response. */
  openResources: string[];
  /** The calls to other services, with and without a double. */
  calls: Call[];
  /** The calls of a recorded run. */
  recorded: RecordedCall[];
  /** Modules whose doubles were loaded. */
  loaded: string[];
  /** Missing packages that a stand-in replaced. */
  standIns: string[];
  /** Whether a process that the code started may still be running. */
  hasSurvivor: boolean;
  /** Whether it was the first one of its process. */
  isFirst: boolean;
  /** The process, if it can run another test. */
  reusable?: IdleProcess;
}

/** What ends earlier after the response is reported by the process; on a busy computer it takes longer. */
const MAX_GRACE_MS = 3000;
/** All memory of the process, where the system reports it. */
const MEMORY_MIB = 1024;
/** How long code may continue after a call that ended its run. */
const SETTLE_MS = 500;
const HEAP_REPORT = '<--- Last few GCs --->';

type Facts = Omit<InvocationResult, 'exitReason' | 'file' | 'hasSurvivor' | 'isFirst' | 'reusable'>;

/** An invocation that is running, and what its process reported. */
interface Running {
  invocation: Invocation;
  isQuick: boolean;
  child: ChildProcess;
  token: string;
  facts: Facts;
  exitReason: ExitReason | undefined;
  isNode: boolean;
  /** Output that may be Node.js's report of a full heap. */
  heapReport: string;
  limit: NodeJS.Timeout | undefined;
}

/** Resolves when the process has ended, or can run another test. Never rejects. */
export async function invoke(invocation: Invocation, idleProcess?: IdleProcess): Promise<InvocationResult> {
  const idle = idleProcess ?? startProcess(invocation.nodePath, invocation.folder);
  const { child, codeFolder, runs } = idle;
  const isFirst = runs === 0;
  const { abortSignal, onOutput, inspect, sourceMap, timeoutSeconds, callsPerCheck = 1 } = invocation;
  const facts = { lateErrors: [], openResources: [], calls: [], recorded: [], loaded: [], standIns: [] };
  const state = {
    exitReason: undefined,
    isNode: !isFirst,
    isQuick: runs % callsPerCheck !== 0,
    heapReport: '',
    limit: undefined,
  };
  const running: Running = { invocation, child, token: randomId(), facts, ...state };
  if (!inspect) limitTime(running, timeoutSeconds * 1000, { kind: 'timeout' });
  const memory = setInterval(() => {
    if (readMemory(child.pid) > MEMORY_MIB) stop(running, { kind: 'memory' });
  }, 100);
  const onStop = () => stop(running, { kind: 'stopped' });
  abortSignal?.addEventListener('abort', onStop);
  if (abortSignal?.aborted) onStop();
  const listening = listen(running);
  // So that a debugger shows code.js itself; a bundle has a source map.
  const file = inspect && !sourceMap ? invocation.file : join(codeFolder, basename(invocation.file));
  const request = running.token + JSON.stringify(toChildRequest(running, file));
  // The first request is the standard input, so that the code finds that at its end.
  if (isFirst) child.stdin?.end(request);
  else (child.stdio[CHANNEL] as Writable).write(`${request}\n`);
  const exit = await Promise.race([idle.exit, listening.reusable]);
  listening.end();
  clearTimeout(running.limit);
  clearInterval(memory);
  abortSignal?.removeEventListener('abort', onStop);
  const exitReason = running.exitReason ?? toProcessExitReason(exit, running);
  if (exitReason.kind !== 'memory') onOutput(running.heapReport);
  const recorded = running.facts.recorded.filter(Boolean);
  const result = { exitReason, file, ...running.facts, recorded, hasSurvivor: exit?.hasSurvivor ?? false, isFirst };
  return exit ? result : { ...result, reusable: { ...idle, runs: runs + 1 } };
}

/** Kills the process group. The first reason counts. */
function stop(running: Running, exitReason: ExitReason): void {
  running.exitReason ??= exitReason;
  killAll(running.child);
}

/** Replaces the time limit. */
function limitTime(running: Running, milliseconds: number, exitReason: ExitReason): void {
  clearTimeout(running.limit);
  running.limit = setTimeout(() => {
    if (running.exitReason?.kind === 'response') running.facts.openResources.push('code that never pauses');
    stop(running, exitReason);
  }, milliseconds);
}

function toChildRequest({ invocation, isQuick }: Running, file: string): ChildRequest {
  const { code, sourceMap, inspect, args, configuration } = invocation;
  const { bt, doubles, now, seed, isNetworkClosed, isNetworkUsed, isRecorded, isShared } = invocation;
  const map = inspect && sourceMap && Buffer.from(sourceMap()).toString('base64');
  return {
    code: map ? `${code}\n//# sourceMappingURL=data:application/json;base64,${map}\n` : code,
    inspectPort: inspect?.port,
    file,
    args: JSON.stringify(args),
    configuration: JSON.stringify(configuration),
    ...{ bt, doubles, now, seed, isNetworkClosed, isNetworkUsed, isRecorded, isShared, isQuick },
    graceMs: GRACE_MS,
    maxBytes: MAX_RESPONSE_BYTES,
  };
}

const MAX_CHANNEL_BYTES = 2 * MAX_RESPONSE_BYTES;

/** Handles the lines of the channel that start with the token; passes output on. */
function listen(running: Running) {
  const { child, token } = running;
  const mark = running.invocation.isShared && !running.isQuick ? token : '';
  const outputs = [child.stdout, child.stderr].map((stream) => readOutput(stream, mark, (text) => show(text, running)));
  const channel = child.stdio[CHANNEL] as Readable;
  let [received, rest] = [0, ''];
  const isReusable = createSignal();
  const onData = (text: string) => {
    received += text.length;
    if (received > MAX_CHANNEL_BYTES) return killAll(child);
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith(token)) continue;
      const message = JSON.parse(line.slice(token.length)) as ChildMessage;
      handleMessage(message, running);
      if (message.isReusable) isReusable.set();
    }
  };
  channel?.on('data', onData);
  return {
    /** Resolves when the process can run another test, and its output was read. */
    reusable: Promise.all([isReusable.wait, ...outputs.map(({ marked }) => marked)]).then(() => undefined),
    end: () => {
      channel?.off('data', onData);
      for (const output of outputs) output.end();
    },
  };
}

/** When it is out of memory, Node.js prints a report, which is withheld until the cause of the exit is known. */
function show(text: string, running: Running): void {
  if (running.heapReport !== '' || text.includes(HEAP_REPORT)) running.heapReport += text;
  else if (text !== '') running.invocation.onOutput(text);
}

function handleMessage(message: ChildMessage, running: Running): void {
  collectFacts(message, running.facts);
  const { invocation, child } = running;
  const { inspect, isShared, endsAtCall } = invocation;
  const { exit, call } = message;
  if (endsAtCall && call && call.double === undefined && !running.exitReason) {
    running.exitReason = { kind: 'unanswered' };
    // The code gets an error, with which it usually ends, so that the process can run another call.
    limitTime(running, SETTLE_MS, running.exitReason);
  }
  if (message.started !== undefined) running.isNode = true;
  if (message.inspecting && inspect) {
    inspect.onWaiting();
    limitTime(running, inspect.attachMs, { kind: 'no-debugger' });
  }
  if (message.attached) clearTimeout(running.limit);
  if (message.open) killAll(child);
  if (!exit) return;
  running.exitReason ??= exit;
  // An error of a test that may share its process is followed by what it left.
  const isFollowed = exit.kind === 'response' || (isShared && exit.kind === 'failed');
  // With a debugger, the process would wait for it to disconnect.
  if (isFollowed && !inspect) limitTime(running, MAX_GRACE_MS, exit);
  else killAll(child);
}

function collectFacts({ call, loaded, standIn, recorded, position = 0, late, open }: ChildMessage, facts: Facts): void {
  // Code can add a `toJSON` to a prototype, which changes lists that the process reports.
  if (call) facts.calls.push('bt' in call && !Array.isArray(call.with) ? { ...call, with: [] } : call);
  if (loaded !== undefined) facts.loaded.push(loaded);
  if (standIn !== undefined) facts.standIns.push(standIn);
  if (recorded) facts.recorded[position] = recorded;
  if (late) facts.lateErrors.push(late);
  if (!open) return;
  const known = open.filter((name) => !/^(Pipe|TTY)Wrap$|^CloseReq$/.test(name));
  facts.openResources.push(...(known.length > 0 ? known : ['something']));
}

/** The exit code of an aborted process on systems without signals. */
const ABORT_EXIT_CODE = 134;

/** The exit reason of a process that ended without a message. */
function toProcessExitReason(exit: ProcessExit | undefined, { isNode, heapReport }: Running): ExitReason {
  const { code = null, signal = null, startError } = exit ?? {};
  if (heapReport !== '' && (signal === 'SIGABRT' || code === ABORT_EXIT_CODE)) return { kind: 'memory' };
  if (startError !== undefined) return { kind: 'not-started', reason: `it could not be started (${startError})` };
  if (!isNode) return { kind: 'not-started', reason: 'it is not Node.js' };
  return { kind: 'exited', code, signal };
}
