/** formulary service application delete */

import type { DefineCommand } from '../../../cli/define.ts';
import { CliError } from '../../../errors.ts';
import { escapeControls } from '../../../output/escape.ts';
import { type Application, openStore, openStoreReadOnly } from '../../../service/store/store.ts';
import { confirm, requireConfirmable } from '../../../session/confirm.ts';
import { dataOption, withOutputFlags } from '../../../session/flags.ts';
import { createSession } from '../../../session/session.ts';
import { OUTCOME_FIELDS, outcomesView } from '../../../views/outcomes-view.ts';
import { resolveDataFile } from '../data-file.ts';

export const remove: DefineCommand = (command, host) => {
  withOutputFlags(command)
    .description(
      'Delete an application of the embedded service and revoke its key. Formulas that it created are kept. Prompts for confirmation; without a terminal, --yes is required.',
    )
    .argument('<id|name>', 'id of the application, or its exact name')
    .option('--yes', 'skip the prompt')
    .option('--no-input', 'never prompt')
    .addOption(dataOption())
    .action(async (typedId, flags) => {
      const session = createSession(flags, host, OUTCOME_FIELDS);
      if (typedId === '') throw new CliError('usage', 'ID or NAME must not be empty');
      requireConfirmable('deleted', flags, host);
      const file = resolveDataFile(flags, host);
      const { id, name, type } = await findApplication(file, typedId);
      if (!flags.yes) await confirm(`Delete the ${type} application ${escapeControls(JSON.stringify(name))}?`, host);
      const store = await openStore(file);
      try {
        if (!store.applications.remove(id)) throw notFoundError(id);
      } finally {
        store.close();
      }
      await session.print(outcomesView([{ id, name, outcome: 'deleted' }], ['deleted']));
      session.note(escapeControls(`Deleted application ${JSON.stringify(name)} (${id})`));
    });
};

async function findApplication(file: string, idOrName: string): Promise<Application> {
  const store = await openStoreReadOnly(file);
  try {
    const applications = store.applications.list();
    const byId = applications.find((application) => application.id === idOrName.toLowerCase());
    const [first, ...others] = byId ? [byId] : applications.filter(({ name }) => name === idOrName);
    if (!first) throw notFoundError(idOrName);
    if (others.length === 0) return first;
    const ids = [first, ...others].map(({ id }) => id);
    const message = `${JSON.stringify(idOrName)} matches ${ids.length} applications: ${ids.join(', ')}`;
    throw new CliError('conflict', message, { hint: 'Use the id instead of the name.', details: { ids } });
  } finally {
    store.close();
  }
}

const notFoundError = (idOrName: string) =>
  new CliError('not_found', `no application with the id or name ${JSON.stringify(idOrName)}`, {
    hint: 'To list the applications, run: formulary service application list',
  });
