/** formulary permissions list */
import { listPermissions } from '../../api/permissions.ts';
import { CliError } from '../../errors.ts';
import type { Permission } from '../../model.ts';
import { formatCell } from '../../output/formats.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import { tableView } from '../../views/list-view.ts';

const COLUMNS = [
  { title: 'PERMISSION', cell: ({ type }: Permission) => type, isUntruncated: true },
  {
    title: 'APPLICATION TYPES',
    cell: ({ application_types: types }: Permission) => [types].flat().map(formatCell).join(', '),
  },
  { title: 'DESCRIPTION', cell: ({ description }: Permission) => formatCell(description) },
];

export const list: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('list the permission catalogue')
    .description('List the permissions that an application can have. Any key can read them.')
    .option('--application-type <type>', 'only what applications of this type can have; sent as given')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary permissions list --local\n  formulary permissions list --application-type management --json',
    )
    .action(async (flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      if (flags.applicationType === '') {
        throw new CliError('usage', '--application-type is empty; wanted is a type, or no --application-type for all');
      }
      const { client } = await session.connect();
      const permissions = await listPermissions(client, flags.applicationType);
      await print(tableView(permissions, COLUMNS));
      if (permissions.length === 0) session.note('no permissions match');
    });
};
