/** formulary formula restore */

import type { ServiceClient } from '../../api/client.ts';
import { findFormulaById, listFormulas } from '../../api/formula-reads.ts';
import { createFormula, updateFormula } from '../../api/formula-writes.ts';
import { findPreexistingIds } from '../../api/incomplete-list.ts';
import { CliError } from '../../errors.ts';
import { changedFields, toRequestBody } from '../../formula-content.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { confirm, requireConfirmable } from '../../program/confirm.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession, type SaveVersion } from '../../program/session.ts';
import { type HistoryEntry, historyUnreadableError, readHistory } from '../../state/history.ts';
import { getReadableState } from '../../state/state-folder.ts';
import { assertNameFree, assertNoNameConflict } from '../../sync/name-conflict.ts';
import { openTrackingHere } from '../../sync/tracking.ts';
import { formulaView } from '../../views/formula-view.ts';

export const restore: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('put a kept copy back')
    .description(
      'Put back a copy that was kept before an update or a delete. When the formula is not there any more it is created, with a new id. Asks on a terminal; elsewhere it needs --yes. Needs the permissions reactor:read, reactor:update and reactor:create.',
    )
    .argument('<entry>', 'a copy that formulary formula history lists')
    .option('--yes', 'put it back without asking')
    .option('--no-history', 'keep no copy of what is replaced')
    .option('--no-input', 'never ask, as where there is no terminal')
    .addHelpText('after', '\nExamples:\n  formulary formula history\n  formulary formula restore ENTRY --local --yes')
    .action(async (entryName, flags) => {
      const session = createSession(flags, host);
      const { print, note } = session;
      if (entryName === '')
        throw new CliError('usage', 'the entry is empty; wanted is one that formulary formula history lists');
      const entry = findEntry(entryName, host, note);
      assertComplete(entry);
      requireConfirmable('restored', flags, host);
      const what = `${escapeControls(JSON.stringify(entry.name))} as it was before the ${entry.operation} of ${escapeControls(entry.at)}`;
      await confirm('restored', `Restore ${what}?`, flags, host);
      const formula = await session.write(async ({ client, target, saveVersion }) => {
        assertSameTarget(entry, target.name);
        const tracking = openTrackingHere(target, host, client.warn);
        const { restored, preexistingIds } = await restoreEntry(entry, client, saveVersion, note);
        if (restored.id.toLowerCase() !== entry.id.toLowerCase()) tracking.recordDeleted(entry.formula, restored);
        tracking.recordSeen(restored);
        await tracking.flush(restored);
        await assertNoNameConflict(client, restored, preexistingIds);
        return restored;
      });
      return print(formulaView(formula, host.now()));
    });
};

function findEntry(entryName: string, host: Host, warn: (text: string) => void): HistoryEntry {
  const { problem } = getReadableState(host);
  if (problem) throw historyUnreadableError(problem);
  const found = readHistory(host, warn).find(({ entry }) => entry === entryName);
  if (found) return found;
  throw new CliError('not_found', `no copy with the name ${JSON.stringify(entryName)} is kept here`, {
    hint: 'formulary formula history lists all that are kept; the first column is the name',
  });
}

/** Raises invalid (3) where what would be sent is not what the service had. */
function assertComplete({ entry, hidden = [], formula }: HistoryEntry): void {
  const missing = hidden.filter((field) => field === 'id' || field in toRequestBody(formula));
  if (missing.length === 0) return;
  throw new CliError(
    'invalid',
    `the copy ${entry} is not whole, so nothing was sent: a secret in use then, such as the API key, stood in ${missing.join(', ')}, and is never kept; the copy has [hidden] in its place`,
    {
      hint: 'take what you need from the file of the copy (formulary help files says where it is) into a folder, and push or update that',
    },
  );
}

function assertSameTarget(entry: HistoryEntry, target: string): void {
  if (entry.target === target) return;
  throw new CliError('usage', `the copy is of ${entry.target}, and the settings lead to ${target}; nothing was sent`, {
    hint: 'choose the service with --base-url, --profile or --local, and its name with --target when it had one',
  });
}

/** The formula as it is now; where it was created, with the ids before. */
async function restoreEntry(
  { id, formula }: HistoryEntry,
  client: ServiceClient,
  saveVersion: SaveVersion,
  note: (text: string) => void,
): Promise<{ restored: Formula; preexistingIds?: ReadonlySet<string> | undefined }> {
  const body = toRequestBody(formula);
  const present = await findFormulaById(client, id);
  if (!present) {
    const existing = await listFormulas(client, {
      description: 'check whether the name is taken',
      needsContent: () => false,
    });
    assertNameFree(existing, body.name, client);
    const preexistingIds = findPreexistingIds(existing);
    const restored = await createFormula(client, body, preexistingIds);
    note(
      escapeControls(`the formula ${id} is not there any more; it was created anew, with the new id ${restored.id}`),
    );
    return { restored, preexistingIds };
  }
  const changed = changedFields(body, present);
  if (changed.length === 0) {
    note('unchanged: the service holds what the copy says');
    return { restored: present };
  }
  saveVersion('update', present);
  const restored = await updateFormula(client, present.id, body, present);
  note(`restored: ${changed.join(', ')}`);
  return { restored };
}
