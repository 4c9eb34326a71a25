/** A list as an answer: the items for programs, their rows for people. */
import type { Answer } from '../output/formats.ts';
import type { Column } from '../output/table.ts';

/** Makes an answer of items; what a table needs is loaded when one is printed. */
export function tableAnswer<Item>(items: readonly Item[], columns: readonly Column<Item>[]): Answer {
  return {
    value: items,
    table: async (paper) => {
      const { aligned, tabSeparated } = await import('../output/table.ts');
      if (!paper.isTerminal) return tabSeparated(items, columns);
      const { styleOf } = await import('../output/style.ts');
      return aligned(items, columns, paper.columns, styleOf(paper).strong);
    },
  };
}
