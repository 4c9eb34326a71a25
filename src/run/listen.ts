/** Receives the messages and the output of an invocation's process. */
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type InvocationState, killAll } from './child-process.ts';
import { toExitReason } from './exit-reason.ts';
import { type ChildMessage, MAX_RESPONSE_BYTES } from './protocol.ts';
import { stopProcess, type Timers } from './time-limits.ts';

const MAX_CHANNEL_BYTES = 2 * MAX_RESPONSE_BYTES;

const HEAP_REPORT = '<--- Last few GCs --->';

/** Handles the lines of the channel that start with the token; passes output on. */
export function listen(
  child: ChildProcess,
  token: string,
  onOutput: (text: string) => void,
  state: InvocationState,
  timers: Timers,
): void {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      // When it is out of memory, Node.js prints a report, which is withheld until the cause of the exit is known.
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
  if (message.attached) timers.onAttached();
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
