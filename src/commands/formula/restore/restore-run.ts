/** restore --run: restores the formulas that one command replaced or deleted, after one prompt. */
import type { Outcome } from '../../../errors.ts';
import { escapeControls } from '../../../output/escape.ts';
import { type ConfirmFlags, confirm, confirmAndWrite, requireConfirmable } from '../../../session/confirm.ts';
import { listErrors, printErrors, printHints } from '../../../session/print-errors.ts';
import type { Session, WriteSession } from '../../../session/session.ts';
import { assertSameTarget, findRun, type NamedFormula, type SavedRun } from '../../../state/history-entries.ts';
import { combineOutcomes, countOutcomes, formatCounts, formatUndo } from '../../../sync/outcome.ts';
import {
  applyRun,
  isToWrite,
  planRun,
  RUN_OUTCOMES,
  type RunStep,
  recordRun,
  rejectChanged,
  toUnwritten,
} from '../../../sync/restore-run.ts';
import { openTrackingHere } from '../../../sync/tracking.ts';
import type { CommandFormatter } from '../../../text/shell-quote.ts';
import { listFirst } from '../../../text/shorten.ts';
import { outcomesView } from '../../../views/outcomes-view.ts';

/** Raises not_found (5) for an unknown run, usage (2) if the user declines. */
export async function restoreRun(argument: string, flags: ConfirmFlags, session: Session): Promise<Outcome> {
  const { host, note, print } = session;
  const run = findRun(argument, host, note);
  requireConfirmable('restored', flags, host);
  const { client, lockName } = await session.connect();
  for (const entry of run.entries) assertSameTarget(entry, lockName);
  const { results, created, linked, undo, flushError } = await confirmAndWrite(session, {
    confirm: flags.yes ? undefined : async () => confirmSteps((await planRun(run, client)).steps, session),
    apply: (writing, confirmed = []) => applyConfirmed(run, confirmed, writing, session),
  });
  const errors = listErrors(results);
  printErrors(errors, host);
  await print(outcomesView(results, RUN_OUTCOMES));
  note(formatCounts(countOutcomes(results, 'outcome', RUN_OUTCOMES)));
  printHints(errors, host);
  for (const line of formatNotes(created, linked, client.command)) note(line);
  if (undo !== undefined) note(undo);
  if (flushError) throw flushError;
  return combineOutcomes(results);
}

/** Nothing is restored if a formula changed since the run, and the user did not confirm that. */
async function applyConfirmed(
  run: SavedRun,
  confirmed: readonly RunStep[],
  { client, target, saveVersion, recordCreated, undoCommand }: WriteSession,
  { host, warn, signal, requireHistory }: Session,
) {
  const tracking = openTrackingHere(target, host, warn);
  const { steps, created } = await planRun(run, client);
  const checked = rejectChanged(steps, confirmed, client);
  const isRejected = checked.some(({ isChanged, error }) => isChanged && error);
  if (!isRejected && steps.some(replaces)) await requireHistory();
  const results = isRejected ? checked.map(toUnwritten) : await applyRun(steps, { client, saveVersion, signal });
  const linked = recordRun(steps, results, tracking);
  const [restored, recreated] = ['restored', 'created'].map((outcome) =>
    results.flatMap((one) => (one.outcome === outcome ? [one.formula] : [])),
  ) as [NamedFormula[], NamedFormula[]];
  recordCreated(recreated);
  const flushError = await tracking.flush(...recreated).catch((error: unknown) => error);
  return { results, created, linked, flushError, undo: formatUndo(restored.length, undoCommand) };
}

const replaces = (step: RunStep) => isToWrite(step) && step.plan?.present !== undefined;

/** Shows what is restored, and prompts for it. */
async function confirmSteps(steps: readonly RunStep[], { host, requireHistory }: Session): Promise<readonly RunStep[]> {
  if (steps.some(replaces)) await requireHistory();
  const open = steps.filter(isToWrite);
  for (const { entry, plan, isChanged } of open) {
    const action = plan?.present ? 'restore' : 'create ';
    const mark = isChanged ? '  (changed since the run)' : '';
    host.stderr.write(`  ${escapeControls(`${action}  ${plan?.present?.id ?? entry.id}  ${entry.name}${mark}`)}\n`);
  }
  if (open.length > 0)
    await confirm(open.length === 1 ? 'Restore this formula?' : `Restore these ${open.length} formulas?`, host);
  return steps;
}

function formatNotes(created: readonly NamedFormula[], linked: number, command: CommandFormatter): string[] {
  const names = listFirst(created.map(({ id, name }) => `${JSON.stringify(name)} (${id})`));
  return [
    ...(created.length > 0 ? [escapeControls(`note: the run created formulas, which are not deleted: ${names}`)] : []),
    ...(linked > 0 ? [`To compare the folders with what was restored, run: ${command('formula status')}`] : []),
  ];
}
