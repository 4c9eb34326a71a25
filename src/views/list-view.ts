/** A list as an answer: the items for programs, their rows for people. */
import { visible } from '../output/escape.ts';
import { type Answer, cellText } from '../output/formats.ts';
import { relativeTime } from '../output/relative-time.ts';
import { type Column, tabSeparated } from '../output/tsv.ts';

/** A column of moments: as they are in a pipe, and from now on a terminal. */
export const timeColumn = <Item>(title: string, at: (item: Item) => unknown, now: Date) => ({
  title,
  cell: (item: Item) => cellText(at(item)),
  shown: (item: Item) => {
    const moment = at(item);
    return typeof moment === 'string' ? relativeTime(moment, now) : cellText(moment);
  },
});

/** Makes an answer of items; what a table needs is loaded when one is printed. Long cells give way to the width. */
export function tableAnswer<Item>(items: readonly Item[], columns: readonly Column<Item>[]): Answer {
  return {
    value: items,
    table: async (paper) => {
      if (!paper.isTerminal) return tabSeparated(items, columns);
      const { aligned } = await import('../output/table.ts');
      const { styleOf } = await import('../output/style.ts');
      const style = styleOf(paper);
      return aligned(items, columns, paper.columns, {
        hide: paper.hide,
        paint: (text, tone) => (tone ? style[tone](text) : text),
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
export function fieldsAnswer(value: unknown, fields: readonly Field[]): Answer {
  return {
    value,
    table: async (paper) => {
      if (!paper.isTerminal) return tabSeparated(fields, FIELD_COLUMNS);
      const { labelled } = await import('../output/wrap.ts');
      const { styleOf } = await import('../output/style.ts');
      const rows = fields.map(({ key, text }) => [visible(key), paper.hide(visible(text))] as const);
      const lines = labelled(rows, { width: paper.columns, keepsWords: true, paint: styleOf(paper).faint });
      return lines.map((line) => `${line}\n`).join('');
    },
  };
}
