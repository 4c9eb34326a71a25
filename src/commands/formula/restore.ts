/** formulary formula restore */

import { isSameId } from '../../api/formula-guards.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError, type Outcome } from '../../errors.ts';
import { toDisplayFolder } from '../../files/paths.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { confirm, confirmAndWrite, confirmFormulas, requireConfirmable } from '../../session/confirm.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { listErrors, printResult } from '../../session/print-errors.ts';
import { createSession, type Session, type WriteSession } from '../../session/session.ts';
import { findServiceName, type ServiceFlags } from '../../settings/resolve-target.ts';
import { assertSameTarget, findEntry, findRun, HISTORY_HINT, type SavedRun } from '../../state/history-entries.ts';
import { combineOutcomes, countOutcomes, formatCounts, formatUndo } from '../../sync/outcome.ts';
import { formatPullCommand, isSkippedByPull } from '../../sync/push/conflict-hint.ts';
import {
  applyRestore,
  assertRestorable,
  isRecreated,
  isToWrite,
  planRestore,
  RESTORE_OUTCOMES,
  type RestoreResult,
  type RestoreStep,
  rejectChanged,
  toUnwritten,
} from '../../sync/restore-formula.ts';
import { openTrackingHere } from '../../sync/tracking.ts';
import { type CommandFormatter, toPathArgument } from '../../text/shell-quote.ts';
import { listFirst } from '../../text/shorten.ts';
import { FORMULA_FIELDS, writtenFormulaView } from '../../views/formula-view.ts';
import { OUTCOME_FIELDS, outcomesView, toOutcomeItem } from '../../views/outcomes-view.ts';

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
    .action(async (entryOrName, flags) => {
      const fields = flags.run === undefined ? FORMULA_FIELDS : OUTCOME_FIELDS;
      const session = createSession(flags, host, fields, { namesService: true });
      const saved = findSaved(entryOrName, flags, session);
      if (saved.run === undefined) saved.entries.forEach(assertRestorable);
      requireConfirmable('restored', flags, host);
      const { client, lockName } = await session.connect();
      for (const entry of saved.entries) assertSameTarget(entry, lockName);
      const written = await confirmAndWrite(session, {
        confirm: flags.yes
          ? undefined
          : async () => confirmSteps(saved, (await planRestore(saved, client)).steps, session),
        apply: (writing, confirmed) => applySteps(saved, confirmed, writing, session),
      });
      const [only] = written.results;
      if (saved.run !== undefined) setOutcome(await printResults(written, client.command, session));
      else if (only) await printFormula(only, written, client.command, session);
    });
};

/** Raises usage (2) without exactly one of the two, and the errors of the history. */
function findSaved(
  entryOrName: string | undefined,
  { run, ...flags }: ServiceFlags & { run?: string | undefined },
  { host, note }: Session,
): SavedRun {
  if (run !== undefined && entryOrName === undefined) return findRun(run, host, note);
  if (run === undefined && entryOrName !== undefined)
    return { entries: [findEntry(entryOrName, findServiceName(flags, host), host, note)], created: [] };
  throw new CliError('usage', 'formula restore must have either an entry or name, or --run', { hint: HISTORY_HINT });
}

const replaces = (step: RestoreStep) => isToWrite(step) && step.present !== undefined;

/** Prompts for what is restored; of a run, it is listed. */
async function confirmSteps({ run }: SavedRun, steps: readonly RestoreStep[], { host, requireHistory }: Session) {
  if (steps.some(replaces)) await requireHistory();
  const open = steps.filter(isToWrite);
  const [first] = open;
  if (first && run === undefined) await confirm(formatQuestion(first), host);
  else if (first) await confirmFormulas('Restore', open.map(formatStep), host);
  return steps;
}

function formatStep({ entry, present, isChanged }: RestoreStep): string {
  const action = present ? 'restore' : 'create ';
  return `${action}  ${present?.id ?? entry.id}  ${entry.name}${isChanged ? '  (changed since the run)' : ''}`;
}

