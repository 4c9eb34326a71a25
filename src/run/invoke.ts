/** One invocation of a formula: starts its process, listens to it, and ends it in time. */
import type { ChildProcess } from 'node:child_process';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { randomId } from '../text/hash.ts';
import {
  GRACE_MS,
  type IdleProcess,
  type InvocationState,
  killAll,
  type ProcessExit,
  readMemory,
  startProcess,
} from './child-process.ts';
import type { ChildMessage, ChildRequest, ExitReason, SerializedError } from './protocol.ts';

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
  timeoutSeconds: number;
  /** Takes what the code prints, as it comes. */
  onOutput(text: string): void;
  /** Ends the process before its time. */
  stop?: AbortSignal | undefined;
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
  const { stop, onOutput } = invocation;
  const token = randomId();
  const timers = startTimers(child, invocation, state);
  const onStop = () => stopProcess(child, state, { kind: 'stopped' });
  stop?.addEventListener('abort', onStop);
  if (stop?.aborted) onStop();
  listen(child, token, invocation, state, timers);
  const file = join(codeFolder, basename(invocation.file));
  child.stdin?.end(token + JSON.stringify(toChildRequest({ ...invocation, file })));
  const exitReason = await exit.then((facts) => state.exitReason ?? explainExit(facts, state));
  timers.clear();
  stop?.removeEventListener('abort', onStop);
  const { nodeVersion, lateErrors, openResources, hasSurvivor, heapReport } = state;
  if (heapReport !== undefined && exitReason.kind !== 'memory') onOutput(heapReport);
  return { exitReason, file, nodeVersion, lateErrors, openResources, hasSurvivor };
}

/** The exit code of an aborted process where there are no signals. */
const ABORT_EXIT_CODE = 134;
const HEAP_REPORT = '<--- Last few GCs --->';

function toChildRequest({ code, file, args, configuration, bt }: Invocation): ChildRequest {
  return {
    code,
    file,
    args: JSON.stringify(args),
    configuration: JSON.stringify(configuration),
    bt,
    graceMs: GRACE_MS,
    maxBytes: MAX_RESPONSE_BYTES,
  };
}

/** The first reason counts; whatever is still running is ended. */
function stopProcess(child: ChildProcess, state: InvocationState, exitReason: ExitReason): void {
  state.exitReason ??= exitReason;
  killAll(child);
}

interface Timers {
  /** The response is there: what is left has the grace alone. */
  startGracePeriod(): void;
  clear(): void;
}

function startTimers(child: ChildProcess, { timeoutSeconds }: Invocation, state: InvocationState): Timers {
  let limit = setTimeout(() => stopProcess(child, state, { kind: 'timeout' }), timeoutSeconds * 1000);
  const memory = setInterval(() => {
    if (readMemory(child.pid) > MEMORY_MIB) stopProcess(child, state, { kind: 'memory' });
  }, 100);
  return {
    startGracePeriod: () => {
      clearTimeout(limit);
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

function toExitReason(message: ChildMessage): ExitReason | undefined {
  const { failed, when, noFunction, tooLarge, lost = [] } = message;
  if (message.tooDeep) return { kind: 'too-deep' };
  if (failed && when) return { kind: 'failed', error: failed, phase: when };
  if (noFunction !== undefined) return { kind: 'no-function', found: noFunction };
  if (tooLarge !== undefined) return { kind: 'too-large', bytes: tooLarge };
  if (message.unsettled) return { kind: 'unsettled' };
  if (!('response' in message)) return undefined;
  return { kind: 'response', response: message.isNothing ? undefined : message.response, lost };
}

function explainExit(
  { code, signal, startError }: ProcessExit,
  { nodeVersion, heapReport }: InvocationState,
): ExitReason {
  if (heapReport !== undefined && (signal === 'SIGABRT' || code === ABORT_EXIT_CODE)) return { kind: 'memory' };
  if (startError !== undefined) return { kind: 'not-started', reason: `it cannot be started (${startError})` };
  if (nodeVersion === undefined) return { kind: 'not-started', reason: 'it is no Node.js' };
  return { kind: 'exited', code, signal };
}
