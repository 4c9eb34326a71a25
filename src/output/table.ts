/** Tables aligned to the width of a terminal. */
import Table from 'cli-table3';
import stringWidth from 'string-width';
import { visible } from './escape.ts';
import { cutTo } from './truncate.ts';
import type { Column, Tone } from './tsv.ts';
import { labelled } from './wrap.ts';

const GAP = 2;
const MIN_WIDTH = 4;
const LEAST_READABLE = 8;

/** The rows as blocks with a line for each cell, where a line has no room for all of them. */
function oneBelowAnother<Row>(
  cells: readonly (readonly string[])[],
  columns: readonly Column<Row>[],
  width: number,
  paint: NonNullable<Looks['paint']>,
): string {
  const blocks = cells.map((texts) => {
    const rows = texts.flatMap((text, i) =>
      text.trim() === '' ? [] : [[cutTo(columns[i]?.title ?? '', width >> 1), text.trim()] as const],
    );
    return labelled(rows, { width, paint: (label) => paint(label, 'faint') });
  });
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** How texts are shown. */
interface Looks {
  /** Takes secrets out of a cell before it is cut. */
  hide?(text: string): string;
  paint?(text: string, tone: Tone | undefined): string;
}

const toneIn = <Row>(row: Row | undefined, column: Column<Row> | undefined) =>
  row === undefined ? undefined : column?.tone?.(row);

/**
 * Aligned columns under a heading; no line is wider than `width` terminal cells as long as each column can have
 * four. Where that would leave too little to read, or cut what is to stay whole, a line for each cell. Cells are foreign text; what is too long ends in `…`.
 */
export function aligned<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  { hide = (text) => text, paint = (text) => text }: Looks = {},
): string {
  const cells = rows.map((row) => columns.map(({ cell, shown = cell }) => hide(visible(shown(row)))));
  const extra = columns.findLastIndex(({ isExtra }) => isExtra);
  const natural = columns.map(({ title }, i) =>
    Math.max(...[title, ...cells.map((row) => row[i] ?? '')].map(stringWidth)),
  );
  const widths = fitted(natural, columns, width);
  const isCut = widths.some((cells, i) => cells < (natural[i] ?? 0));
  if (isCut && extra >= 0) return aligned(rows, columns.toSpliced(extra, 1), width, { hide, paint });
  const least = (i: number) => (columns[i]?.isWhole ? Number.POSITIVE_INFINITY : LEAST_READABLE);
  const isUnreadable = widths.some((cells, i) => cells < Math.min(least(i), natural[i] ?? 0));
  if (isUnreadable && columns.length > 1 && rows.length > 0) return oneBelowAnother(cells, columns, width, paint);
  // The table would cut in the middle of a character.
  const cut = (text: string, i: number) => cutTo(text, widths[i] ?? 0);
  const table = new Table({
    head: columns.map(({ title }, i) => paint(cut(title, i), 'strong')),
    colWidths: widths.map((cellWidth) => cellWidth + GAP),
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
  });
  for (const [row, texts] of cells.entries()) {
    table.push(texts.map((text, i) => paint(cut(text, i), toneIn(rows[row], columns[i]))));
  }
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
