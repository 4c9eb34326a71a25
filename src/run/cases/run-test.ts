/** Runs one test: validates its request, invokes the code, and compares the outcome. */

import type { IdleProcess } from '../child-process.ts';
import { resolveModules } from '../doubles/resolve-modules.ts';
import { findUnmetDoubles } from '../doubles/unmet-doubles.ts';
import type { Executable } from '../executable.ts';
import { explainInvocation, type InvocationFailure } from '../failure.ts';
import { type Inspection, invoke } from '../invoke.ts';
import type { ExitReason } from '../protocol.ts';
import type { Reaper } from '../reaper.ts';
import { mapFrames } from '../stack-frames.ts';
import { findRequestDeviations } from '../validate-request.ts';
import {
  findMismatch,
  findResultMismatch,
  type InvocationOutcome,
  type Mismatch,
  updateExpectation,
} from './compare-outcome.ts';
import type { Expectation, FormulaTest } from './parse-tests.ts';

export interface TestRun {
  outcome: 'passed' | 'failed';
  durationMs: number;
  /** Why it failed, in one sentence. */
  message?: string;
  mismatch?: Mismatch;
  /** Where the code failed. */
  failure?: InvocationFailure | undefined;
  warnings: readonly string[];
  /** What the code printed. */
  printed: string;
  /** An expectation that the outcome meets, if it can be expected. */
  updatedExpectation?: Expectation;
  exitReason?: ExitReason;
  /** Packages that a stand-in replaced. */
  standIns?: readonly string[];
}

export interface TestLimits {
  nodePath: string;
  timeoutSeconds: number;
  /** Whether every test may use the network. */
  hasNetwork: boolean;
  inspect?: Inspection | undefined;
  /** Ends the processes of all tests when the tool is gone. */
  reaper?: Reaper | undefined;
  abortSignal: AbortSignal;
}

/** The process that a test may use, and afterwards the one that another test may use. */
export interface SharedProcess {
  idleProcess: IdleProcess | undefined;
}

/** Whether a test leaves nothing that is known from its file. */
export const canShareProcess = ({ now, seed, doubles }: FormulaTest): boolean =>
  now === undefined && seed === undefined && Object.keys(doubles?.modules ?? {}).length === 0;

const MAX_OUTPUT_CHARACTERS = 20_000;

/** Runs the test in a process of its own, or a shared one. Never throws. */
export async function runTest(
  executable: Executable,
  test: FormulaTest,
  limits: TestLimits,
  shared?: SharedProcess,
): Promise<TestRun> {
  const { args, configuration, doubles, network, now, seed, expect } = test;
  const modules = resolveModules(doubles?.modules ?? {}, executable);
  const deviations = findRequestDeviations(test, executable.declarations);
  const problems = [...modules.problems];
  if (deviations.length > 0) {
    const messages = deviations.map(({ message }) => message);
    problems.unshift(`the test's request does not match the manifest: ${messages.join('; ')}`);
  }
  if (problems.length > 0)
    return { outcome: 'failed', durationMs: 0, message: problems.join('\n'), warnings: [], printed: '' };
  const start = performance.now();
  let printed = '';
  const result = await invoke(
    {
      ...executable,
      ...limits,
      args,
      configuration,
      doubles: { ...doubles, modules: modules.paths },
      now,
      seed,
      isShared: shared !== undefined,
      isNetworkClosed: !(network || limits.hasNetwork),
      onOutput: (text) => {
        if (printed.length < MAX_OUTPUT_CHARACTERS) printed += text;
      },
    },
    shared?.idleProcess,
  );
  if (shared) shared.idleProcess = result.reusable;
  const durationMs = Math.round(performance.now() - start);
  const { calls, exitReason, standIns } = result;
  const { response, failure, warnings } = explainInvocation(result, executable.ownCode, limits.timeoutSeconds);
  const ownCode = { ...executable.ownCode, loadedAs: result.file };
  printed = mapFrames(printed, ownCode);
  const details = { durationMs, warnings, printed, exitReason, standIns };
  const unmet = findUnmetDoubles(doubles ?? {}, result, ownCode);
  // A test can expect a response or an error of the code, but not a timeout or an exit.
  const isComparable = response !== undefined || (failure?.thrown !== undefined && exitReason.kind === 'failed');
  const messageWith = (message = '') => [...unmet, message].filter(Boolean).join('\n');
  if (!isComparable) return { ...details, outcome: 'failed', message: messageWith(failure?.message), failure };
  const comparison = compareOutcome(expect, { response, thrown: failure?.thrown, calls }, failure);
  if (unmet.length === 0) return { ...details, ...comparison };
  const { updatedExpectation: _, ...others } = comparison;
  return { ...details, ...others, outcome: 'failed', message: messageWith(comparison.message) };
}

export function compareOutcome(
  expect: Expectation,
  outcome: InvocationOutcome,
  failure: InvocationFailure | undefined,
): Pick<TestRun, 'outcome' | 'message' | 'mismatch' | 'failure' | 'updatedExpectation'> {
  const mismatch = findMismatch(expect, outcome);
  if (!mismatch) return { outcome: 'passed' };
  const isFailure = failure && !expect.error;
  const message = isFailure ? failure.message : describeMismatch(expect, outcome);
  return {
    outcome: 'failed',
    message,
    mismatch,
    failure,
    updatedExpectation: updateExpectation(expect, outcome),
  };
}

function describeMismatch(expect: Expectation, outcome: InvocationOutcome): string {
  const { error } = expect;
  const { thrown } = outcome;
  if (!findResultMismatch(expect, outcome)) return 'calls do not match';
  if (error) return thrown ? 'error does not match' : 'expected an error, but the code did not fail';
  return 'response does not match';
}
