/** The outcome of a command over several items. Pure. */
import type { CliError, Outcome } from '../errors.ts';

export const STEP_OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'deleted',
  'conflict',
  'failed',
  'unknown',
  'not_started',
  'invalid',
] as const;

export type StepOutcome = (typeof STEP_OUTCOMES)[number];

const WRITE_OUTCOMES: readonly string[] = ['created', 'updated', 'deleted', 'restored'];

/**
 * The outcome of all results: ok without failures; the common reason if all failed or nothing was written; otherwise
 * partial. Without other failures, results that were not started are partial too.
 */
export function combineOutcomes(results: readonly { outcome: string; error?: CliError | undefined }[]): Outcome {
  const failed = results.filter(({ error }) => error !== undefined);
  if (failed.length === 0) return results.some(({ outcome }) => outcome === 'not_started') ? 'partial' : 'ok';
  const hasWritten = results.some(({ outcome }) => WRITE_OUTCOMES.includes(outcome) || outcome === 'unknown');
  return combineFailures(
    failed.map(({ error }) => error?.outcome as Outcome),
    { hasOthers: hasWritten && failed.length < results.length },
  );
}

/** The outcome of failures: their common reason, or partial if other items were written. */
export function combineFailures(reasons: readonly Outcome[], { hasOthers }: { hasOthers: boolean }): Outcome {
  const [reason = 'failed', ...more] = new Set(reasons);
  return more.length === 0 && !hasOthers ? reason : 'partial';
}

/** How to undo a command that replaced or deleted several formulas. */
export const formatUndo = (count: number, undoCommand: string | undefined): string | undefined =>
  count > 1 && undoCommand !== undefined ? `To restore the previous versions, run: ${undoCommand}` : undefined;

/** What became of an item whose write raised an error. */
export function toFailedOutcome({ outcome }: CliError): 'failed' | 'unknown' | 'not_started' {
  if (outcome === 'interrupted') return 'not_started';
  return outcome === 'unknown' ? 'unknown' : 'failed';
}

/** `2 created, 1 not started`: the outcomes that occur. */
export const formatCounts = (
  counts: Readonly<Record<string, number>>,
  formatOutcome = (outcome: string) => outcome.replace('_', ' '),
): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${formatOutcome(outcome)}`)
    .join(', ');

/** How many of the items have each of the possible outcomes, also if it is 0. */
export function countOutcomes<Key extends string, Name extends string>(
  items: readonly Readonly<Record<Key, string>>[],
  key: Key,
  names: readonly Name[],
): Record<Name, number> {
  const counts = names.map((name) => [name, items.filter((item) => item[key] === name).length]);
  return Object.fromEntries(counts) as Record<Name, number>;
}
