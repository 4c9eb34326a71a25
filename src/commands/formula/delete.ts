/** formulary formula delete */

import type { ServiceClient } from '../../api/client.ts';
import { findFormula } from '../../api/find-formula.ts';
import { getFormula } from '../../api/formula-reads.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { createMonotonicClock } from '../../host/monotonic-clock.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { startProgress } from '../../output/progress.ts';
import { requireNonEmpty, withFolderHint } from '../../session/arguments.ts';
import { confirmAndWrite, confirmFormulas, requireConfirmable } from '../../session/confirm.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { printResult } from '../../session/print-errors.ts';
import { createSession, type Session, type WriteSession } from '../../session/session.ts';
import { combineOutcomes, countOutcomes, formatCounts, formatUndo, toFailedOutcome } from '../../sync/outcome.ts';
import { type SentWrite, sendWrite, type WriteContext } from '../../sync/send-write.ts';
import { openTrackingHere } from '../../sync/tracking.ts';
import { OUTCOME_FIELDS, outcomesView, toOutcomeItem } from '../../views/outcomes-view.ts';

export const remove: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Delete formulas. Prompts for confirmation; without a terminal, --yes is required. Requires the permissions reactor:delete and reactor:read.',
    )
    .argument('<id|name...>', 'ids of formulas, or their exact names')
    .option('--yes', 'skip the prompt')
    .option('--no-history', 'do not save the deleted formulas')
    .option('--no-input', 'never prompt')
    .action(async (idsOrNames, flags) => {
      const session = createSession(flags, host, OUTCOME_FIELDS, { namesService: true });
      idsOrNames.forEach(requireNonEmpty);
      requireConfirmable('deleted', flags, host);
      const { results, flushError, undo } = await confirmAndWrite(session, {
        confirm: flags.yes
          ? undefined
          : async ({ client }) => confirmDeletion(await findFormulas(client, idsOrNames, host), session),
        apply: async (writing, confirmed) =>
          deleteAll(confirmed ?? (await findFormulas(writing.client, idsOrNames, host)), writing, session),
      });
      const [first] = results;
      if (first?.error && results.length === 1) throw first.error;
      const errors = results.flatMap(({ outcome, error }) => (error && outcome !== 'not_started' ? [error] : []));
      await printResult(
        outcomesView(results.map(toOutcomeItem), DELETION_OUTCOMES),
        errors,
        [formatSummary(results)],
        session,
      );
      if (undo !== undefined) session.note(undo);
      if (flushError) throw flushError;
      setOutcome(combineOutcomes(results));
    });
};

const DELETION_OUTCOMES = ['deleted', 'failed', 'unknown', 'not_started'] as const;

interface Deletion extends SentWrite {
  outcome: (typeof DELETION_OUTCOMES)[number];
  error?: CliError;
}

/** Deletes the formulas and updates the links; an error of the lock file is returned, to be raised after the results are printed. */
async function deleteAll(
  formulas: readonly Formula[],
  { client, target, saveVersion, undoCommand }: WriteSession,
  { host, note, warn, isVerbose, requireHistory }: Session,
): Promise<{ results: Deletion[]; flushError: unknown; undo: string | undefined }> {
  const tracking = openTrackingHere(target, host, warn);
  await requireHistory();
  const results: Deletion[] = [];
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'delete', formulas.length);
  for (const formula of formulas) {
    const deletion = await deleteOne(formula, { client, saveVersion, isSaved: undoCommand !== undefined });
    results.push(deletion);
    if (deletion.note !== undefined) warn(deletion.note);
    if (deletion.outcome === 'deleted') tracking.recordDeleted(formula);
    progress.step(deletion.error !== undefined);
    if (isVerbose && !host.stderr.isTerminal)
      note(escapeControls(`${deletion.outcome}  ${formula.id}  ${formula.name}`));
  }
  progress.end();
  const deleted = results.flatMap(({ outcome, formula }) => (outcome === 'deleted' ? [formula] : []));
  const [entry, ...entries] = results.flatMap((one) =>
    one.outcome === 'deleted' && one.savedEntry ? [one.savedEntry] : [],
  );
  const undo =
    entry === undefined || entries.length > 0
      ? formatUndo(entries.length + 1, undoCommand)
      : `To restore it, run: ${client.command('formula restore', entry)}`;
  return { results, undo, flushError: await tracking.flush(...deleted).catch((error: unknown) => error) };
}

/** Deletes a formula; a version to save is read again. */
async function deleteOne(
  formula: Formula,
  { isSaved, ...context }: WriteContext & { isSaved: boolean },
): Promise<Deletion> {
  try {
    const remote = isSaved ? await getFormula(context.client, formula.id) : formula;
    return { ...(await sendWrite({ remote }, context)), formula, outcome: 'deleted' };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { formula, outcome: toFailedOutcome(error), error };
  }
}

function formatSummary(results: readonly Deletion[]): string {
  const [first] = results;
  if (results.length === 1 && first)
    return escapeControls(`Deleted formula ${JSON.stringify(first.formula.name)} (${first.formula.id})`);
  return formatCounts(countOutcomes(results, 'outcome', DELETION_OUTCOMES));
}

/** Finds all formulas before any is deleted, so that nothing is deleted if an argument is misspelled. */
async function findFormulas(client: ServiceClient, idsOrNames: readonly string[], host: Host): Promise<Formula[]> {
  const byId = new Map<string, Formula>();
  for (const idOrName of idsOrNames) {
    const formula = await withFolderHint(idOrName, host, findFormula(client, idOrName));
    byId.set(formula.id, formula);
  }
  return [...byId.values()];
}

async function confirmDeletion(formulas: readonly Formula[], { host, requireHistory }: Session) {
  await requireHistory();
  await confirmFormulas(
    'Delete',
    formulas.map(({ id, name }) => `${id}  ${name}`),
    host,
  );
  return formulas;
}
