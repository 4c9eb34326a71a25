/** Icons for statuses on a terminal, which distinguish them without colors. */
import type { Column, Tone } from '../output/tsv.ts';

const ICONS: Readonly<Record<string, readonly [icon: string, tone: Tone]>> = {
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
  skipped: ['!', 'warning'],
  conflict: ['!', 'error'],
  unmanaged: ['?', 'warning'],
  failed: ['✗', 'error'],
  invalid: ['✗', 'error'],
  unknown: ['?', 'error'],
  not_started: ['·', 'faint'],
};

const findIcon = (status: string) => (Object.hasOwn(ICONS, status) ? ICONS[status] : undefined);

/** A status after its icon, or after spaces if it has none. */
export const withIcon = (status: string): string => (status === '' ? '' : `${findIcon(status)?.[0] ?? ' '} ${status}`);

/** The color of a status, if any. */
export const getTone = (status: string): Tone | undefined => findIcon(status)?.[1];

/** A column of statuses; with icons on a terminal. */
export const statusColumn = <Row>(title: string, cell: (row: Row) => string): Column<Row> => ({
  title,
  cell,
  terminalCell: (row) => withIcon(cell(row)),
  tone: (row) => getTone(cell(row)),
  kind: 'fixed',
});
