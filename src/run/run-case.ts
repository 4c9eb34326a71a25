/** One case of a formula: its request against the contract, one invocation, and the comparison. */
import {
  type Case,
  type Expectation,
  findMismatch,
  type InvocationOutcome,
  type Mismatch,
  updateExpectation,
} from './cases.ts';
import { findArgsDeviations, findConfigurationDeviations } from './contract.ts';
import type { Executable } from './executable.ts';
import { explainInvocation, type InvocationFailure } from './failure.ts';
import { invoke } from './invoke.ts';
import type { ExitReason } from './protocol.ts';

export interface CaseResult {
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
  /** The expectation that would have been met, where there can be one. */
  updatedExpectation?: Expectation;
  exitKind?: ExitReason['kind'];
}

export interface CaseLimits {
  nodePath: string;
  timeoutSeconds: number;
  stop: AbortSignal;
}

const MAX_OUTPUT_CHARACTERS = 20_000;

/** Runs the case in a process of its own. Never throws. */
export async function runCase(executable: Executable, example: Case, limits: CaseLimits): Promise<CaseResult> {
  const { args, configuration, expect } = example;
  const { request_parameters: parameters, configuration: elements } = executable.declarations;
  const deviations = [...findArgsDeviations(args, parameters), ...findConfigurationDeviations(configuration, elements)];
  if (deviations.length > 0) {
    const message = `the case breaks the contract, so the code would not run: ${deviations.map((one) => one.message).join('; ')}`;
    return { outcome: 'failed', durationMs: 0, message, warnings: [], printed: '' };
  }
  const start = performance.now();
  let printed = '';
  const result = await invoke({
    ...executable,
    ...limits,
    args,
    configuration,
    onOutput: (text) => {
      if (printed.length < MAX_OUTPUT_CHARACTERS) printed += text;
    },
  });
  const durationMs = Math.round(performance.now() - start);
  const { response, failure, warnings } = explainInvocation(result, executable.ownCode, limits.timeoutSeconds);
  const details = { durationMs, warnings, printed, exitKind: result.exitReason.kind };
  // Only what the code says itself can be expected: not that it was stopped, say.
  const isComparable = response !== undefined || (failure?.thrown !== undefined && result.exitReason.kind === 'failed');
  if (!isComparable) return { ...details, outcome: 'failed', message: failure?.message ?? '', failure };
  return { ...details, ...compareOutcome(expect, { response, thrown: failure?.thrown }, failure) };
}

function compareOutcome(
  expect: Expectation,
  outcome: InvocationOutcome,
  failure: InvocationFailure | undefined,
): Pick<CaseResult, 'outcome' | 'message' | 'mismatch' | 'failure' | 'updatedExpectation'> {
  const difference = findMismatch(expect, outcome);
  if (!difference) return { outcome: 'passed' };
  const message = failure && !expect.error ? failure.message : describeMismatch(expect, outcome);
  return {
    outcome: 'failed',
    message,
    mismatch: difference,
    failure,
    updatedExpectation: updateExpectation(expect, outcome),
  };
}

function describeMismatch({ error }: Expectation, { thrown }: InvocationOutcome): string {
  if (error) return thrown ? 'the code failed with another error than expected' : 'the code did not fail';
  return 'the response is not the expected one';
}
