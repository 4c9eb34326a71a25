/** Runs the code of a formula with the doubles of a test or of the workbench, and explains the outcome. */
import { findUnmetDoubles } from './doubles/unmet-doubles.ts';
import type { Executable } from './executable.ts';
import { explainInvocation, type InvocationReport } from './failure.ts';
import { type Invocation, type InvocationResult, invoke } from './invoke.ts';
import type { ProcessPool } from './process-pool.ts';
import { mapFrames } from './stack-frames.ts';

export type CodeInput = Pick<
  Invocation,
  'args' | 'configuration' | 'doubles' | 'now' | 'seed' | 'isNetworkClosed' | 'isRecorded' | 'isShared'
>;

export interface CodeLimits extends Pick<Invocation, 'nodePath' | 'timeoutSeconds' | 'inspect'> {
  abortSignal: AbortSignal;
}

export interface CodeRun extends InvocationReport {
  result: InvocationResult;
  /** Calls without a double, and doubles without a call. */
  unmet: readonly string[];
  durationMs: number;
  /** What the code printed, with positions in its sources. */
  printed: string;
}

const MAX_PRINTED_CHARACTERS = 100_000;

/** Runs in a process of its own, or of a pool. Never rejects. */
export async function runCode(
  executable: Executable,
  input: CodeInput,
  limits: CodeLimits,
  pool: Pick<ProcessPool, 'invoke'> = { invoke },
): Promise<CodeRun> {
  const start = performance.now();
  let printed = '';
  const result = await pool.invoke({
    ...executable,
    ...limits,
    ...input,
    onOutput: (text) => {
      if (printed.length <= MAX_PRINTED_CHARACTERS) printed += text;
    },
  });
  const durationMs = Math.round(performance.now() - start);
  if (printed.length > MAX_PRINTED_CHARACTERS) printed = `${printed.slice(0, MAX_PRINTED_CHARACTERS)}\n… (truncated)\n`;
  const ownCode = { ...executable.ownCode, loadedAs: result.file };
  return {
    ...explainInvocation(result, executable.ownCode, limits.timeoutSeconds),
    result,
    unmet: input.doubles ? findUnmetDoubles(input.doubles, result, ownCode) : [],
    durationMs,
    printed: mapFrames(printed, ownCode),
  };
}
