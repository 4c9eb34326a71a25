/** The result of a pull: document, table, summary, and outcome. */

import type { Outcome } from '../errors.ts';
import type { View } from '../output/formats.ts';
import { combineOutcomes, countOutcomes, formatCounts } from '../sync/outcome.ts';
import type { PullResult } from '../sync/pull/write-formula.ts';
import { formatOutcome, outcomesView, toOutcomeItem } from './outcomes-view.ts';

const OUTCOMES = ['written', 'unchanged', 'kept', 'failed'] as const;

export const PULL_FIELDS: readonly string[] = ['folder', 'id', 'name', 'outcome', 'error'];

const countPulls = (results: readonly PullResult[]) => countOutcomes(results, 'outcome', OUTCOMES);

export const pullView = (results: readonly PullResult[]): View =>
  outcomesView(
    results.map((one) => ({ folder: one.folder, ...toOutcomeItem(one) })),
    OUTCOMES,
  );

/** The summary line: the number of formulas per outcome. */
export function formatPullSummary(results: readonly PullResult[]): string {
  const counts = countPulls(results);
  if (counts['unchanged'] === results.length) return `nothing to do: ${results.length} up to date`;
  return formatCounts(counts, formatOutcome);
}

/** Failures take precedence over skipped folders. They are partial (7) if a folder was written or reasons differ. */
export function decidePullOutcome(results: readonly PullResult[]): Outcome {
  const others = results.filter(({ outcome }) => outcome !== 'kept');
  const outcome = combineOutcomes(others);
  return outcome === 'ok' && others.length < results.length ? 'differs' : outcome;
}
