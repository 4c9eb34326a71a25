/** formulary permissions list */
import { listPermissions } from '../../api/permissions.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import type { Permission } from '../../model.ts';
import { formatCell } from '../../output/formats.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession } from '../../session/session.ts';
import { tableView } from '../../views/list-view.ts';

const FIELDS: readonly string[] = ['type', 'description', 'application_types'];

const COLUMNS = [
  { title: 'PERMISSION', cell: ({ type }: Permission) => type, kind: 'fixed' as const },
  {
    title: 'APPLICATION TYPES',
    cell: ({ application_types: types }: Permission) => [types].flat().map(formatCell).join(', '),
  },
  { title: 'DESCRIPTION', cell: ({ description }: Permission) => formatCell(description) },
];

export const list: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description('List the permissions that applications can have. Requires any API key.')
    .option('--application-type <type>', 'only permissions for applications of this type')
    .action(async (flags) => {
      const session = createSession(flags, host, FIELDS);
      if (flags.applicationType === '') {
        throw new CliError('usage', 'invalid value "" for --application-type: must be an application type');
      }
      const { client } = await session.connect();
      const permissions = await listPermissions(client, flags.applicationType);
      await session.print(tableView(permissions, COLUMNS));
      if (permissions.length === 0) session.note('no permissions match');
    });
};
