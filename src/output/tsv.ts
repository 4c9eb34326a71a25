/** Formats tables for a pipe: tab-separated values, without loading any module. */
import { escapeControls } from './escape.ts';
import { pieces } from './formats.ts';

/** The meaning of a text, which determines its color. */
export type Tone = 'error' | 'warning' | 'good' | 'faint' | 'strong';

export interface Column<Row> {
  title: string;
  cell(row: Row): string;
  /** The text on a terminal, if it differs. */
  terminalCell?(row: Row): string;
  /** The color on a terminal. */
  tone?(row: Row): Tone | undefined;
  /** How it gives way if the table is too wide for the terminal: in this order, texts (the default) before names. */
  kind?: 'id' | 'path' | 'text' | 'name' | 'fixed';
  /** Dropped before texts and names are truncated. */
  isOptional?: boolean;
}

/** One line per row, untruncated and without a heading. Cells are foreign text. */
export function formatTsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Iterable<string> {
  return pieces(rows, (row) => `${columns.map(({ cell }) => escapeControls(cell(row))).join('\t')}\n`);
}
