/** Signs before the words of a table on a terminal, so that they are told apart without colour too. */
import type { Column, Tone } from '../output/tsv.ts';

const ICONS: Readonly<Record<string, readonly [sign: string, tone: Tone]>> = {
  official: ['*', 'strong'],
  private: ['·', 'faint'],
  verified: ['✓', 'good'],
  coming_soon: ['…', 'faint'],
  create: ['+', 'good'],
  created: ['+', 'good'],
  written: ['+', 'good'],
  update: ['~', 'warning'],
  updated: ['~', 'warning'],
  keep: ['=', 'faint'],
  unchanged: ['=', 'faint'],
  delete: ['-', 'error'],
  deleted: ['-', 'error'],
  kept: ['!', 'warning'],
  conflict: ['!', 'error'],
  failed: ['✗', 'error'],
  invalid: ['✗', 'error'],
  unknown: ['?', 'error'],
  not_started: ['·', 'faint'],
};

const findIcon = (status: string) => (Object.hasOwn(ICONS, status) ? ICONS[status] : undefined);

/** A word with its sign; one that has none stands where the others do. */
export const withIcon = (status: string): string => (status === '' ? '' : `${findIcon(status)?.[0] ?? ' '} ${status}`);

/** What a word is painted in, if in anything. */
export const getTone = (status: string): Tone | undefined => findIcon(status)?.[1];

/** A column of such words: as they are in a pipe, with their signs on a terminal. */
export const statusColumn = <Row>(title: string, cell: (row: Row) => string): Column<Row> => ({
  title,
  cell,
  terminalCell: (row) => withIcon(cell(row)),
  tone: (row) => getTone(cell(row)),
  isUntruncated: true,
});
