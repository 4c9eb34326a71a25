/** formulary service application list */
import type { Define } from '../../../program/define.ts';
import { dataOption, withOutputFlags } from '../../../program/flags.ts';
import { createSession } from '../../../program/session.ts';
import { type Application, openStoreToRead } from '../../../service/store/store.ts';
import { tableAnswer, timeColumn } from '../../../views/list-view.ts';
import { dataFileOf } from '../data-file.ts';

const COLUMNS = [
  { title: 'ID', cell: ({ id }: Application) => id, isWhole: true },
  { title: 'NAME', cell: ({ name }: Application) => name },
  { title: 'TYPE', cell: ({ type }: Application) => type },
  { title: 'PERMISSIONS', cell: ({ permissions }: Application) => permissions.join(', ') },
];

export const list: Define = (command, host) => {
  withOutputFlags(command)
    .summary('list the applications')
    .description('List the applications of the embedded service, without their keys, which nobody can read any more.')
    .addOption(dataOption())
    .addHelpText(
      'after',
      '\nExamples:\n  formulary service application list\n  formulary service application list --data /tmp/try.db --json',
    )
    .action(async (flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const store = await openStoreToRead(dataFileOf(flags, host));
      try {
        const applications = store.applications.list();
        await print(
          tableAnswer(applications, [
            ...COLUMNS,
            timeColumn('CREATED', ({ created_at }: Application) => created_at, host.now()),
          ]),
        );
        if (applications.length === 0) session.note('there are no applications');
      } finally {
        store.close();
      }
    });
};
