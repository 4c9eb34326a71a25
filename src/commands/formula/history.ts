/** formulary formula history */
import { isSameId } from '../../api/formula-guards.ts';
import { findFormulaById } from '../../api/formula-reads.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { requireNonEmpty } from '../../session/arguments.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession, type Session } from '../../session/session.ts';
import { findAddress } from '../../settings/resolve-address.ts';
import { findServiceName, type ServiceFlags } from '../../settings/resolve-target.ts';
import { assertSameTarget, findEntry, HISTORY_HINT, readHistory } from '../../state/history-entries.ts';
import { getReadableState } from '../../state/state-folder.ts';
import { HISTORY_FIELDS, historyView, VERSION_FIELDS, versionView } from '../../views/history-view.ts';

export const history: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'List the versions that were saved on this computer before each update and delete, newest first, for the base URL in use, or all without one. The last 20 of each formula are kept. Sends nothing; --show reads the formula, which requires the permission reactor:read.',
    )
    .argument('[id|name]', 'only versions of the formula with this id or exact name')
    .option('--all', 'list the versions of all base URLs')
    .option('--show <entry>', 'show how a version differs from the formula on the service')
    .action(async (idOrName, flags) => {
      const session = createSession(flags, host, flags.show === undefined ? HISTORY_FIELDS : VERSION_FIELDS);
      if (idOrName !== undefined) requireNonEmpty(idOrName);
      if (flags.show === undefined) return listVersions(idOrName, flags, session);
      if (idOrName !== undefined) throw new CliError('usage', '--show cannot be used together with an id or name');
      return showVersion(flags.show, flags, session);
    });
};

async function listVersions(
  idOrName: string | undefined,
  flags: ServiceFlags & { all?: boolean | undefined },
  { host, print, note }: Session,
): Promise<void> {
  const all = readHistory(host, note).filter(
    ({ id, name }) => idOrName === undefined || isSameId(id, idOrName) || name === idOrName,
  );
  const service = flags.all || !findAddress(flags, host) ? undefined : findServiceName(flags, host);
  const rows = all.filter(({ target }) => service === undefined || target === service);
  const count = all.length - rows.length;
  const others = count === 1 ? '1 version' : `${count} versions`;
  if (idOrName !== undefined && rows.length === 0) {
    throw new CliError('not_found', `no saved versions of a formula with the id or name ${JSON.stringify(idOrName)}`, {
      hint: count === 0 ? HISTORY_HINT : `To list ${others} of other base URLs, add --all.`,
    });
  }
  await print(historyView(rows, host.now(), service === undefined));
  if (rows.length === 0) note(getReadableState(host).problem?.message ?? 'no saved versions');
  if (count > 0) note(`note: ${others} of other base URLs not listed; to list all, add --all`);
}

async function showVersion(argument: string, flags: ServiceFlags, session: Session): Promise<void> {
  const { host, note, print } = session;
  const entry = findEntry(argument, findServiceName(flags, host), host, note);
  const { client, lockName } = await session.connect();
  assertSameTarget(entry, lockName);
  const present = await findFormulaById(client, entry.id);
  const view = versionView(entry, present);
  await print(view);
  const { changes } = view.value as { changes: readonly unknown[] };
  if (!present) note('The formula no longer exists on the service.');
  else if (changes.length === 0) note('No changes: the formula on the service is the saved version.');
  if (!present || changes.length > 0) note(`To restore it, run: ${client.command('formula restore', entry.entry)}`);
}
