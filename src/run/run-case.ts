/** One case of a formula: its request against the contract, one invocation, and the comparison. */
import { type Case, type Expectation, type Mismatch, mismatch, type Outcome, updatedExpectation } from './cases.ts';
import { argsDeviations, configurationDeviations } from './contract.ts';
import type { Runnable } from './executable.ts';
import { explain, type Failure } from './failure.ts';
import { invoke } from './invoke.ts';
import type { Ended } from './protocol.ts';

export interface CaseResult {
  outcome: 'passed' | 'failed';
  durationMs: number;
  /** Why it failed, in one sentence. */
  message?: string;
  mismatch?: Mismatch;
  /** Where the code failed. */
  failure?: Failure | undefined;
  warnings: readonly string[];
  /** What the code printed. */
  printed: string;
  /** The expectation that would have been met, where there can be one. */
  update?: Expectation;
  ended?: Ended['kind'];
}

export interface CaseLimits {
  nodePath: string;
  timeoutSeconds: number;
  stop: AbortSignal;
}

const MAX_PRINTED = 20_000;

/** Runs the case in a process of its own. Never throws. */
export async function runCase(runnable: Runnable, example: Case, limits: CaseLimits): Promise<CaseResult> {
  const { args, configuration, expect } = example;
  const { request_parameters: parameters, configuration: elements } = runnable.contract;
  const deviations = [...argsDeviations(args, parameters), ...configurationDeviations(configuration, elements)];
  if (deviations.length > 0) {
    const message = `the case breaks the contract, so the code would not run: ${deviations.map((one) => one.message).join('; ')}`;
    return { outcome: 'failed', durationMs: 0, message, warnings: [], printed: '' };
  }
  const start = performance.now();
  let printed = '';
  const invoked = await invoke({
    ...runnable,
    ...limits,
    args,
    configuration,
    onOutput: (text) => {
      if (printed.length < MAX_PRINTED) printed += text;
    },
  });
  const durationMs = Math.round(performance.now() - start);
  const { response, failure, warnings } = explain(invoked, runnable.own, limits.timeoutSeconds);
  const facts = { durationMs, warnings, printed, ended: invoked.ended.kind };
  // Only what the code says itself can be expected: not that it was stopped, say.
  const isComparable = response !== undefined || (failure?.thrown !== undefined && invoked.ended.kind === 'failed');
  if (!isComparable) return { ...facts, outcome: 'failed', message: failure?.message ?? '', failure };
  return { ...facts, ...compared(expect, { response, thrown: failure?.thrown }, failure) };
}

function compared(
  expect: Expectation,
  outcome: Outcome,
  failure: Failure | undefined,
): Pick<CaseResult, 'outcome' | 'message' | 'mismatch' | 'failure' | 'update'> {
  const difference = mismatch(expect, outcome);
  if (!difference) return { outcome: 'passed' };
  const message = failure && !expect.error ? failure.message : messageOf(expect, outcome);
  return { outcome: 'failed', message, mismatch: difference, failure, update: updatedExpectation(expect, outcome) };
}

function messageOf({ error }: Expectation, { thrown }: Outcome): string {
  if (error) return thrown ? 'the code failed with another error than expected' : 'the code did not fail';
  return 'the response is not the expected one';
}
