/** The limits of a running invocation: time, memory, and time after the response. */
import type { ChildProcess } from 'node:child_process';
import { killAll, readMemory } from './child-process.ts';
import type { Call, ExitReason, RecordedCall, SerializedError } from './protocol.ts';

/** What ends earlier is reported by the process; on a busy computer it takes longer. */
const MAX_GRACE_MS = 3000;
/** All memory of the process, where the system reports it. */
const MEMORY_MIB = 1024;

/** State of a running invocation. */
export interface InvocationState {
  exitReason: ExitReason | undefined;
  nodeVersion: string | undefined;
  lateErrors: SerializedError[];
  openResources: string[];
  calls: Call[];
  /** The calls of a recorded run. */
  recorded: RecordedCall[];
  /** Modules whose doubles were loaded. */
  loaded: string[];
  /** Packages that a stand-in replaces. */
  standIns: string[];
  /** Output that may be Node.js's report of a full heap. */
  heapReport: string | undefined;
}

/** Kills the process group. The first reason counts. */
export function stopProcess(child: ChildProcess, state: InvocationState, exitReason: ExitReason): void {
  state.exitReason ??= exitReason;
  killAll(child);
}

export interface Inspection {
  port: number;
  /** How long to wait for a debugger. */
  attachMs: number;
  onWaiting(): void;
}

export interface Timers {
  /** Starts the time limit for attaching a debugger. */
  awaitDebugger(): void;
  /** Removes that limit. */
  onAttached(): void;
  /** After the response, limits the time of what is still running. */
  startGracePeriod(): void;
  clear(): void;
}

export function startTimers(
  child: ChildProcess,
  { timeoutSeconds, inspect }: { timeoutSeconds: number; inspect?: Inspection | undefined },
  state: InvocationState,
): Timers {
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
    onAttached: () => clearTimeout(limit),
    startGracePeriod: () => {
      clearTimeout(limit);
      // With a debugger, the process would wait for it to disconnect.
      if (inspect) {
        killAll(child);
        return;
      }
      limit = setTimeout(() => {
        if (state.exitReason?.kind === 'response') state.openResources.push('code that never pauses');
        killAll(child);
      }, MAX_GRACE_MS);
    },
    clear: () => {
      clearTimeout(limit);
      clearInterval(memory);
    },
  };
}
