/** Applies a plan, with a progress bar on a terminal, otherwise with --verbose one line per step. */
import { createMonotonicClock } from '../../../host/monotonic-clock.ts';
import { startProgress } from '../../../output/progress.ts';
import type { Session, WriteSession } from '../../../session/session.ts';
import { formatUndo, type StepOutcome } from '../../../sync/outcome.ts';
import { applySteps, completeResults } from '../../../sync/push/apply.ts';
import type { StepResult } from '../../../sync/push/plan.ts';
import type { PushPlan } from '../../../sync/push/plan-push.ts';
import { formatResultNotes, formatStepResult } from '../../../views/push-view.ts';
import type { PushOptions } from './options.ts';
import { type AppliedPush, printFailures } from './print-results.ts';

export async function applyPlan(
  plan: PushPlan,
  { client, saveVersion, recordCreated, undoCommand }: WriteSession,
  { concurrency, failFast }: Pick<PushOptions, 'concurrency' | 'failFast'>,
  { host, note, warn, isVerbose, signal }: Session,
): Promise<AppliedPush> {
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'push', plan.steps.length);
  const applied: StepResult[] = [];
  for await (const result of applySteps(plan, { client, saveVersion, concurrency, failFast, signal })) {
    applied.push(result);
    progress.step(result.error !== undefined);
    if (isVerbose && !host.stderr.isTerminal) note(formatStepResult(result));
  }
  progress.end();
  const { results, warnings } = await completeResults(plan, applied, client);
  [...results.flatMap((one) => one.note ?? []), ...warnings].forEach(warn);
  printFailures(results, host);
  formatResultNotes(results).forEach(note);
  recordCreated(listFormulas(results, 'created'));
  const undo = formatUndo(listFormulas(results, 'updated', 'deleted').length, undoCommand);
  const flushError = await plan.tracking.flush(...listRelinked(results)).catch((error: unknown) => error);
  return { results, undo, flushError };
}

const listFormulas = (results: readonly StepResult[], ...outcomes: StepOutcome[]) =>
  results.flatMap(({ id, name, outcome }) =>
    outcomes.includes(outcome) && id !== undefined && name !== null ? [{ id, name }] : [],
  );

/** The formulas whose entries in the lock file changed. */
const listRelinked = (results: readonly StepResult[]) =>
  results.flatMap(({ id, name, step, outcome }) => {
    const isMoved = step?.movedFrom !== undefined && ['updated', 'unchanged'].includes(outcome);
    const isRenamed = step?.renamedFrom !== undefined && outcome === 'updated';
    const isRelinked = outcome === 'created' || outcome === 'deleted' || isRenamed || isMoved;
    return isRelinked && id !== undefined && name !== null ? [{ id, name }] : [];
  });
