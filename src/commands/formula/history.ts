/** formulary formula history */

import { CliError } from '../../errors.ts';
import type { FieldSet } from '../../output/fields.ts';
import { requireNonEmpty } from '../../program/arguments.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import { type HistoryRow, readHistory } from '../../state/history.ts';
import { getReadableState } from '../../state/state-folder.ts';
import { tableView, timeColumn } from '../../views/list-view.ts';

const ENTRY = { title: 'ENTRY', cell: ({ entry }: Row) => entry, isUntruncated: true };
const OTHERS = [
  { title: 'BEFORE', cell: ({ operation }: Row) => operation },
  { title: 'NAME', cell: ({ name }: Row) => name },
  { title: 'TARGET', cell: ({ target }: Row) => target },
];

const FIELDS: FieldSet = {
  known: ['entry', 'at', 'operation', 'target', 'id', 'name'],
};

type Row = HistoryRow;

export const history: DefineCommand = (command, host) => {
  withOutputFlags(command)
    .description(
      'List the versions that were saved on this computer before each update and delete, newest first. The last 20 of each formula are kept. Sends nothing.',
    )
    .argument('[id|name]', 'only versions of the formula with this id or exact name')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula history\n  formulary formula history "Tokenize a card" --json',
    )
    .action(async (idOrName, flags) => {
      const session = createSession(flags, host, FIELDS);
      const { print, note } = session;
      if (idOrName !== undefined) requireNonEmpty(idOrName);
      const rows = readHistory(host, note)
        .filter(
          ({ id, name }) => idOrName === undefined || id.toLowerCase() === idOrName.toLowerCase() || name === idOrName,
        )
        .map(({ formula: _, hidden: __, ...row }): Row => row);
      if (idOrName !== undefined && rows.length === 0) {
        throw new CliError(
          'not_found',
          `no saved versions of a formula with the id or name ${JSON.stringify(idOrName)}`,
          { hint: 'To list all entries, run: formulary formula history' },
        );
      }
      await print(tableView(rows, [ENTRY, timeColumn('AT', ({ at }: Row) => at, host.now()), ...OTHERS]));
      if (rows.length === 0) note(getReadableState(host).problem?.message ?? 'no saved versions');
    });
};
