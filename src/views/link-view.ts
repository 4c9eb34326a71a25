/** Which formula a folder is, as an answer. */
import type { View } from '../output/formats.ts';
import { tableView } from './list-view.ts';

interface LinkRow {
  folder: string;
  /** Null where the folder is linked to none. */
  id: string | null;
  name?: string;
  target: string;
}

const COLUMNS = [
  { title: 'FOLDER', cell: ({ folder }: LinkRow) => folder },
  { title: 'ID', cell: ({ id }: LinkRow) => id ?? '', isUntruncated: true },
  { title: 'TARGET', cell: ({ target }: LinkRow) => target },
];

/** One link: an object for programs, a line for people. */
export const linkView = (link: LinkRow): View => ({ ...tableView([link], COLUMNS), value: link });
