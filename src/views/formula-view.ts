/** The output of commands that print formulas or requests. */
import { CONTENT_FIELDS, isElementsField } from '../formula-fields.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { joinText, type View } from '../output/formats.ts';
import type { Column } from '../output/tsv.ts';
import { type FieldRow, fieldsView, tableView, timeColumn } from './list-view.ts';
import { statusColumn } from './status-icons.ts';

/** The fields of the specification, in its order. */
export const FORMULA_FIELDS: readonly string[] = [
  'id',
  ...CONTENT_FIELDS.flatMap((field) => (field === 'type' ? [field, 'status'] : [field])),
  'created_at',
  'created_by',
  'modified_at',
  'modified_by',
];

/** The fields of the request of a --dry-run. */
export const REQUEST_FIELDS: readonly string[] = ['method', 'path', 'body'];

const LIST_COLUMNS: readonly Column<Formula>[] = [
  { title: 'ID', cell: ({ id }) => id, kind: 'id' },
  { title: 'NAME', cell: ({ name }) => name, kind: 'name' },
  statusColumn('TYPE', ({ type }) => type ?? ''),
  statusColumn('STATUS', ({ status }) => status ?? ''),
];

/** The formulas as the service returned them; as a table, the main fields. */
export const formulaListView = (formulas: readonly Formula[], now: Date): View =>
  tableView(formulas, [
    ...LIST_COLUMNS,
    {
      ...timeColumn('MODIFIED', ({ modified_at }: Formula) => modified_at, now),
      terminalCell: timeColumn('', ({ modified_at, created_at }: Formula) => modified_at ?? created_at, now)
        .terminalCell,
      isOptional: true,
    },
  ]);

/** The formula as the service returned it; as a table, a card on a terminal, or one line per field in a pipe. */
export const formulaView = (formula: Formula, now: Date): View => ({
  value: formula,
  table: async (target) => {
    if (!target.isTerminal) return fieldsView(formula, toFields(formula)).table(target);
    const { formatFormulaCard } = await import('./formula-card.ts');
    return formatFormulaCard(formula, now, target);
  },
});

/** The same after a write: nothing on a terminal, where the summary tells it, unless it is verbose. */
export const writtenFormulaView = (formula: Formula, now: Date, isVerbose: boolean): View => ({
  value: formula,
  table: (target) => (target.isTerminal && !isVerbose ? '' : formulaView(formula, now).table(target)),
});

function toFields(formula: Formula | FormulaBody): FieldRow[] {
  return Object.entries(formula).map(([key, value]) => ({ key, text: formatField(key, value) }));
}

function formatField(key: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (key === 'code') return `${Buffer.byteLength(String(value))} bytes`;
  if (key === 'icon')
    return `${/^data:image\/[a-z+]{1,10}(?=;)/.exec(String(value))?.[0] ?? 'not an image data URL'}, ${String(value).length} characters`;
  if (isElementsField(key)) return formatContract(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `name: type` of each element; optional ones with a question mark. */
function formatContract(elements: unknown): string {
  if (!Array.isArray(elements)) return JSON.stringify(elements);
  return elements.map((element) => `${element?.name}${element?.optional ? '?' : ''}: ${element?.type}`).join(', ');
}

/** The request of a --dry-run, as it would be sent. */
export function requestView(request: { method: string; path: readonly string[]; body: FormulaBody }): View {
  const { method, body } = request;
  const line = `/${request.path.join('/')}`;
  const value = { method, path: line, body };
  const { table } = fieldsView(value, toFields(body));
  return {
    value,
    table: async (target) => `${method} ${line}\n${joinText(await table(target))}`,
  };
}

/** The request of a --dry-run that would send nothing. */
export const EMPTY_REQUEST_VIEW: View = { value: {}, table: () => '' };
