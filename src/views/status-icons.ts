/** Signs before the words of a table on a terminal, so that they are told apart without colour too. */
import type { Column, Tone } from '../output/tsv.ts';

const SIGNS: Readonly<Record<string, readonly [sign: string, tone: Tone]>> = {
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

const entryOf = (word: string) => (Object.hasOwn(SIGNS, word) ? SIGNS[word] : undefined);

/** A word with its sign; one that has none stands where the others do. */
export const signed = (word: string): string => (word === '' ? '' : `${entryOf(word)?.[0] ?? ' '} ${word}`);

/** What a word is painted in, if in anything. */
export const toneOf = (word: string): Tone | undefined => entryOf(word)?.[1];

/** A column of such words: as they are in a pipe, with their signs on a terminal. */
export const signColumn = <Row>(title: string, cell: (row: Row) => string): Column<Row> => ({
  title,
  cell,
  shown: (row) => signed(cell(row)),
  tone: (row) => toneOf(cell(row)),
  isWhole: true,
});
