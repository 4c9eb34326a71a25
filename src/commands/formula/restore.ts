/** formulary formula restore */
import { isSameId } from '../../api/formula-guards.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { toDisplayFolder } from '../../files/paths.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { confirm, confirmAndWrite, requireConfirmable } from '../../session/confirm.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession, type Session, type WriteSession } from '../../session/session.ts';
import { findServiceName } from '../../settings/resolve-target.ts';
import type { HistoryEntry } from '../../state/history-entries.ts';
import { assertSameTarget, findEntry, HISTORY_HINT } from '../../state/history-entries.ts';
import { assertNoNameConflict } from '../../sync/name-conflict.ts';
import { formatPullCommand, isSkippedByPull } from '../../sync/push/conflict-hint.ts';
import {
  applyRestore,
  assertRestorable,
  assertStillPlanned,
  needsWrite,
  planRestore,
  type RestorePlan,
} from '../../sync/restore-formula.ts';
import { openTrackingHere } from '../../sync/tracking.ts';
import { type CommandFormatter, toPathArgument } from '../../text/shell-quote.ts';
import { FORMULA_FIELDS, writtenFormulaView } from '../../views/formula-view.ts';
import { OUTCOME_FIELDS } from '../../views/outcomes-view.ts';
import { restoreRun } from './restore/restore-run.ts';

export const restore: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Restore a version that was saved before an update or a delete: a history entry, or the latest version of a formula; with --run, the formulas that one command replaced or deleted. If the formula no longer exists, the private formula with its name is replaced, or a new one is created. Prompts for confirmation; without a terminal, --yes is required. Requires the permissions reactor:read, reactor:update, and reactor:create.',
    )
    .argument('[entry|name]', 'history entry (at least 4 digits of its id), or exact name of a formula')
    .option('--run <run>', 'restore the formulas that one command replaced or deleted')
    .option('--yes', 'skip the prompt')
    .option('--no-history', 'do not save the current version')
    .option('--no-input', 'never prompt')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula history\n  formulary formula restore "Tokenize a card" --local\n  formulary formula restore ENTRY --local --yes',
    )
    .action(async (entryOrName, flags) => {
      if ((entryOrName === undefined) === (flags.run === undefined))
        throw new CliError('usage', 'formula restore must have either an entry or name, or --run', {
          hint: HISTORY_HINT,
        });
      const fields = flags.run === undefined ? FORMULA_FIELDS : OUTCOME_FIELDS;
      const session = createSession(flags, host, fields, { namesService: true });
      if (flags.run !== undefined) return setOutcome(await restoreRun(flags.run, flags, session));
      const { print, note } = session;
      const entry = findEntry(entryOrName ?? '', findServiceName(flags, host), host, note);
      assertRestorable(entry);
      requireConfirmable('restored', flags, host);
      const { client, lockName } = await session.connect();
      assertSameTarget(entry, lockName);
      const { plan, restored, linked } = await confirmAndWrite(session, {
        confirm: flags.yes
          ? undefined
          : async () => {
              const preview = await planRestore(entry, client);
              if (preview.present && needsWrite(preview)) await session.requireHistory();
              if (needsWrite(preview)) await confirm(formatQuestion(entry, preview), host);
              return preview;
            },
        apply: (writing, preview) => restoreEntry(entry, preview, writing, session),
      });
      if (!isSameId(restored.id, entry.id)) note(escapeControls(`note: ${formatNewId(entry, plan, restored)}`));
      await print(writtenFormulaView(restored, host.now(), session.isVerbose));
      note(formatSummary(plan, restored));
      formatFolderLines(restored, linked, client.command, host).forEach(note);
    });
};

/** Restores the entry and updates the links. Raises conflict (6) if it would do something else than the preview. */
async function restoreEntry(
  entry: HistoryEntry,
  preview: RestorePlan | undefined,
  { client, target, saveVersion }: WriteSession,
  { host, warn, requireHistory }: Session,
) {
  const tracking = openTrackingHere(target, host, warn);
  const plan = await planRestore(entry, client);
  if (preview) assertStillPlanned(entry, preview, plan);
  if (plan.present && needsWrite(plan)) await requireHistory();
  const restored = await applyRestore(entry, plan, client, saveVersion);
  if (!isSameId(restored.id, entry.id)) tracking.recordDeleted(entry.formula, restored);
  await tracking.flush(restored);
  await assertNoNameConflict(client, restored, plan.present ? undefined : plan.preexistingIds);
  return { plan, restored, linked: needsWrite(plan) ? tracking.findFolder(restored) : undefined };
}

function formatQuestion({ name, operation, at }: HistoryEntry, { present, changed, isRecreated }: RestorePlan): string {
  const version = `${JSON.stringify(name)} as it was before the ${operation} of ${at}`;
  if (!present) return escapeControls(`Restore ${version} as a new formula?`);
  const place = isRecreated ? ` into the formula of this name, ${present.id}` : '';
  return escapeControls(`Restore ${version}${place} (changes ${changed.join(', ')})?`);
}

const formatNewId = ({ id }: HistoryEntry, { present }: RestorePlan, restored: Formula): string =>
  `formula ${id} no longer exists; ${present ? 'using the formula of the same name' : 'restored as a new formula'}: ${restored.id}`;

function formatSummary({ present, changed }: RestorePlan, { id, name }: Formula): string {
  if (present && changed.length === 0) return 'No changes: the formula is up to date.';
  return escapeControls(`Restored formula ${JSON.stringify(name)}${present ? `: ${changed.join(', ')}` : ` (${id})`}`);
}

/** What to do with the folder that is linked to the restored formula: it may contain another version. */
function formatFolderLines({ id }: Formula, path: string | undefined, command: CommandFormatter, host: Host): string[] {
  if (path === undefined) return [];
  const dir = toDisplayFolder(host.cwd(), path);
  return [
    escapeControls(`The folder ${dir} is linked to this formula.`),
    ...(isSkippedByPull({ path, fields: ['code'] })
      ? []
      : [`To write the restored version into it, run: ${formatPullCommand({ displayPath: dir }, id, command)}`]),
    `To publish the folder again, run: ${command('formula push', toPathArgument(dir), '--force')}`,
  ];
}
