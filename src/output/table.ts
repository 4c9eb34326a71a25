/** Tables that fit the width of a terminal. */
import Table from 'cli-table3';
import stringWidth from 'string-width';
import { escapeControls } from './escape.ts';
import { truncate } from './truncate.ts';
import type { Column, Tone } from './tsv.ts';
import { formatDefinitionList } from './wrap.ts';

const GAP = 2;
const MIN_WIDTH = 4;
const MIN_READABLE_WIDTH = 8;

/** The rows as blocks with one line per cell, for narrow terminals. */
function formatBlocks<Row>(
  cells: readonly (readonly string[])[],
  columns: readonly Column<Row>[],
  width: number,
  colorize: NonNullable<TableOptions['colorize']>,
): string {
  const blocks = cells.map((texts) => {
    const rows = texts.flatMap((text, i) =>
      text.trim() === '' ? [] : [[truncate(columns[i]?.title ?? '', width >> 1), text.trim()] as const],
    );
    return formatDefinitionList(rows, { width, colorize: (label) => colorize(label, 'faint') });
  });
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

interface TableOptions {
  /** Redacts a cell before it is truncated. */
  redact?(text: string): string;
  colorize?(text: string, tone: Tone | undefined): string;
}

const findTone = <Row>(row: Row | undefined, column: Column<Row> | undefined) =>
  row === undefined ? undefined : column?.tone?.(row);

/**
 * Aligned columns under a heading, at most `width` terminal cells wide if each column has at least four. Long cells are
 * truncated with `…`; if that would make them unreadable or truncate an `isUntruncated` column, one line per cell.
 * Cells are foreign text.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  { redact = (text) => text, colorize = (text) => text }: TableOptions = {},
): string {
  const cells = rows.map((row) =>
    columns.map(({ cell, terminalCell = cell }) => redact(escapeControls(terminalCell(row)))),
  );
  const optional = columns.findLastIndex(({ isOptional }) => isOptional);
  const natural = columns.map(({ title }, i) =>
    Math.max(...[title, ...cells.map((row) => row[i] ?? '')].map(stringWidth)),
  );
  const widths = fitWidths(natural, columns, width);
  const isTruncated = widths.some((cells, i) => cells < (natural[i] ?? 0));
  if (isTruncated && optional >= 0)
    return formatTable(rows, columns.toSpliced(optional, 1), width, { redact, colorize });
  const minWidth = (i: number) => (columns[i]?.isUntruncated ? Number.POSITIVE_INFINITY : MIN_READABLE_WIDTH);
  const isUnreadable = widths.some((cells, i) => cells < Math.min(minWidth(i), natural[i] ?? 0));
  if (isUnreadable && columns.length > 1 && rows.length > 0) return formatBlocks(cells, columns, width, colorize);
  // cli-table3 would truncate inside a grapheme.
  const truncateCell = (text: string, i: number) => truncate(text, widths[i] ?? 0);
  const table = new Table({
    head: columns.map(({ title }, i) => colorize(truncateCell(title, i), 'strong')),
    colWidths: widths.map((cellWidth) => cellWidth + GAP),
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
  });
  for (const [row, texts] of cells.entries()) {
    table.push(texts.map((text, i) => colorize(truncateCell(text, i), findTone(rows[row], columns[i]))));
  }
  return `${table.toString().replace(/[ ]+$/gm, '')}\n`;
}

const SIDES = ['top', 'bottom', 'left', 'right', 'mid'];
const NO_BORDERS = Object.fromEntries(
  [...SIDES, 'middle', ...SIDES.flatMap((side) => ['mid', 'left', 'right'].map((end) => `${side}-${end}`))].map(
    (name) => [name, ''],
  ),
);

/** Shrinks the widest columns until the table fits; `isUntruncated` columns last. */
function fitWidths(
  natural: readonly number[],
  columns: readonly { isUntruncated?: boolean }[],
  width: number,
): number[] {
  const widths = [...natural];
  const excess = () => widths.reduce((sum, cells) => sum + cells, GAP * (widths.length - 1)) - width;
  for (const includesAll of [false, true]) {
    const shrinkable = widths.map((_, i) => i).filter((i) => includesAll || !columns[i]?.isUntruncated);
    while (excess() > 0) {
      const widest = shrinkable.reduce(
        (best, i) => ((widths[i] ?? 0) > (widths[best] ?? 0) ? i : best),
        shrinkable[0] ?? 0,
      );
      if ((widths[widest] ?? 0) <= MIN_WIDTH) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}
