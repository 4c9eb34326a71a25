/** A list as an answer: the items for programs, their rows for people. */
import { escapeControls } from '../output/escape.ts';
import { formatCell, type View } from '../output/formats.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { type Column, formatTsv } from '../output/tsv.ts';

/** A column of moments: as they are in a pipe, and from now on a terminal. */
export const timeColumn = <Item>(title: string, getTime: (item: Item) => unknown, now: Date) => ({
  title,
  cell: (item: Item) => formatCell(getTime(item)),
  terminalCell: (item: Item) => {
    const value = getTime(item);
    return typeof value === 'string' ? formatRelativeTime(value, now) : formatCell(value);
  },
});

/** Makes an answer of items; what a table needs is loaded when one is printed. Long cells give way to the width. */
export function tableView<Item>(items: readonly Item[], columns: readonly Column<Item>[]): View {
  return {
    value: items,
    table: async (target) => {
      if (!target.isTerminal) return formatTsv(items, columns);
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

/** One line of an answer about one thing. */
export interface Field {
  key: string;
  text: string;
}

const FIELD_COLUMNS = [
  { title: 'FIELD', cell: ({ key }: Field) => key },
  { title: 'VALUE', cell: ({ text }: Field) => text },
];

/** One thing as an answer: the value for programs, and each field behind its name, with all words whole, for people. */
export function fieldsView(value: unknown, fields: readonly Field[]): View {
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
