/** Processes that invocations of one formula use one after the other, as long as they leave nothing behind. */
import type { IdleProcess } from './child-process.ts';
import { type Invocation, type InvocationResult, invoke } from './invoke.ts';

export type ProcessPool = ReturnType<typeof createProcessPool>;

export function createProcessPool() {
  let current: string | undefined;
  let idle: IdleProcess[] = [];
  const close = () => {
    for (const one of idle) one.kill();
    idle = [];
  };
  return {
    /** Invokes in a process that another invocation used, if there is one and `isShared`. */
    invoke: async (invocation: Invocation): Promise<InvocationResult> => {
      const { file, code, isShared } = invocation;
      if (current !== file + code) close();
      current = file + code;
      const result = await invoke(invocation, isShared ? idle.pop() : undefined);
      if (result.reusable && current === file + code) idle.push(result.reusable);
      else result.reusable?.kill();
      return result;
    },
    /** Ends the processes. */
    close,
  };
}
