/** Tables: aligned to the width of a terminal, and bare tab-separated lines in a pipe. */
import Table from 'cli-table3';
import stringWidth from 'string-width';
import { visible } from './escape.ts';

/** A column: its heading and the text of its cells. */
export interface Column<Row> {
  title: string;
  cell(row: Row): string;
  /** Worth more room than the others: an id is of no use when it is cut. */
  isWhole?: boolean;
}

const GAP = 2;
const MIN_WIDTH = 4;

/** One line a row, cells divided by tabs, without a heading; nothing is cut. Cells are foreign text. */
export function tabSeparated<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  return rows.map((row) => `${columns.map(({ cell }) => visible(cell(row))).join('\t')}\n`).join('');
}

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
  const cells = rows.map((row) => columns.map(({ cell }) => hide(visible(cell(row)))));
  const natural = columns.map(({ title }, i) =>
    Math.max(...[title, ...cells.map((row) => row[i] ?? '')].map(stringWidth)),
  );
  const table = new Table({
    head: columns.map(({ title }) => heading(title)),
    colWidths: fitted(natural, columns, width).map((cellWidth) => cellWidth + GAP),
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
  });
  table.push(...cells);
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
