/** formulary service application delete */

import { CliError } from '../../../errors.ts';
import { escapeControls } from '../../../output/escape.ts';
import type { FieldSet } from '../../../output/fields.ts';
import { confirm, requireConfirmable } from '../../../program/confirm.ts';
import type { DefineCommand } from '../../../program/define.ts';
import { dataOption, withOutputFlags } from '../../../program/flags.ts';
import { createSession } from '../../../program/session.ts';
import { type Application, openStore, openStoreReadOnly } from '../../../service/store/store.ts';
import { resolveDataFile } from '../data-file.ts';

const FIELDS: FieldSet = {
  known: ['id', 'name', 'outcome'],
};

export const remove: DefineCommand = (command, host) => {
  withOutputFlags(command)
    .description(
      'Delete an application of the embedded service and revoke its key. Formulas that it created are kept. Prompts for confirmation; without a terminal, --yes is required.',
    )
    .argument('<id>', 'id of the application')
    .option('--yes', 'skip the prompt')
    .option('--no-input', 'never prompt')
    .addOption(dataOption())
    .addHelpText(
      'after',
      '\nExamples:\n  formulary service application list\n  formulary service application delete ID --yes',
    )
    .action(async (typedId, flags) => {
      const session = createSession(flags, host, FIELDS);
      const { print } = session;
      if (typedId === '') throw new CliError('usage', 'ID must be the id of an application (got an empty string)');
      requireConfirmable('deleted', flags, host);
      const file = resolveDataFile(flags, host);
      const { id, name, type } = await findApplication(file, typedId);
      await confirm(`Delete the ${type} application ${escapeControls(JSON.stringify(name))}?`, flags, host);
      const store = await openStore(file);
      try {
        if (!store.applications.remove(id)) throw notFoundError(id);
      } finally {
        store.close();
      }
      const item = { id, name, outcome: 'deleted' };
      await print({
        value: { schema_version: 1, items: [item], summary: { total: 1, deleted: 1 } },
        table: () => `deleted\t${escapeControls(id)}\t${escapeControls(name)}\n`,
      });
    });
};

async function findApplication(file: string, id: string): Promise<Application> {
  const store = await openStoreReadOnly(file);
  try {
    const found = store.applications.list().find((application) => application.id === id.toLowerCase());
    if (!found) throw notFoundError(id);
    return found;
  } finally {
    store.close();
  }
}

const notFoundError = (id: string) =>
  new CliError('not_found', `no application with the id ${JSON.stringify(id)}`, {
    hint: 'To list the applications, run: formulary service application list',
  });
