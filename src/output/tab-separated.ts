/** Rows for a pipe: bare lines with tabs, for which nothing needs to be loaded. */
import { visible } from './escape.ts';

/** A column: its heading and the text of its cells. */
export interface Column<Row> {
  title: string;
  cell(row: Row): string;
  /** The text on a terminal, where it is another. */
  shown?(row: Row): string;
  /** Worth more room than the others: an id is of no use when it is cut. */
  isWhole?: boolean;
}

/** One line a row, cells divided by tabs, without a heading; nothing is cut. Cells are foreign text. */
export function tabSeparated<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  return rows.map((row) => `${columns.map(({ cell }) => visible(cell(row))).join('\t')}\n`).join('');
}
