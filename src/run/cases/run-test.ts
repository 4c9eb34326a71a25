/** Runs one test: validates its request, runs the code, and compares the outcome. */

import { resolveModules } from '../doubles/resolve-modules.ts';
import type { Executable } from '../executable.ts';
import type { InvocationFailure } from '../failure.ts';
import type { ProcessPool } from '../process-pool.ts';
import type { ExitReason } from '../protocol.ts';
import { type CodeLimits, type CodeRun, runCode } from '../run-code.ts';
import { findRequestDeviations } from '../validate-request.ts';
import { findMismatch, findResultMismatch, type Mismatch, updateExpectation } from './compare-outcome.ts';
import type { Expectation, FormulaTest } from './parse-tests.ts';

/** Whether a run met an expectation. */
interface Verdict {
  outcome: 'passed' | 'failed';
  /** Why it failed, in one sentence. */
  message?: string;
  mismatch?: Mismatch | undefined;
  /** Where the code failed. */
  failure?: InvocationFailure | undefined;
  /** An expectation that the outcome meets, if it can be expected. */
  updatedExpectation?: Expectation | undefined;
}

export interface TestRun extends Verdict {
  durationMs: number;
  warnings: readonly string[];
  /** What the code printed. */
  printed: string;
  exitReason?: ExitReason;
  /** Packages that a stand-in replaced. */
  standIns?: readonly string[];
}

export interface TestLimits extends CodeLimits {
  /** Whether every test may use the network. */
  hasNetwork: boolean;
}

/** Runs the test in a process of its own, or of a pool. Never rejects. */
export async function runTest(
  executable: Executable,
  test: FormulaTest,
  { hasNetwork, ...limits }: TestLimits,
  pool?: ProcessPool,
): Promise<TestRun> {
  const { args, configuration, doubles, network, now, seed, expect } = test;
  const modules = resolveModules(doubles ?? {}, executable);
  const deviations = findRequestDeviations(test, executable.declarations).map(({ message }) => message);
  const problems = [
    ...(deviations.length > 0 ? [`the test's request does not match the manifest: ${deviations.join('; ')}`] : []),
    ...modules.problems,
  ];
  if (problems.length > 0)
    return { outcome: 'failed', durationMs: 0, message: problems.join('\n'), warnings: [], printed: '' };
  const request = { args, configuration, doubles: { ...doubles, modules: modules.paths }, now, seed };
  const input = { ...request, isNetworkClosed: !(network || hasNetwork) };
  let run = await runCode(executable, { ...input, isShared: pool !== undefined }, limits, pool);
  // What another test left in the process must not be why it fails.
  const isSure = run.result.isFirst || run.result.exitReason.kind === 'stopped';
  if (!isSure && judgeRun(expect, run).outcome === 'failed') run = await runCode(executable, input, limits);
  const { durationMs, warnings, printed } = run;
  const { exitReason, standIns } = run.result;
  return { durationMs, warnings, printed, exitReason, standIns, ...judgeRun(expect, run) };
}

/** A test can expect a response or an error of the code, but not a timeout or an exit. */
export function judgeRun(expect: Expectation, { result, response, failure, unmet }: CodeRun): Verdict {
  const thrown = failure?.thrown;
  const toMessage = (reason = '') => [...unmet, reason].filter(Boolean).join('\n');
  if (!response && !thrown) return { outcome: 'failed', message: toMessage(failure?.message), failure };
  const outcome = { response, thrown, calls: result.calls };
  const mismatch = findMismatch(expect, outcome);
  if (!mismatch) return unmet.length === 0 ? { outcome: 'passed' } : { outcome: 'failed', message: toMessage() };
  return {
    outcome: 'failed',
    message: toMessage(failure && !expect.error ? failure.message : formatMismatch(expect, outcome)),
    mismatch,
    failure,
    updatedExpectation: unmet.length === 0 ? updateExpectation(expect, outcome) : undefined,
  };
}

function formatMismatch(expect: Expectation, outcome: Parameters<typeof findMismatch>[1]): string {
  if (!findResultMismatch(expect, outcome)) return 'calls do not match';
  if (!expect.error) return 'response does not match';
  return outcome.thrown ? 'error does not match' : 'expected an error, but the code did not fail';
}
