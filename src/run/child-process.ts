/** The process of one invocation: how it is started, watched from outside, and ended with all that it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import childScript from '../generated/formula-child.js';
import { requirePermission } from '../host/node-options.ts';
import type { Call, RecordedCall } from './calls.ts';
import type { ExitReason, SerializedError } from './protocol.ts';
import { createRunFolder } from './run-folder.ts';

/** The heap of JavaScript, in MiB. */
const HEAP_MIB = 256;
/** How long what the formula left running is waited for, before it is reported and ended. */
export const GRACE_MS = 200;

/** What is known of an invocation so far. */
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
  /** Whether something that was started holds the pipes after all was ended: it has left the process group. */
  hasSurvivor: boolean;
  /** What may be Node.js's report of a full heap. */
  heapReport: string | undefined;
}

/** A process that waits for its request; no code of the formula has been run in it. */
export interface IdleProcess {
  child: ChildProcess;
  state: InvocationState;
  exit: Promise<ProcessExit>;
  /** The folder that the code is loaded from, as far as it can tell. */
  codeFolder: string;
  /** Ends it, if it is still there. */
  kill(): void;
}

/**
 * Starts a process in a folder of its own, early, so that it starts while the formula's folder is checked. Raises usage (2)
 * where Node.js may not start processes.
 */
export function startProcess(nodePath: string, folder: string): IdleProcess {
  requirePermission('ChildProcess', 'run the code');
  const { cwd, codeFolder, scriptPath, remove } = createRunFolder(folder, childScript);
  const child = spawn(nodePath, [`--max-old-space-size=${HEAP_MIB}`, scriptPath], {
    cwd,
    env: createEnvironment(process.env),
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // A process group of its own, so that all that the formula started can be ended with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const state: InvocationState = {
    exitReason: undefined,
    nodeVersion: undefined,
    lateErrors: [],
    openResources: [],
    calls: [],
    recorded: [],
    loaded: [],
    standIns: [],
    hasSurvivor: false,
    heapReport: undefined,
  };
  // It may be over before it has read anything.
  child.stdin?.on('error', () => undefined);
  return { child, state, exit: waitForExit(child, state).finally(remove), codeFolder, kill: () => killAll(child) };
}

/** What a process of this system needs to start, and the time zone of servers; none of the user's variables. */
function createEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const needed = process.platform === 'win32' ? ['SystemRoot', 'TEMP', 'TMP'] : [];
  return { TZ: 'UTC', ...Object.fromEntries(needed.flatMap((name) => (env[name] ? [[name, env[name]]] : []))) };
}

/** Ends a process, and all that it started. */
export function killAll(child: ChildProcess): void {
  try {
    if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It is over already.
  }
}

/** MiB in use by a process, where the system says so. */
export function readMemory(pid: number | undefined): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
    return (Number(pages) * 4096) / 2 ** 20;
  } catch {
    return 0;
  }
}

export interface ProcessExit {
  code: number | null;
  signal: string | null;
  /** Why it could not be started. */
  startError?: string;
}

/** Resolves when the process is over and all it said is read; a pipe that others hold open is not waited for. */
function waitForExit(child: ChildProcess, state: InvocationState): Promise<ProcessExit> {
  return new Promise((done) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      done({ code: null, signal: null, startError: error.code ?? error.message }),
    );
    child.once('close', (code, signal) => done({ code, signal }));
    child.once('exit', () => {
      const releasePipes = () => {
        state.hasSurvivor = true;
        for (const stream of child.stdio) stream?.destroy();
      };
      // What has come by then is read first, also where this process was held up meanwhile.
      const drop = setTimeout(() => setImmediate(releasePipes), GRACE_MS);
      child.once('close', () => clearTimeout(drop));
      killAll(child);
    });
  });
}
