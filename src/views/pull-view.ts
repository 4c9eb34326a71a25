/** The result of a pull: document, table, summary, and outcome. */
import { type Outcome, toErrorDocument } from '../errors.ts';
import type { View } from '../output/formats.ts';
import type { Column } from '../output/tsv.ts';
import { combineFailures, countOutcomes, formatCounts } from '../sync/outcome.ts';
import type { PullResult } from '../sync/pull/write-formula.ts';
import { tableView, toDocument } from './list-view.ts';
import { statusColumn, withIcon } from './status-icons.ts';

const OUTCOMES = ['written', 'unchanged', 'kept', 'failed'] as const;

export const PULL_FIELDS: readonly string[] = ['folder', 'id', 'name', 'outcome', 'error'];

const COLUMNS: readonly Column<PullResult>[] = [
  {
    ...statusColumn('OUTCOME', ({ outcome }) => outcome),
    terminalCell: ({ outcome }) => withIcon(formatOutcome(outcome)),
  },
  { title: 'FOLDER', cell: ({ folder }) => folder, kind: 'path' },
  { title: 'ID', cell: ({ formula }) => formula.id, kind: 'id' },
  { title: 'NAME', cell: ({ formula }) => formula.name, kind: 'name' },
];

const countPulls = (results: readonly PullResult[]) => countOutcomes(results, 'outcome', OUTCOMES);

const formatOutcome = (outcome: string) => (outcome === 'kept' ? 'skipped' : outcome);

/** The result document; on a terminal, a table without unchanged folders. */
export function pullView(results: readonly PullResult[]): View {
  const items = results.map(({ folder, formula: { id, name }, outcome, error }) => ({
    folder,
    id,
    name,
    outcome,
    ...(error && toErrorDocument(error)),
  }));
  return {
    value: toDocument(items, countPulls(results)),
    table: (target) => {
      const rows = target.isTerminal ? results.filter(({ outcome }) => outcome !== 'unchanged') : results;
      return rows.length === 0 ? '' : tableView(rows, COLUMNS).table(target);
    },
  };
}

/** The summary line: the number of formulas per outcome. */
export function formatPullSummary(results: readonly PullResult[]): string {
  const counts = countPulls(results);
  if (counts['unchanged'] === results.length) return `nothing to do: ${results.length} up to date`;
  return formatCounts(counts, formatOutcome);
}

/** Failures take precedence over skipped folders. They are partial (7) if a folder was written or reasons differ. */
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
