/** formulary formula restore */

import type { ServiceClient } from '../../api/client.ts';
import { requireUnique } from '../../api/find-formula.ts';
import { isSameId } from '../../api/formula-guards.ts';
import { findFormulaById, getFormula, listFormulas } from '../../api/formula-reads.ts';
import { createFormula, updateFormula } from '../../api/formula-writes.ts';
import { filterByName, findPreexistingIds } from '../../api/incomplete-list.ts';
import { CliError } from '../../errors.ts';
import { realPath, toRelative } from '../../files/paths.ts';
import { changedFields, toRequestBody } from '../../formula-content.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { confirm, requireConfirmable } from '../../program/confirm.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession, type SaveVersion } from '../../program/session.ts';
import { findTargetName } from '../../settings/resolve-target.ts';
import { assertSameTarget, findEntry } from '../../state/find-entry.ts';
import { discardIfRejected } from '../../state/history.ts';
import type { HistoryEntry } from '../../state/history-entries.ts';
import { assertNoNameConflict } from '../../sync/name-conflict.ts';
import { openTrackingHere } from '../../sync/tracking.ts';
import { type CommandFormatter, toPathArgument } from '../../text/shell-quote.ts';
import { FORMULA_FIELDS, formulaView } from '../../views/formula-view.ts';

export const restore: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Restore a version that was saved before an update or a delete: a history entry, or the latest version of a formula. If the formula no longer exists, the private formula with its name is replaced, or a new one is created. Prompts for confirmation; without a terminal, --yes is required. Requires the permissions reactor:read, reactor:update, and reactor:create.',
    )
    .argument('<entry|name>', 'history entry (at least 4 digits of its id), or exact name of a formula')
    .option('--yes', 'skip the prompt')
    .option('--no-history', 'do not save the current version')
    .option('--no-input', 'never prompt')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula history\n  formulary formula restore "Tokenize a card" --local\n  formulary formula restore ENTRY --local --yes',
    )
    .action(async (entryOrName, flags) => {
      const session = createSession(flags, host, FORMULA_FIELDS);
      const { print, note } = session;
      const entry = findEntry(entryOrName, findTargetName(flags, host).name, host, note);
      assertComplete(entry);
      requireConfirmable('restored', flags, host);
      const { client: reader, target: current } = await session.connect();
      assertSameTarget(entry, current.name);
      // Prompts without the write lock, so that other commands do not wait for the answer.
      const planned = flags.yes ? undefined : await planRestore(entry, reader);
      if (planned && needsWrite(planned)) await confirm(formatQuestion(entry, planned), flags, host);
      const formula = await session.write(async ({ client, target, saveVersion, requireHistory }) => {
        const tracking = openTrackingHere(target, host, client.warn);
        const plan = await planRestore(entry, client);
        assertStillPlanned(entry, planned, plan);
        if (plan.present && needsWrite(plan)) requireHistory();
        const restored = await applyRestore(entry, plan, client, saveVersion, note);
        if (!isSameId(restored.id, entry.id)) tracking.recordDeleted(entry.formula, restored);
        await tracking.flush(restored);
        await assertNoNameConflict(client, restored, plan.present ? undefined : plan.preexistingIds);
        return {
          restored,
          linked: needsWrite(plan) ? tracking.findFolder(restored) : undefined,
          command: client.command,
        };
      });
      await print(formulaView(formula.restored, host.now()));
      for (const line of formatFolderLines(formula, host)) note(line);
    });
};

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

/** What a restore would do. */
interface RestorePlan {
  /** The formula that is replaced; undefined if one is created. */
  present: Formula | undefined;
  /** The fields that differ from the saved version. */
  changed: readonly string[];
  /** The ids before a create. */
  preexistingIds?: ReadonlySet<string> | undefined;
}

const needsWrite = ({ present, changed }: RestorePlan) => present === undefined || changed.length > 0;

/** Finds the formula by its id, otherwise by its name. Raises conflict (6) if several have the name, unavailable (8). */
async function planRestore({ id, formula }: HistoryEntry, client: ServiceClient): Promise<RestorePlan> {
  const body = toRequestBody(formula);
  const byId = await findFormulaById(client, id);
  if (byId) return { present: byId, changed: changedFields(body, byId) };
  const list = await listFormulas(client, {
    description: 'check whether the formula was created again',
    needsContent: () => false,
  });
  const { items, incompleteReason } = filterByName(list, body.name);
  const matches = { incompleteReason, items: items.filter(({ type }) => type !== 'official') };
  if (matches.items.length === 0 && incompleteReason === undefined)
    return { present: undefined, changed: [], preexistingIds: findPreexistingIds(list) };
  const present = await getFormula(client, requireUnique(matches, body.name, client, '').id);
  return { present, changed: changedFields(body, present) };
}

function formatQuestion({ id, name, operation, at }: HistoryEntry, { present, changed }: RestorePlan): string {
  const version = `${JSON.stringify(name)} as it was before the ${operation} of ${at}`;
  if (!present) return escapeControls(`Restore ${version} as a new formula?`);
  const isRecreated = !isSameId(present.id, id);
  return escapeControls(
    `Restore ${version}${isRecreated ? ` into the formula of this name, ${present.id}` : ''} (changes ${changed.join(', ')})?`,
  );
}

/** Raises conflict (6) if the formula to replace is another one than when the user confirmed. */
function assertStillPlanned({ name }: HistoryEntry, before: RestorePlan | undefined, now: RestorePlan): void {
  if (before === undefined || before.present?.id === now.present?.id) return;
  throw new CliError(
    'conflict',
    `${JSON.stringify(name)} changed on the service in the meantime; nothing was changed`,
    {
      hint: 'Run the command again.',
    },
  );
}

/** Updates or creates the formula. */
async function applyRestore(
  { id, formula }: HistoryEntry,
  { present, changed, preexistingIds }: RestorePlan,
  client: ServiceClient,
  saveVersion: SaveVersion,
  note: (text: string) => void,
): Promise<Formula> {
  const body = toRequestBody(formula);
  if (!present) {
    const created = await createFormula(client, body, preexistingIds);
    note(escapeControls(`formula ${id} no longer exists; restored as a new formula: ${created.id}`));
    return created;
  }
  if (!isSameId(present.id, id))
    note(escapeControls(`formula ${id} no longer exists; using the formula of the same name: ${present.id}`));
  if (changed.length === 0) {
    note('No changes: the formula is up to date.');
    return present;
  }
  const saved = saveVersion('update', present);
  const restored = await discardIfRejected(saved, updateFormula(client, present.id, body, present));
  note(`Restored formula ${escapeControls(JSON.stringify(restored.name))}: ${changed.join(', ')}`);
  return restored;
}

/** What to do with the folder that is linked to the restored formula: it may contain another version. */
function formatFolderLines(
  { restored, linked, command }: { restored: Formula; linked: string | undefined; command: CommandFormatter },
  host: Host,
): string[] {
  if (linked === undefined) return [];
  const dir = toPathArgument(toRelative(realPath(host.cwd()), linked) || '.');
  return [
    escapeControls(`The folder ${dir} is linked to this formula.`),
    `To write the restored version into it, run: ${command('formula pull', restored.id)} --force`,
    `To publish the folder again, run: ${command('formula push', dir)} --force`,
  ];
}
