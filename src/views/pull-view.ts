/** What a pull did, as an answer, a line, and the outcome of the whole. */
import { type Outcome, toErrorDocument } from '../errors.ts';
import type { View } from '../output/formats.ts';
import { combineFailures } from '../sync/outcome.ts';
import type { PullResult } from '../sync/pull/write-formula.ts';
import { tableView } from './list-view.ts';
import { statusColumn } from './status-icons.ts';

const OUTCOMES = ['written', 'unchanged', 'kept', 'failed'] as const;

const COLUMNS = [
  statusColumn('OUTCOME', ({ outcome }: PullResult) => outcome),
  { title: 'FOLDER', cell: ({ folder }: PullResult) => folder },
  { title: 'ID', cell: ({ formula }: PullResult) => formula.id, isUntruncated: true },
  { title: 'NAME', cell: ({ formula }: PullResult) => formula.name },
];

/** The result document; on a terminal a table of what is not as it was before. */
export function pullView(results: readonly PullResult[]): View {
  const items = results.map(({ folder, formula: { id, name }, outcome, error }) => ({
    folder,
    id,
    name,
    outcome,
    ...(error && toErrorDocument(error)),
  }));
  return {
    value: { schema_version: 1, items, summary: { total: items.length, ...countPullOutcomes(results) } },
    table: (target) => {
      const shown = target.isTerminal ? results.filter(({ outcome }) => outcome !== 'unchanged') : results;
      return shown.length === 0 ? '' : tableView(shown, COLUMNS).table(target);
    },
  };
}

/** How many ended in which way. */
export function formatPullSummary(results: readonly PullResult[]): string {
  const counts = countPullOutcomes(results);
  if (counts['unchanged'] === results.length) return `nothing to do: ${results.length} up to date`;
  return OUTCOMES.filter((outcome) => (counts[outcome] ?? 0) > 0)
    .map((outcome) => `${counts[outcome]} ${outcome}`)
    .join(', ');
}

/** Failures beat what was kept; their one reason counts where nothing was written, else the outcomes are mixed. */
export function decidePullOutcome(results: readonly PullResult[]): Outcome {
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  if (failures.length > 0) {
    return combineFailures(
      failures.map(({ error }) => error?.outcome ?? 'failed'),
      { hasOthers: results.some(({ outcome }) => outcome === 'written') },
    );
  }
  return results.some(({ outcome }) => outcome === 'kept') ? 'differs' : 'ok';
}

const countPullOutcomes = (results: readonly PullResult[]): Record<string, number> =>
  Object.fromEntries(OUTCOMES.map((name) => [name, results.filter(({ outcome }) => outcome === name).length]));
