/** formulary formula history */

import { CliError } from '../../errors.ts';
import { checkedWord } from '../../program/arguments.ts';
import type { Define } from '../../program/define.ts';
import { withOutputFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import { type HistoryRow, readHistory } from '../../state/history.ts';
import { readableState } from '../../state/state-folder.ts';
import { tableAnswer, timeColumn } from '../../views/list-view.ts';

const ENTRY = { title: 'ENTRY', cell: ({ entry }: Row) => entry, isWhole: true };
const OTHERS = [
  { title: 'BEFORE', cell: ({ operation }: Row) => operation },
  { title: 'NAME', cell: ({ name }: Row) => name },
  { title: 'TARGET', cell: ({ target }: Row) => target },
];

type Row = HistoryRow;

export const history: Define = (command, host) => {
  withOutputFlags(command)
    .summary('list the copies kept before each update and delete')
    .description(
      'List the copies that this machine kept of formulas before each update and delete, the newest first; the last 20 of each formula. Sends nothing.',
    )
    .argument('[id|name]', 'only copies of the formula with this id or exact name')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula history\n  formulary formula history "Tokenize a card" --json',
    )
    .action(async (word, flags) => {
      const session = createSession(flags, host);
      const { print, note } = session;
      if (word !== undefined) checkedWord(word);
      const rows = readHistory(host, note)
        .filter(({ id, name }) => word === undefined || id.toLowerCase() === word.toLowerCase() || name === word)
        .map(({ formula: _, hidden: __, ...row }): Row => row);
      if (word !== undefined && rows.length === 0) {
        throw new CliError(
          'not_found',
          `no copy of a formula with the id or name ${JSON.stringify(word)} is kept here`,
          {
            hint: 'formulary formula history lists all that are kept',
          },
        );
      }
      await print(tableAnswer(rows, [ENTRY, timeColumn('AT', ({ at }: Row) => at, host.now()), ...OTHERS]));
      if (rows.length === 0) note(readableState(host).problem?.message ?? 'no copies are kept');
    });
};
