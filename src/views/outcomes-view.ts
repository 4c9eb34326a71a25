/** The result of `formula delete`, `restore --run`, and `service application delete`: the outcome for each formula or application. */
import { type CliError, toErrorDocument } from '../errors.ts';
import type { View } from '../output/formats.ts';
import type { Column } from '../output/tsv.ts';
import type { NamedFormula } from '../state/history-entries.ts';
import { countOutcomes } from '../sync/outcome.ts';
import { tableView, toDocument } from './list-view.ts';
import { statusColumn } from './status-icons.ts';

export const OUTCOME_FIELDS: readonly string[] = ['id', 'name', 'outcome', 'error'];

interface FormulaOutcome {
  formula: NamedFormula;
  outcome: string;
  error?: CliError | undefined;
}

const COLUMNS: readonly Column<FormulaOutcome>[] = [
  statusColumn('OUTCOME', ({ outcome }) => outcome),
  { title: 'ID', cell: ({ formula: { id } }) => id, kind: 'id' },
  { title: 'NAME', cell: ({ formula: { name } }) => name, kind: 'name' },
];

/** `outcomes` are all that are possible. */
export function outcomesView(results: readonly FormulaOutcome[], outcomes: readonly string[]): View {
  const items = results.map(({ formula: { id, name }, outcome, error }) => ({
    id,
    name,
    outcome,
    ...(error && outcome !== 'not_started' && toErrorDocument(error)),
  }));
  return {
    value: toDocument(items, countOutcomes(results, 'outcome', outcomes)),
    table: tableView(results, COLUMNS).table,
  };
}
