/** formulary service application create */

import type { DefineCommand } from '../../../cli/define.ts';
import { CliError } from '../../../errors.ts';
import { escapeControls } from '../../../output/escape.ts';
import { createApplication } from '../../../service/applications.ts';
import { openStore } from '../../../service/store/store.ts';
import { dataOption, withOutputFlags } from '../../../session/flags.ts';
import { createSession } from '../../../session/session.ts';
import { fieldsView } from '../../../views/list-view.ts';
import { resolveDataFile } from '../data-file.ts';

const FIELDS: readonly string[] = ['id', 'name', 'type', 'permissions', 'created_at', 'key'];

export const create: DefineCommand = (command, host) => {
  withOutputFlags(command)
    .description(
      'Create an application of the embedded service. Its key is shown only once, since the data file contains only a hash. A running service accepts the key immediately.',
    )
    .requiredOption('--name <name>', 'name of the application')
    .requiredOption('--type <type>', 'public, private, expiring, or management')
    .requiredOption('--permission <permission...>', 'permissions, as listed by formulary permissions list')
    .addOption(dataOption())
    .action(async (flags) => {
      const session = createSession(flags, host, FIELDS);
      const { name, type } = flags;
      if (name.trim() === '')
        throw new CliError('usage', 'invalid value "" for --name: must be the name of the application');
      const permissions = flags.permission.flatMap((list) => list.split(','));
      const store = await openStore(resolveDataFile(flags, host));
      try {
        const { application, key } = createApplication(store, { name, type, permissions, now: host.now() });
        const created = { ...application, key };
        const fields = Object.entries(created).map(([field, value]) => ({
          key: field,
          text: [value].flat().join(', '),
        }));
        await session.print(fieldsView(created, fields));
        session.note(`Created application ${escapeControls(JSON.stringify(name))} (${application.id})`);
        session.note('Save the key now: it is shown only once.');
      } finally {
        store.close();
      }
    });
};
