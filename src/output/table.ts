/** Tables that fit the width of a terminal. */
import Table from 'cli-table3';
import stringWidth from 'string-width';
import { escapeControls } from './escape.ts';
import { truncate, truncateMiddle } from './truncate.ts';
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
 * Aligned columns under a heading, at most `width` terminal cells wide. Long cells are shortened by their kind; if that
 * would make them unreadable, one line per cell. Cells are foreign text.
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
  const natural = columns.map(({ title }, i) =>
    Math.max(...[title, ...cells.map((row) => row[i] ?? '')].map(stringWidth)),
  );
  const widths = fitWidths(natural, columns, width);
  const optional = columns.findLastIndex(({ isOptional }) => isOptional);
  const isCut = (i: number) => (widths[i] ?? 0) < (natural[i] ?? 0);
  const isTruncated = columns.some(({ kind = 'text' }, i) => isCut(i) && kind !== 'id' && kind !== 'path');
  if ((isTruncated || getTableWidth(widths) > width) && optional >= 0)
    return formatTable(rows, columns.toSpliced(optional, 1), width, { redact, colorize });
  const isReadable =
    getTableWidth(widths) <= width && columns.every((_, i) => !isCut(i) || (widths[i] ?? 0) >= MIN_READABLE_WIDTH);
  if (!isReadable && columns.length > 1 && rows.length > 0) return formatBlocks(cells, columns, width, colorize);
  // cli-table3 would truncate inside a grapheme.
  const truncateCell = (text: string, i: number) => truncateAs(columns[i]?.kind, text, widths[i] ?? 0);
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

const getTableWidth = (widths: readonly number[]) =>
  widths.reduce((sum, cells) => sum + cells, GAP * (widths.length - 1));

/** The digits of an id that commands can complete. */
const SHORT_ID = 8;
/** What gives way first, down to which width. */
const STAGES = [
  ['path', 16],
  ['text', MIN_READABLE_WIDTH],
  ['name', MIN_READABLE_WIDTH],
] as const;

/** Shortens ids, then shrinks the widest columns of each kind in turn until the table fits. */
function fitWidths<Row>(natural: readonly number[], columns: readonly Column<Row>[], width: number): number[] {
  if (getTableWidth(natural) <= width) return [...natural];
  const widths = natural.map((cells, i) => (columns[i]?.kind === 'id' ? Math.min(cells, SHORT_ID) : cells));
  const shrink = (shrinkable: readonly number[], minWidth: number) => {
    for (let excess = getTableWidth(widths) - width; excess > 0; excess--) {
      const widest = shrinkable.reduce(
        (best, i) => ((widths[i] ?? 0) > (widths[best] ?? 0) ? i : best),
        shrinkable[0] ?? -1,
      );
      if ((widths[widest] ?? 0) <= minWidth) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  };
  for (const [kind, minWidth] of STAGES)
    shrink(
      columns.flatMap((column, i) => ((column.kind ?? 'text') === kind ? [i] : [])),
      minWidth,
    );
  // A heading of one column is shown on any terminal.
  if (columns.length === 1) shrink([0], MIN_WIDTH);
  return widths;
}

function truncateAs(kind: Column<unknown>['kind'], text: string, width: number): string {
  if (kind === 'id') return text.slice(0, width);
  return kind === 'path' ? truncateMiddle(text, width) : truncate(text, width);
}
