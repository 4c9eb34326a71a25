/** Runs calls of one version of a formula, one after the other in a process that they share. */
import type { IdleProcess } from '../child-process.ts';
import type { Doubles } from '../doubles/doubles.ts';
import { resolveModules } from '../doubles/resolve-modules.ts';
import type { Executable } from '../executable.ts';
import { invoke } from '../invoke.ts';
import type { Reaper } from '../reaper.ts';
import { assertStarted } from '../run-flags.ts';
import { type CallResult, toCallResult } from './compare-results.ts';
import type { CallInput } from './generate-input.ts';

/** A call, with what a test fixes. */
export interface ComparedCall extends CallInput {
  doubles?: Doubles | undefined;
  now: number;
  seed: number;
}

export interface VersionLimits {
  nodePath: string;
  timeoutSeconds: number;
  reaper?: Reaper | undefined;
  abortSignal: AbortSignal;
  /** Whether calls may share a process. */
  isShared: boolean;
}

export interface VersionRunner {
  /** `isFresh`: in a new process. Raises usage (2) if the code was not run, and interrupted. */
  run(call: ComparedCall, isFresh?: boolean): Promise<CallResult>;
  close(): void;
}

/** How often it is looked for changed objects in a process; the first call is one of those. */
const CALLS_PER_CHECK = 10;

export function createVersionRunner(executable: Executable, limits: VersionLimits): VersionRunner {
  let idle: IdleProcess | undefined;
  let isNetworkUsed = false;
  let runs = 0;
  const close = () => {
    if (idle?.child.pid !== undefined) limits.reaper?.release(idle.child.pid);
    idle?.kill();
    idle = undefined;
  };
  const takeIdle = () => {
    const used = idle;
    idle = undefined;
    runs = used ? runs + 1 : 0;
    return used;
  };
  return {
    close,
    run: async ({ doubles = {}, ...call }, isFresh = false) => {
      const modules = resolveModules(doubles.modules ?? {}, executable).paths;
      const isShared = limits.isShared && !isFresh && !doubles.http?.length && Object.keys(modules).length === 0;
      const used = isShared ? takeIdle() : undefined;
      const invocation = {
        ...executable,
        ...limits,
        ...call,
        doubles: { ...doubles, bt: doubles.bt ?? {}, modules },
        isShared,
        isQuick: runs % CALLS_PER_CHECK !== 0,
        isNetworkUsed: isShared && isNetworkUsed,
        isNetworkClosed: true,
        endsAtCall: true,
        onOutput: () => undefined,
      };
      const result = await invoke(invocation, used);
      assertStarted(result.exitReason, limits.nodePath);
      if (isShared) {
        idle = result.reusable;
        // Most code that leaves something behind uses the network, for which the next process is prepared then.
        isNetworkUsed ||= idle === undefined;
      }
      return toCallResult(result);
    },
  };
}
