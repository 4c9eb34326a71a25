/** Rows for a pipe: bare lines with tabs, for which nothing needs to be loaded. */
import { escapeControls } from './escape.ts';
import { pieces } from './formats.ts';

/** What a text means, which its colour says too. */
export type Tone = 'error' | 'warning' | 'good' | 'faint' | 'strong';

/** A column: its heading and the text of its cells. */
export interface Column<Row> {
  title: string;
  cell(row: Row): string;
  /** The text on a terminal, where it is another. */
  terminalCell?(row: Row): string;
  /** What the cell is painted in on a terminal. */
  tone?(row: Row): Tone | undefined;
  /** Worth more room than the others: an id is of no use when it is cut. */
  isUntruncated?: boolean;
  /** Left out on a terminal where others would be cut for it. */
  isOptional?: boolean;
}

/** One line a row, cells divided by tabs, without a heading; nothing is cut. Cells are foreign text. */
export function formatTsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Iterable<string> {
  return pieces(rows, (row) => `${columns.map(({ cell }) => escapeControls(cell(row))).join('\t')}\n`);
}
