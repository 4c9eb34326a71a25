/** How a run over several things ended as a whole. Pure. */
import type { Outcome } from '../errors.ts';
import type { StepOutcome, StepResult } from './push/apply.ts';

export const STEP_OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'deleted',
  'conflict',
  'failed',
  'unknown',
  'not_started',
] as const satisfies readonly StepOutcome[];

const WRITE_OUTCOMES: readonly StepOutcome[] = ['created', 'updated', 'deleted'];

/**
 * The outcome of a run: ok when nothing failed; the one reason when everything failed for it, or when nothing was
 * written; else partial. What was not begun counts as failed only when it is all that did.
 */
export function combineOutcomes(results: readonly StepResult[]): Outcome {
  const failed = results.filter(({ error }) => error !== undefined);
  if (failed.length === 0) return results.some(({ outcome }) => outcome === 'not_started') ? 'partial' : 'ok';
  const hasWritten = results.some(({ outcome }) => WRITE_OUTCOMES.includes(outcome) || outcome === 'unknown');
  return combineFailures(
    failed.map(({ error }) => error?.outcome as Outcome),
    { hasOthers: hasWritten && failed.length < results.length },
  );
}

/** The outcome of a run with failures: their one reason, unless there are others that were written. */
export function combineFailures(reasons: readonly Outcome[], { hasOthers }: { hasOthers: boolean }): Outcome {
  const [reason = 'failed', ...more] = new Set(reasons);
  return more.length === 0 && !hasOthers ? reason : 'partial';
}

/** How many steps ended in which way, all ways named. */
export function countOutcomes(outcomes: readonly string[], names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, outcomes.filter((outcome) => outcome === name).length]));
}
