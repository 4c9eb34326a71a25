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
import { FORMULA_FIELDS, formulaView } from '../../views/formula-view.ts';

export const restore: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Restore a version that was saved before an update or a delete. If the formula no longer exists, it is created with a new id. Prompts for confirmation; without a terminal, --yes is required. Requires the permissions reactor:read, reactor:update, and reactor:create.',
    )
    .argument('<entry>', 'history entry, as listed by formulary formula history')
    .option('--yes', 'skip the prompt')
    .option('--no-history', 'do not save the current version')
    .option('--no-input', 'never prompt')
    .addHelpText('after', '\nExamples:\n  formulary formula history\n  formulary formula restore ENTRY --local --yes')
    .action(async (entryName, flags) => {
      const session = createSession(flags, host, FORMULA_FIELDS);
      const { print, note } = session;
      if (entryName === '')
        throw new CliError('usage', 'ENTRY must be a history entry (got an empty string)', { hint: HISTORY_HINT });
      const entry = findEntry(entryName, host, note);
      assertComplete(entry);
      requireConfirmable('restored', flags, host);
      const version = `${escapeControls(JSON.stringify(entry.name))} as it was before the ${entry.operation} of ${escapeControls(entry.at)}`;
      await confirm(`Restore ${version}?`, flags, host);
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

const HISTORY_HINT = 'To list the entries, run: formulary formula history';

function findEntry(entryName: string, host: Host, warn: (text: string) => void): HistoryEntry {
  const { problem } = getReadableState(host);
  if (problem) throw historyUnreadableError(problem);
  const found = readHistory(host, warn).find(({ entry }) => entry === entryName);
  if (found) return found;
  throw new CliError('not_found', `no history entry ${JSON.stringify(entryName)}`, { hint: HISTORY_HINT });
}

/** Raises invalid (3) if a field of the request was redacted in the history. */
function assertComplete({ entry, hidden = [], formula }: HistoryEntry): void {
  const missing = hidden.filter((field) => field === 'id' || field in toRequestBody(formula));
  if (missing.length === 0) return;
  throw new CliError(
    'invalid',
    `history entry ${entry} is incomplete: ${missing.join(', ')} contained a secret, which is not saved in history; nothing was changed`,
    {
      hint: "Copy what you need from the entry's file into a folder and push it. For its path, run: formulary help files",
    },
  );
}

function assertSameTarget(entry: HistoryEntry, target: string): void {
  if (entry.target === target) return;
  throw new CliError('usage', `this entry belongs to ${entry.target}, but the current service is ${target}`, {
    hint: 'Select the service with --base-url, --profile, or --local, and its name with --target.',
  });
}

/** Updates or creates the formula. A created one is returned with the ids that existed before. */
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
      description: 'check whether the name is in use',
      needsContent: () => false,
    });
    assertNameFree(existing, body.name, client);
    const preexistingIds = findPreexistingIds(existing);
    const restored = await createFormula(client, body, preexistingIds);
    note(escapeControls(`formula ${id} no longer exists; restored as a new formula: ${restored.id}`));
    return { restored, preexistingIds };
  }
  const changed = changedFields(body, present);
  if (changed.length === 0) {
    note('No changes: the formula is up to date.');
    return { restored: present };
  }
  saveVersion('update', present);
  const restored = await updateFormula(client, present.id, body, present);
  note(`Restored formula ${escapeControls(JSON.stringify(restored.name))}: ${changed.join(', ')}`);
  return { restored };
}