function formatQuestion(step: RestoreStep): string {
  const { entry, present, changed } = step;
  const version = `${JSON.stringify(entry.name)} as it was before the ${entry.operation} of ${entry.at}`;
  if (!present) return escapeControls(`Restore ${version} as a new formula?`);
  const place = isRecreated(step) ? ` into the formula of this name, ${present.id}` : '';
  return escapeControls(`Restore ${version}${place} (changes ${changed.join(', ')})?`);
}

/**
 * Restores the entries and updates the links; nothing if one would do something else than the user confirmed. An error of
 * the lock file is returned, to be raised after the results are printed.
 */
async function applySteps(
  saved: SavedRun,
  confirmed: readonly RestoreStep[] | undefined,
  { client, target, saveVersion, recordCreated, undoCommand }: WriteSession,
  { host, warn, signal, requireHistory }: Session,
) {
  const tracking = openTrackingHere(target, host, warn, { inRepository: true });
  const plan = await planRestore(saved, client);
  const { steps, created } = plan;
  const checked = rejectChanged(steps, confirmed, client);
  const isRejected = checked.some((step, i) => step !== steps[i]);
  if (!isRejected && steps.some(replaces)) await requireHistory();
  const { results, warnings } = isRejected
    ? { results: checked.map(toUnwritten), warnings: [] }
    : await applyRestore(plan, { client, saveVersion, signal });
  [...results.flatMap(({ note }) => note ?? []), ...warnings].forEach(warn);
  const moved = results.filter(({ entry, formula }) => !isSameId(entry.id, formula.id));
  for (const { entry, formula } of moved) tracking.recordDeleted(entry, formula);
  const listAs = (outcome: string) => results.flatMap((one) => (one.outcome === outcome ? [one.formula] : []));
  const [restored, recreated] = [listAs('restored'), listAs('created')];
  recordCreated(recreated);
  const flushError = await tracking.flush(...moved.map(({ formula }) => formula)).catch((error: unknown) => error);
  const linked = [...restored, ...recreated].flatMap((formula) => tracking.findFolder(formula) ?? []);
  return { results, created, linked, flushError, undo: formatUndo(restored.length, undoCommand) };
}

type Written = Awaited<ReturnType<typeof applySteps>>;

/** Prints the result of a run. */
async function printResults(
  { results, created, linked, flushError, undo }: Written,
  command: CommandFormatter,
  session: Session,
): Promise<Outcome> {
  const { note } = session;
  const summary = formatCounts(countOutcomes(results, 'outcome', RESTORE_OUTCOMES));
  await printResult(
    outcomesView(results.map(toOutcomeItem), RESTORE_OUTCOMES),
    listErrors(results),
    [summary],
    session,
  );
  const names = listFirst(created.map(({ id, name }) => `${JSON.stringify(name)} (${id})`));
  if (created.length > 0) note(escapeControls(`note: the run created formulas, which are not deleted: ${names}`));
  if (linked.length > 0) note(`To compare the folders with what was restored, run: ${command('formula status')}`);
  if (undo !== undefined) note(undo);
  if (flushError) throw flushError;
  return combineOutcomes(results);
}

/** Prints the result of a single version. Raises its error. */
async function printFormula(
  { entry, present, changed, formula, error }: RestoreResult,
  { linked, flushError }: Written,
  command: CommandFormatter,
  { host, note, print, isVerbose }: Session,
): Promise<void> {
  const failure = error ?? flushError;
  if (failure) throw failure;
  const { id, name } = formula;
  const successor = !present ? 'restored as a new formula' : 'using the formula of the same name';
  if (!isSameId(id, entry.id)) note(escapeControls(`note: formula ${entry.id} no longer exists; ${successor}: ${id}`));
  await print(writtenFormulaView(formula, host.now(), isVerbose));
  const details = present ? `: ${changed.join(', ')}` : ` (${id})`;
  if (present && changed.length === 0) note('No changes: the formula is up to date.');
  else note(escapeControls(`Restored formula ${JSON.stringify(name)}${details}`));
  formatFolderLines(formula, linked[0], command, host).forEach(note);
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
