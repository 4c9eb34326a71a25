/** Tables aligned to the width of a terminal. */
import Table from 'cli-table3';
import stringWidth from 'string-width';
import { cutTo } from './cut-to.ts';
import { visible } from './escape.ts';
import type { Column } from './tab-separated.ts';

const GAP = 2;
const MIN_WIDTH = 4;

/**
 * Aligned columns under a heading; no line is wider than `width` terminal cells as long as each column can have
 * four. Cells are foreign text; what is too long ends in `…`. `heading` may colour a title, and `hide` takes secrets out
 * of a cell before it is cut.
 */
export function aligned<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  heading: (title: string) => string,
  hide: (text: string) => string = (text) => text,
): string {
  const cells = rows.map((row) => columns.map(({ cell, shown = cell }) => hide(visible(shown(row)))));
  const natural = columns.map(({ title }, i) =>
    Math.max(...[title, ...cells.map((row) => row[i] ?? '')].map(stringWidth)),
  );
  const widths = fitted(natural, columns, width);
  // The table would cut in the middle of a character.
  const cut = (text: string, i: number) => cutTo(text, widths[i] ?? 0);
  const table = new Table({
    head: columns.map(({ title }, i) => heading(cut(title, i))),
    colWidths: widths.map((cellWidth) => cellWidth + GAP),
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
  });
  table.push(...cells.map((row) => row.map(cut)));
  return `${table.toString().replace(/[ ]+$/gm, '')}\n`;
}

const SIDES = ['top', 'bottom', 'left', 'right', 'mid'];
const NO_BORDERS = Object.fromEntries(
  [...SIDES, 'middle', ...SIDES.flatMap((side) => ['mid', 'left', 'right'].map((end) => `${side}-${end}`))].map(
    (name) => [name, ''],
  ),
);

/** Takes from the widest column until the table fits; from one that should stay whole only when nothing else is left. */
function fitted(natural: readonly number[], columns: readonly { isWhole?: boolean }[], width: number): number[] {
  const widths = [...natural];
  const excess = () => widths.reduce((sum, cells) => sum + cells, GAP * (widths.length - 1)) - width;
  for (const takesAll of [false, true]) {
    const takeable = widths.map((_, i) => i).filter((i) => takesAll || !columns[i]?.isWhole);
    while (excess() > 0) {
      const widest = takeable.reduce(
        (best, i) => ((widths[i] ?? 0) > (widths[best] ?? 0) ? i : best),
        takeable[0] ?? 0,
      );
      if ((widths[widest] ?? 0) <= MIN_WIDTH) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}
