/** How a run over several things ended as a whole. Pure. */
import type { Outcome } from '../errors.ts';
import type { StepOutcome, StepResult } from './apply.ts';

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

const IS_WRITE: readonly StepOutcome[] = ['created', 'updated', 'deleted'];

/**
 * The outcome of a run: ok when nothing failed; the one reason when everything failed for it, or when nothing was
 * written; else partial. What was not begun counts as failed only when it is all that did.
 */
export function runOutcome(results: readonly StepResult[]): Outcome {
  const failed = results.filter(({ error }) => error !== undefined);
  const reasons = new Set(failed.map(({ error }) => error?.outcome as Outcome));
  const [reason] = reasons;
  if (reason === undefined) return results.some(({ outcome }) => outcome === 'not_started') ? 'partial' : 'ok';
  const hasWritten = results.some(({ outcome }) => IS_WRITE.includes(outcome) || outcome === 'unknown');
  const isAll = failed.length === results.length;
  return reasons.size === 1 && (isAll || !hasWritten) ? reason : 'partial';
}

/** How many steps ended in which way, all ways named. */
export function countOutcomes(outcomes: readonly string[], names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, outcomes.filter((outcome) => outcome === name).length]));
}
