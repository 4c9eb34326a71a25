/** Invokes a formula once, in a process of its own. */
import { basename, join } from 'node:path';
import { randomId } from '../text/hash.ts';
import type { Call, RecordedCall } from './calls.ts';
import { GRACE_MS, type IdleProcess, startProcess } from './child-process.ts';
import type { Doubles } from './doubles/doubles.ts';
import { explainExit } from './exit-reason.ts';
import { listen } from './listen.ts';
import { type ChildRequest, type ExitReason, MAX_RESPONSE_BYTES, type SerializedError } from './protocol.ts';
import type { Reaper } from './reaper.ts';
import { type Inspection, startTimers, stopProcess } from './time-limits.ts';

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
  isNetworkClosed?: boolean | undefined;
  isRecorded?: boolean | undefined;
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
}

/** Resolves when the process has ended. Never rejects. */
export async function invoke(invocation: Invocation, idleProcess?: IdleProcess): Promise<InvocationResult> {
  const { child, state, exit, codeFolder } = idleProcess ?? startProcess(invocation.nodePath, invocation.folder);
  const { abortSignal, onOutput, reaper } = invocation;
  const token = randomId();
  const timers = startTimers(child, invocation, state);
  const onStop = () => stopProcess(child, state, { kind: 'stopped' });
  abortSignal?.addEventListener('abort', onStop);
  if (abortSignal?.aborted) onStop();
  listen(child, token, onOutput, state, timers);
  // So that a debugger shows code.js itself; a bundle has a source map.
  const isReal = invocation.inspect !== undefined && !invocation.sourceMap;
  const file = isReal ? invocation.file : join(codeFolder, basename(invocation.file));
  if (child.pid !== undefined) reaper?.watch(child.pid);
  child.stdin?.end(token + JSON.stringify(toChildRequest({ ...invocation, file })));
  const exitReason = await exit.then((facts) => state.exitReason ?? explainExit(facts, state));
  timers.clear();
  if (child.pid !== undefined) reaper?.release(child.pid);
  abortSignal?.removeEventListener('abort', onStop);
  const { heapReport, exitReason: _, ...details } = state;
  if (heapReport !== undefined && exitReason.kind !== 'memory') onOutput(heapReport);
  return { exitReason, file, ...details };
}

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
