/** formulary service application create */

import { CliError } from '../../../errors.ts';
import type { DefineCommand } from '../../../program/define.ts';
import { dataOption, withOutputFlags } from '../../../program/flags.ts';
import { createSession } from '../../../program/session.ts';
import { createApplication } from '../../../service/applications.ts';
import { openStore } from '../../../service/store/store.ts';
import { fieldsView } from '../../../views/list-view.ts';
import { resolveDataFile } from '../data-file.ts';

export const create: DefineCommand = (command, host) => {
  withOutputFlags(command)
    .summary('make an application and its key')
    .description(
      'Make an application of the embedded service. Its key is printed this once: the data file holds a fingerprint of it alone. A running service knows it at once.',
    )
    .requiredOption('--name <name>', 'what the application is called')
    .requiredOption('--type <type>', 'public, private, expiring or management')
    .requiredOption('--permission <permission...>', 'what it may do; formulary permissions list shows them')
    .addOption(dataOption())
    .addHelpText(
      'after',
      '\nExamples:\n  formulary service application create --name deploy --type management --permission reactor:read reactor:create reactor:update\n  formulary service application create --name shop --type public --permission token:create --json',
    )
    .action(async (flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const { name, type } = flags;
      if (name.trim() === '') throw new CliError('usage', '--name is empty; wanted is what the application is called');
      const permissions = flags.permission.flatMap((words) => words.split(','));
      const store = await openStore(resolveDataFile(flags, host));
      try {
        const { application, key } = createApplication(store, { name, type, permissions, now: host.now() });
        const created = { ...application, key };
        const fields = Object.entries(created).map(([field, value]) => ({
          key: field,
          text: [value].flat().join(', '),
        }));
        await print(fieldsView(created, fields));
        session.note('the key is shown this once; keep it now');
      } finally {
        store.close();
      }
    });
};
