/** formulary service application delete */

import { CliError } from '../../../errors.ts';
import { visible } from '../../../output/escape.ts';
import { confirm, mustBeConfirmable } from '../../../program/confirm.ts';
import type { Define } from '../../../program/define.ts';
import { dataOption, withOutputFlags } from '../../../program/flags.ts';
import { createSession } from '../../../program/session.ts';
import { type Application, openStore, openStoreToRead } from '../../../service/store/store.ts';
import { dataFileOf } from '../data-file.ts';

export const remove: Define = (command, host) => {
  withOutputFlags(command)
    .summary('delete an application, whose key is then void')
    .description(
      'Delete an application of the embedded service. Its key opens nothing from then on; formulas that it made stay. Asks on a terminal; elsewhere it needs --yes.',
    )
    .argument('<id>', 'id of the application')
    .option('--yes', 'delete without asking')
    .option('--no-input', 'never ask, as where there is no terminal')
    .addOption(dataOption())
    .addHelpText(
      'after',
      '\nExamples:\n  formulary service application list\n  formulary service application delete ID --yes',
    )
    .action(async (word, flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      if (word === '') throw new CliError('usage', 'the id is empty; wanted is the id of an application');
      mustBeConfirmable('deleted', flags, host);
      const file = dataFileOf(flags, host);
      const { id, name, type } = await find(file, word);
      await confirm('deleted', `Delete the ${type} application ${visible(JSON.stringify(name))}?`, flags, host);
      const store = await openStore(file);
      try {
        if (!store.applications.remove(id)) throw notFound(id);
      } finally {
        store.close();
      }
      const item = { id, name, outcome: 'deleted' };
      await print({
        value: { schema_version: 1, items: [item], summary: { total: 1, deleted: 1 } },
        table: () => `deleted\t${visible(id)}\t${visible(name)}\n`,
      });
    });
};

async function find(file: string, id: string): Promise<Application> {
  const store = await openStoreToRead(file);
  try {
    const found = store.applications.list().find((application) => application.id === id.toLowerCase());
    if (!found) throw notFound(id);
    return found;
  } finally {
    store.close();
  }
}

const notFound = (id: string) =>
  new CliError('not_found', `there is no application with the id ${JSON.stringify(id)}`, {
    hint: 'formulary service application list shows which there are',
  });
