/** formulary formula create */
import type { ServiceClient } from '../../api/client.ts';
import { findFormulaById, listFormulas } from '../../api/formula-reads.ts';
import { buildCreateCall, createFormula } from '../../api/formula-writes.ts';
import { findPreexistingIds, formatIncomplete } from '../../api/incomplete-list.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { hashContent } from '../../formula-fields.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { type FolderToSend, loadFolderToSend } from '../../session/load-folder.ts';
import { createSession, type Session, type WriteSession } from '../../session/session.ts';
import { withSourceLocations } from '../../session/with-source-locations.ts';
import { findAddress } from '../../settings/resolve-address.ts';
import { assertNameFree } from '../../sync/name-conflict.ts';
import { findNameConflicts } from '../../sync/push/same-name.ts';
import { openFolderTracking } from '../../sync/tracking.ts';
import { toPathArgument } from '../../text/shell-quote.ts';
import { FORMULA_FIELDS, REQUEST_FIELDS, requestView, writtenFormulaView } from '../../views/formula-view.ts';

const LIST_OPTIONS = { description: 'check whether the name is in use', needsContent: () => false };

export const create: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Create one formula from a folder, after validating it. Requires the permissions reactor:create and reactor:read.',
    )
    .argument('<dir>', 'the formula folder')
    .option('--allow-duplicate', 'create it even if a private formula with this name exists')
    .option('--link', 'link the folder to the formula in formulas.lock.json, which is created if necessary')
    .option('--dry-run', 'show the request without changing anything')
    .action(async (dir, flags) => {
      const session = createSession(flags, host, flags.dryRun ? REQUEST_FIELDS : FORMULA_FIELDS, {
        namesService: true,
      });
      const folder = await loadFolderToSend(dir, session);
      const { body } = folder;
      if (flags.dryRun) {
        if (!findAddress(flags, host)) session.note('note: no base URL configured, so the name was not checked');
        else if (!flags.allowDuplicate) {
          const { client } = await session.connect();
          assertNameFree(await listFormulas(client, LIST_OPTIONS), body.name, client, dir);
        }
        return session.print(requestView(buildCreateCall(body)));
      }
      const created = await session.write((writing) => createFromFolder(folder, dir, flags, writing, session));
      await session.print(writtenFormulaView(created, host.now(), session.isVerbose));
      session.note(escapeControls(`Created formula ${JSON.stringify(created.name)} (${created.id})`));
    });
};

interface CreateOptions {
  link?: boolean | undefined;
  allowDuplicate?: boolean | undefined;
}

/** Creates the formula, and links the folder to it; a folder stays linked to its first formula, unless `link` is set. */
async function createFromFolder(
  folder: FolderToSend,
  dir: string,
  { link = false, allowDuplicate = false }: CreateOptions,
  { client, target }: WriteSession,
  session: Session,
): Promise<Formula> {
  const { path, body } = folder;
  const tracking = openFolderTracking(path, target, session.host, session.warn, { createsLockfile: link });
  const existing = await listFormulas(client, LIST_OPTIONS);
  formatIncomplete(existing).forEach(session.warn);
  const linkedId = tracking.ids.get(path);
  const linked = linkedId === undefined ? undefined : await findFormulaById(client, linkedId);
  if (!allowDuplicate && linked) throw linkedError(dir, linked, client);
  if (!allowDuplicate) assertNameFree(existing, body.name, client, dir);
  const preexistingIds = findPreexistingIds(existing);
  await tracking.recordPending([{ folder: path, remote: undefined, hash: hashContent(body) }]);
  const creation = createFormula(client, body, preexistingIds);
  const { formula, note } = await withSourceLocations(folder, session, creation);
  if (note !== undefined) session.warn(note);
  const toLink = linked && !link ? [] : [formula];
  for (const one of toLink) tracking.link(path, one);
  tracking.recordBaseline(path, formula);
  await tracking.flush(...toLink);
  if (!allowDuplicate) {
    const { conflicts, warnings } = await findNameConflicts(client, [formula], preexistingIds);
    for (const conflict of conflicts.values()) throw conflict;
    warnings.forEach(session.warn);
  }
  return formula;
}

const linkedError = (dir: string, { id, name }: Formula, { command }: ServiceClient) =>
  new CliError('conflict', `${dir} is already linked to a formula: ${JSON.stringify(name)} (${id})`, {
    hint: `To replace it, run: ${command('formula update', toPathArgument(dir))}\nTo create a second one, pass --allow-duplicate.`,
    details: { ids: [id] },
  });
