/** The result of commands that write, delete, or pull several formulas or applications: an outcome for each. */
import { type CliError, toErrorDocument } from '../errors.ts';
import type { NamedFormula } from '../model.ts';
import type { View } from '../output/formats.ts';
import type { Column } from '../output/tsv.ts';
import { countOutcomes } from '../sync/outcome.ts';
import { tableView, toDocument } from './list-view.ts';
import { statusColumn, withIcon } from './status-icons.ts';

export const OUTCOME_FIELDS: readonly string[] = ['id', 'name', 'outcome', 'error'];

/** An item of the document. */
interface OutcomeItem {
  /** Of commands that have folders. */
  folder?: string;
  id: string | null;
  name: string | null;
  outcome: string;
  overwrites?: boolean;
  breaking?: unknown;
}

export const toOutcomeItem = ({
  formula: { id, name },
  outcome,
  error,
}: {
  formula: NamedFormula;
  outcome: string;
  error?: CliError | undefined;
}) => ({ id, name, outcome, ...(error && outcome !== 'not_started' && toErrorDocument(error)) });

/** How people are told of an outcome. */
export const formatOutcome = (outcome: string) => (outcome === 'kept' ? 'skipped' : outcome.replace('_', ' '));

const formatNote = ({ overwrites, breaking }: OutcomeItem) =>
  [...(overwrites ? ['overwrites'] : []), ...(breaking ? ['breaking'] : [])].join(', ');

const COLUMNS: readonly Column<OutcomeItem>[] = [
  {
    ...statusColumn('OUTCOME', ({ outcome }) => outcome),
    terminalCell: ({ outcome }) => withIcon(outcome === 'kept' ? 'skipped' : outcome),
  },
  { title: 'FOLDER', cell: ({ folder = '' }) => folder, kind: 'path' },
  { title: 'ID', cell: ({ id }) => id ?? '', kind: 'id' },
  { title: 'NAME', cell: ({ name }) => name ?? '', kind: 'name' },
  { title: 'NOTE', cell: formatNote },
];

/** `outcomes` are all that are possible. A table of folders has no unchanged ones on a terminal. */
export function outcomesView(items: readonly OutcomeItem[], outcomes: readonly string[]): View {
  return {
    value: toDocument(items, countOutcomes(items, 'outcome', outcomes)),
    table: (target) => {
      const hasFolders = items.some(({ folder }) => folder !== undefined);
      const shown = items.filter(({ outcome }) => !(hasFolders && target.isTerminal && outcome === 'unchanged'));
      const rows = hasFolders ? joinNotStarted(shown) : shown;
      const optional: Readonly<Record<string, boolean>> = { FOLDER: hasFolders, NOTE: rows.some(formatNote) };
      return tableView(
        rows,
        COLUMNS.filter(({ title }) => optional[title] ?? true),
      ).table(target);
    },
  };
}

/** What was not started has one cause, so it is one row. */
function joinNotStarted(items: readonly OutcomeItem[]): readonly OutcomeItem[] {
  const others = items.filter(({ outcome }) => outcome !== 'not_started');
  const count = items.length - others.length;
  if (count < 2) return items;
  return [...others, { folder: `${count} folders`, id: null, name: null, outcome: 'not_started' }];
}
