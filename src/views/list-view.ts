/** Lists and single objects as tables. */
import { escapeControls } from '../output/escape.ts';
import { formatCell, type View } from '../output/formats.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { type Column, formatTsv } from '../output/tsv.ts';

/** A column of timestamps: unchanged in a pipe, relative to `now` on a terminal. */
export const timeColumn = <Item>(title: string, getTime: (item: Item) => unknown, now: Date) => ({
  title,
  cell: (item: Item) => formatCell(getTime(item)),
  terminalCell: (item: Item) => {
    const value = getTime(item);
    return typeof value === 'string' ? formatRelativeTime(value, now) : formatCell(value);
  },
});

/** A list of items; as a table, a row per item. Table modules are loaded when a table is printed. */
export function tableView<Item>(items: readonly Item[], columns: readonly Column<Item>[]): View {
  return {
    value: items,
    table: async (target) => {
      if (!target.isTerminal || items.length === 0) return formatTsv(items, columns);
      const { formatTable } = await import('../output/table.ts');
      const { createStyle } = await import('../output/style.ts');
      const style = createStyle(target);
      return formatTable(items, columns, target.columns, {
        redact: target.redact,
        colorize: (text, tone) => (tone ? style[tone](text) : text),
      });
    },
  };
}

/** The document of a command with several results; its summary has their total, then `counts`. */
export const toDocument = (items: readonly unknown[], counts: Readonly<Record<string, number>>) => ({
  schema_version: 1,
  items,
  summary: { total: items.length, ...counts },
});

/** A row of `fieldsView`. */
export interface FieldRow {
  key: string;
  text: string;
}

const FIELD_COLUMNS = [
  { title: 'FIELD', cell: ({ key }: FieldRow) => key },
  { title: 'VALUE', cell: ({ text }: FieldRow) => text },
];

/** A single object; as a table, a row per field. */
export function fieldsView(value: unknown, fields: readonly FieldRow[]): View {
  return {
    value,
    table: async (target) => {
      if (!target.isTerminal) return formatTsv(fields, FIELD_COLUMNS);
      const { formatDefinitionList } = await import('../output/wrap.ts');
      const { createStyle } = await import('../output/style.ts');
      const rows = fields.map(({ key, text }) => [escapeControls(key), target.redact(escapeControls(text))] as const);
      const lines = formatDefinitionList(rows, {
        width: target.columns,
        keepsWords: true,
        colorize: createStyle(target).faint,
      });
      return lines.map((line) => `${line}\n`).join('');
    },
  };
}
