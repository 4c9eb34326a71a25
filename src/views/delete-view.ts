/** The result of `formula delete`: document, table, summary, and how to restore. */
import { toErrorDocument } from '../errors.ts';
import { escapeControls } from '../output/escape.ts';
import type { FieldSet } from '../output/fields.ts';
import type { View } from '../output/formats.ts';
import { DELETION_OUTCOMES, type Deletion } from '../sync/delete-formula.ts';
import { countOutcomes, formatCounts } from '../sync/outcome.ts';
import { tableView } from './list-view.ts';

export const DELETE_FIELDS: FieldSet = {
  known: ['id', 'name', 'outcome', 'error'],
};

const COLUMNS = [
  { title: 'OUTCOME', cell: ({ outcome }: Deletion) => outcome },
  { title: 'ID', cell: ({ formula: { id } }: Deletion) => id, kind: 'id' as const },
  { title: 'NAME', cell: ({ formula: { name } }: Deletion) => name, kind: 'name' as const },
];

export function deletionView(results: readonly Deletion[]): View {
  const items = results.map(({ formula: { id, name }, outcome, error }) => ({
    id,
    name,
    outcome,
    ...(error && outcome !== 'not_started' && toErrorDocument(error)),
  }));
  return {
    value: { schema_version: 1, items, summary: { total: items.length, ...countDeletions(results) } },
    table: tableView(results, COLUMNS).table,
  };
}

const countDeletions = (results: readonly Deletion[]) => countOutcomes(results, DELETION_OUTCOMES);

/** The summary line. */
export function formatDeletionSummary(results: readonly Deletion[]): string {
  const [first] = results;
  if (results.length === 1 && first)
    return escapeControls(`Deleted formula ${JSON.stringify(first.formula.name)} (${first.formula.id})`);
  return formatCounts(countDeletions(results));
}

/** Up to this many formulas, each has a line with the command that restores it. */
const MAX_RESTORE_LINES = 3;

/** The commands that restore the deleted formulas, if they were saved. */
export function formatRestoreLines(
  results: readonly Deletion[],
  command: (line: string, entry: string) => string,
): string[] {
  const saved = results.flatMap(({ outcome, entry }) => (outcome === 'deleted' && entry ? [entry] : []));
  const [first] = saved;
  if (first === undefined) return [];
  if (saved.length > MAX_RESTORE_LINES) return ['To find the versions to restore, run: formulary formula history'];
  if (saved.length === 1) return [`To restore it, run: ${command('formula restore', first)}`];
  return ['To restore them, run:', ...saved.map((entry) => `  ${command('formula restore', entry)}`)];
}
