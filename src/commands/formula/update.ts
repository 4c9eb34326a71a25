/** formulary formula update */

import type { Send } from '../../api/client.ts';
import { updateCall, updateFormula } from '../../api/formula-writes.ts';
import { CliError } from '../../errors.ts';
import { realPath } from '../../files/paths.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { checkedFolder, checkedWord } from '../../program/arguments.ts';
import type { Define } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { loadBody } from '../../program/load-folder.ts';
import { createSession } from '../../program/session.ts';
import { withSourceLocations } from '../../program/with-source-locations.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import { changedReason } from '../../state/remote-baseline.ts';
import { type Merge, mergeFormula } from '../../sync/merge.ts';
import { findToUpdate, type UpdateFolder } from '../../sync/resolve-update-target.ts';
import { type Notes, openNotes } from '../../sync/tracking.ts';
import { callAnswer, formulaAnswer } from '../../views/formula-view.ts';

export const update: Define = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('replace one formula from a folder')
    .description(
      'Replace one formula from a folder, after checking it: the formula that is named, else the one that the lock has for the folder, else the private one of its exact name. The icon and the description that the service has are kept when the folder says nothing of them. Needs the permissions reactor:update and reactor:read.',
    )
    .usage('[options] [id|name] <dir>')
    .argument('<id|name|dir>', 'id of the formula, or its exact name; may be left out')
    .argument('[dir]', 'the formula folder')
    .option('--remove-icon', 'clear the icon that the service has')
    .option('--dry-run', 'show the request that would be sent, and send nothing that writes')
    .option('--force', 'overwrite what was changed on the service since it was last seen here')
    .option('--no-history', 'keep no copy of what is replaced')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula update my-formula --local\n  formulary formula update "Tokenize a card" my-formula --dry-run --json',
    )
    .action(async (first, second, flags) => {
      const session = createSession(flags, host);
      const { print, note } = session;
      checkedWord(first);
      const [word, dir] = second === undefined ? [undefined, first] : [first, second];
      const body = await loadBody(dir, session);
      if (flags.removeIcon && body.icon !== undefined) {
        throw new CliError('usage', `--remove-icon is given, but ${dir} has an icon`, {
          hint: 'leave one of them out',
        });
      }
      const folder = { word, dir, path: realPath(checkedFolder(dir, host)), body };
      if (flags.dryRun) {
        const { send, target } = await session.connect();
        const { remote, merge } = await lookUp(folder, send, target, flags, host, note);
        note(
          merge.changed.length > 0 ? `would update: ${merge.changed.join(', ')}` : 'unchanged: no update would be sent',
        );
        return print(callAnswer(updateCall(remote.id, merge.body)));
      }
      const formula = await session.write(async ({ send, target, saveVersion }) => {
        const { remote, merge, notes } = await lookUp(folder, send, target, flags, host, note);
        let updated = remote;
        if (merge.changed.length > 0) {
          saveVersion('update', remote);
          updated = await withSourceLocations(dir, session, updateFormula(send, remote.id, merge.body, remote));
        }
        noteUpdate(folder, updated, notes);
        await notes.saved(...(merge.changed.includes('name') ? [updated] : []));
        const isDone = merge.changed.length > 0;
        note(isDone ? `updated: ${merge.changed.join(', ')}` : 'unchanged: the service holds what the folder says');
        return updated;
      });
      return print(formulaAnswer(formula, host.now()));
    });
};

interface Found {
  remote: Formula;
  merge: Merge;
  notes: Notes;
}

/** Raises conflict (6) for a formula that others changed and that would be overwritten. */
async function lookUp(
  folder: UpdateFolder,
  send: Send,
  target: TargetName,
  flags: { removeIcon?: boolean | undefined; force?: boolean | undefined },
  host: Host,
  note: (text: string) => void,
): Promise<Found> {
  const notes = openNotes(folder.path, target, host, send.warn);
  const remote = await findToUpdate(folder, send, notes, note);
  const merge = mergeFormula(folder.body, remote, { removeIcon: flags.removeIcon ?? false });
  for (const field of merge.kept) note(`note: the folder has no ${field}; the one on the service is kept`);
  if (merge.changed.length > 0 && !flags.force && notes.isChanged(remote)) {
    throw new CliError(
      'conflict',
      `${JSON.stringify(remote.name)} was not updated: ${changedReason(remote, send.command)}`,
      {
        details: { ids: [remote.id] },
      },
    );
  }
  return { remote, merge, notes };
}

/** A folder that is linked, or a formula that is, stays so when the formula was named. */
function noteUpdate({ word, path }: UpdateFolder, formula: Formula, notes: Notes): void {
  notes.saw(formula);
  const isFree = notes.idOf(path) === undefined && notes.folderOf(formula) === undefined;
  if (word === undefined || (isFree && formula.type !== 'official')) notes.link(path, formula);
}
