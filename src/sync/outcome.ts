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

/** Those of an item that was written, or may have been. */
const WRITE_OUTCOMES = ['created', 'updated', 'deleted', 'restored', 'written', 'edited', 'unknown'];

/**
 * The outcome of all results: ok without failures; the common reason if all failed or nothing was written; otherwise
 * partial. Without other failures, results that were not started are partial too.
 */
export function combineOutcomes(results: readonly { outcome?: string; error?: CliError | undefined }[]): Outcome {
  const failures = results.flatMap(({ error }) => error?.outcome ?? []);
  if (failures.length === 0) return results.some(({ outcome }) => outcome === 'not_started') ? 'partial' : 'ok';
  const hasWritten = results.some(({ outcome = '' }) => WRITE_OUTCOMES.includes(outcome));
  const [reason = 'failed', ...more] = new Set(failures);
  return more.length > 0 || (hasWritten && failures.length < results.length) ? 'partial' : reason;
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
