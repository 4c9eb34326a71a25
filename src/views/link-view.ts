/** Which formula a folder is, as an answer. */
import type { Answer } from '../output/formats.ts';
import { tableAnswer } from './list-view.ts';

interface Link {
  folder: string;
  /** Null where the folder is linked to none. */
  id: string | null;
  name?: string;
  target: string;
}

const COLUMNS = [
  { title: 'FOLDER', cell: ({ folder }: Link) => folder },
  { title: 'ID', cell: ({ id }: Link) => id ?? '', isWhole: true },
  { title: 'TARGET', cell: ({ target }: Link) => target },
];

/** One link: an object for programs, a line for people. */
export const linkAnswer = (link: Link): Answer => ({ ...tableAnswer([link], COLUMNS), value: link });
