/** One invocation of a formula: starts its process, listens to it, and ends it in time. */
import type { ChildProcess } from 'node:child_process';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { randomId } from '../text/hash.ts';
import { type Exit, GRACE_MS, killAll, memoryOf, type State, startProcess, type Waiting } from './child-process.ts';
import type { ChildMessage, ChildRequest, Ended, Thrown } from './protocol.ts';

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

export interface Invoked {
  ended: Ended;
  /** The path under which the code was loaded, as it is in stack traces. */
  file: string;
  /** The version of Node.js that the code ran on. */
  nodeVersion: string | undefined;
  /** What was thrown after the response. */
  late: readonly Thrown[];
  /** What was still running after the response. */
  open: readonly string[];
  /** Whether a process that it started could not be ended. */
  hasSurvivor: boolean;
}

/** All memory of the process, where it can be seen. */
const MEMORY_MIB = 1024;
const MAX_RESPONSE_BYTES = 20 * 2 ** 20;
const MAX_CHANNEL_BYTES = 2 * MAX_RESPONSE_BYTES;

/** Runs the code once in a process of its own, and resolves when that process is over. Never rejects. */
export async function invoke(invocation: Invocation, waiting?: Waiting): Promise<Invoked> {
  const { child, state, exit, codeFolder } = waiting ?? startProcess(invocation.nodePath, invocation.folder);
  const { stop, onOutput } = invocation;
  const token = randomId();
  const timers = startTimers(child, invocation, state);
  const onStop = () => end(child, state, { kind: 'stopped' });
  stop?.addEventListener('abort', onStop);
  if (stop?.aborted) onStop();
  listen(child, token, invocation, state, timers);
  const file = join(codeFolder, basename(invocation.file));
  child.stdin?.end(token + JSON.stringify(requestOf({ ...invocation, file })));
  const ended = await exit.then((facts) => state.ended ?? unexplained(facts, state));
  timers.clear();
  stop?.removeEventListener('abort', onStop);
  const { nodeVersion, late, open, hasSurvivor, report } = state;
  if (report !== undefined && ended.kind !== 'memory') onOutput(report);
  return { ended, file, nodeVersion, late, open, hasSurvivor };
}

/** The exit code of an aborted process where there are no signals. */
const ABORTED = 134;
const HEAP_REPORT = '<--- Last few GCs --->';

function requestOf({ code, file, args, configuration, bt }: Invocation): ChildRequest {
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
function end(child: ChildProcess, state: State, ended: Ended): void {
  state.ended ??= ended;
  killAll(child);
}

interface Timers {
  /** The response is there: what is left has the grace alone. */
  hurry(): void;
  clear(): void;
}

function startTimers(child: ChildProcess, { timeoutSeconds }: Invocation, state: State): Timers {
  let limit = setTimeout(() => end(child, state, { kind: 'timeout' }), timeoutSeconds * 1000);
  const memory = setInterval(() => {
    if (memoryOf(child.pid) > MEMORY_MIB) end(child, state, { kind: 'memory' });
  }, 100);
  return {
    hurry: () => {
      clearTimeout(limit);
      limit = setTimeout(() => {
        state.open.push('code that never pauses');
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
function listen(child: ChildProcess, token: string, { onOutput }: Invocation, state: State, timers: Timers): void {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      // Out of memory, Node.js ends with a report about itself; until it is known to be one, it is kept back.
      if (state.report !== undefined || text.includes(HEAP_REPORT)) state.report = (state.report ?? '') + text;
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
      if (line.startsWith(token)) hear(child, JSON.parse(line.slice(token.length)) as ChildMessage, state, timers);
    }
  });
}

function hear(child: ChildProcess, message: ChildMessage, state: State, timers: Timers): void {
  if (message.started !== undefined) state.nodeVersion = message.started;
  if (message.late) state.late.push(message.late);
  if (message.open) {
    state.open.push(...message.open.filter((name) => !/^(Pipe|TTY)Wrap$|^CloseReq$/.test(name)));
    if (state.open.length === 0) state.open.push('something');
    killAll(child);
  }
  const ended = endedBy(message);
  if (ended?.kind === 'response') {
    state.ended ??= ended;
    timers.hurry();
  } else if (ended) end(child, state, ended);
}

function endedBy(message: ChildMessage): Ended | undefined {
  const { failed, when, noFunction, tooLarge, lost = [] } = message;
  if (message.tooDeep) return { kind: 'too-deep' };
  if (failed && when) return { kind: 'failed', error: failed, when };
  if (noFunction !== undefined) return { kind: 'no-function', found: noFunction };
  if (tooLarge !== undefined) return { kind: 'too-large', bytes: tooLarge };
  if (message.unsettled) return { kind: 'unsettled' };
  if (!('response' in message)) return undefined;
  return { kind: 'response', response: message.isNothing ? undefined : message.response, lost };
}

function unexplained({ code, signal, fault }: Exit, { nodeVersion, report }: State): Ended {
  if (report !== undefined && (signal === 'SIGABRT' || code === ABORTED)) return { kind: 'memory' };
  if (fault !== undefined) return { kind: 'not-started', reason: `it cannot be started (${fault})` };
  if (nodeVersion === undefined) return { kind: 'not-started', reason: 'it is no Node.js' };
  return { kind: 'exited', code, signal };
}
