/** formulary service application list */

import type { DefineCommand } from '../../../cli/define.ts';
import { type Application, openStoreReadOnly } from '../../../service/store/store.ts';
import { dataOption, withOutputFlags } from '../../../session/flags.ts';
import { createSession } from '../../../session/session.ts';
import { tableView, timeColumn } from '../../../views/list-view.ts';
import { resolveDataFile } from '../data-file.ts';

const COLUMNS = [
  { title: 'ID', cell: ({ id }: Application) => id, kind: 'id' as const },
  { title: 'NAME', cell: ({ name }: Application) => name, kind: 'name' as const },
  { title: 'TYPE', cell: ({ type }: Application) => type, kind: 'fixed' as const },
  { title: 'PERMISSIONS', cell: ({ permissions }: Application) => permissions.join(', ') },
];

const FIELDS: readonly string[] = ['id', 'name', 'type', 'permissions', 'created_at'];

export const list: DefineCommand = (command, host) => {
  withOutputFlags(command)
    .description('List the applications of the embedded service. Keys are not shown.')
    .addOption(dataOption())
    .action(async (flags) => {
      const session = createSession(flags, host, FIELDS);
      const store = await openStoreReadOnly(resolveDataFile(flags, host));
      try {
        const applications = store.applications.list();
        await session.print(
          tableView(applications, [
            ...COLUMNS,
            { ...timeColumn('CREATED', ({ created_at }: Application) => created_at, host.now()), isOptional: true },
          ]),
        );
        if (applications.length === 0) session.note('no applications');
      } finally {
        store.close();
      }
    });
};
