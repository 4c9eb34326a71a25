/** The output of `link` and `unlink`. */
import type { View } from '../output/formats.ts';
import type { Column } from '../output/tsv.ts';
import { tableView } from './list-view.ts';

interface LinkRow {
  folder: string;
  /** Null if the folder is not linked. */
  id: string | null;
  name?: string;
  target: string;
}

export const LINK_FIELDS: readonly string[] = ['folder', 'id', 'name', 'target'];

const COLUMNS: readonly Column<LinkRow>[] = [
  { title: 'FOLDER', cell: ({ folder }) => folder, kind: 'path' },
  { title: 'ID', cell: ({ id }) => id ?? '', kind: 'id' },
  { title: 'TARGET', cell: ({ target }) => target },
];

export const linkView = (link: LinkRow): View => ({ value: link, table: tableView([link], COLUMNS).table });
