/** formulary formula update */

import { buildUpdateCall } from '../../api/formula-writes.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { hashContent } from '../../formula-fields.ts';
import { escapeControls } from '../../output/escape.ts';
import { requireNonEmpty } from '../../session/arguments.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { loadFolderToSend } from '../../session/load-folder.ts';
import { createSession, type Session, type WriteSession } from '../../session/session.ts';
import { withSourceLocations } from '../../session/with-source-locations.ts';
import { prepareUpdate, recordUpdate, type UpdateOptions } from '../../sync/prepare-update.ts';
import type { UpdateRequest } from '../../sync/resolve-update-target.ts';
import { sendWrite } from '../../sync/send-write.ts';
import {
  EMPTY_REQUEST_VIEW,
  FORMULA_FIELDS,
  REQUEST_FIELDS,
  requestView,
  writtenFormulaView,
} from '../../views/formula-view.ts';

export const update: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      "Update one formula from a folder, after validating it. Without ID or NAME, the formula is the one in the lock file, otherwise the private one with the manifest's exact name. The remote icon and description are preserved if the folder does not set them. Requires the permissions reactor:update and reactor:read.",
    )
    .usage('[options] [id|name] <dir>')
    .argument('[id|name|dir]', 'id of the formula, or its exact name (optional)')
    .argument('[dir]', 'the formula folder')
    // The completion of the first argument also lists folders.
    .configureHelp({ ...command.configureHelp(), argumentTerm: (argument) => argument.name().replace('|dir', '') })
    .option('--remove-icon', 'remove the remote icon')
    .option('--dry-run', 'show the request without changing anything')
    .option('--force', 'overwrite remote changes since your last pull or push')
    .option('--no-history', 'do not save the current version')
    .action(async (first, second, flags) => {
      const session = createSession(flags, host, flags.dryRun ? REQUEST_FIELDS : FORMULA_FIELDS, {
        namesService: true,
      });
      if (first === undefined) {
        throw new CliError('usage', "missing required argument 'dir'", {
          hint: "Run 'formulary formula update --help' for usage.",
        });
      }
      requireNonEmpty(first);
      const [idOrName, dir] = second === undefined ? [undefined, first] : [first, second];
      const folder = await loadFolderToSend(dir, session);
      if (flags.removeIcon && folder.body.icon !== undefined) {
        throw new CliError('usage', `--remove-icon cannot be used: ${dir} has an icon`);
      }
      const request = { ...folder, idOrName, dir };
      const options = parseOptions(flags);
      if (flags.dryRun) return previewUpdate(request, options, session);
      const { updated, changed, undo } = await session.write((writing) =>
        updateFromFolder(request, writing, options, session),
      );
      await session.print(writtenFormulaView(updated, host.now(), session.isVerbose));
      const name = escapeControls(JSON.stringify(updated.name));
      session.note(changed.length > 0 ? `Updated formula ${name}: ${changed.join(', ')}` : UP_TO_DATE);
      if (undo) session.note(`To restore the previous version, run: ${undo}`);
    });
};

const parseOptions = (flags: { removeIcon?: true; force?: true; history: boolean }): UpdateOptions => ({
  removeIcon: flags.removeIcon ?? false,
  force: flags.force ?? false,
  keptFlags: flags.history ? [] : ['--no-history'],
});

const UP_TO_DATE = 'No changes: the formula is up to date.';

/** Prints the request that would be sent. */
async function previewUpdate(folder: UpdateRequest, options: UpdateOptions, session: Session): Promise<void> {
  const { print, note } = session;
  const { remote, merge } = await prepareUpdate(folder, await session.connect(), options, session);
  const isUnchanged = merge.changed.length === 0;
  await print(isUnchanged ? EMPTY_REQUEST_VIEW : requestView(buildUpdateCall(remote.id, merge.body)));
  note(isUnchanged ? UP_TO_DATE : `Would update: ${merge.changed.join(', ')}`);
}

/** Updates the formula if it differs; `undo` is the command that restores the version before. */
async function updateFromFolder(
  folder: UpdateRequest,
  writing: WriteSession,
  options: UpdateOptions,
  session: Session,
) {
  const { remote, merge, tracking } = await prepareUpdate(folder, writing, options, session);
  let updated = remote;
  let undo: string | undefined;
  if (merge.changed.length > 0) {
    await tracking.recordPending([{ folder: folder.path, remote, hash: hashContent(merge.body) }]);
    const place = { ...folder, displayPath: folder.dir };
    const sent = await withSourceLocations(place, session, sendWrite({ body: merge.body, remote }, writing));
    updated = sent.formula;
    undo = sent.savedEntry && writing.client.command('formula restore', sent.savedEntry);
    if (sent.note !== undefined) session.warn(sent.note);
  }
  recordUpdate(folder, updated, tracking);
  await tracking.flush(...(merge.changed.includes('name') ? [updated] : []));
  return { updated, changed: merge.changed, undo };
}
