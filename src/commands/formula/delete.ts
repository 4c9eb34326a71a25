/** formulary formula delete */

import type { ServiceClient } from '../../api/client.ts';
import { findFormula } from '../../api/find-formula.ts';
import { getFormula } from '../../api/formula-reads.ts';
import { deleteFormula } from '../../api/formula-writes.ts';
import { CliError, toErrorDocument } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { formatErrors } from '../../output/error-lines.ts';
import { escapeControls } from '../../output/escape.ts';
import type { FieldSet } from '../../output/fields.ts';
import type { View } from '../../output/formats.ts';
import { wrapMessage } from '../../output/wrap-message.ts';
import { requireNonEmpty, withFolderHint } from '../../program/arguments.ts';
import { confirm, requireConfirmable } from '../../program/confirm.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession, type SaveVersion } from '../../program/session.ts';
import { discardIfRejected } from '../../state/history.ts';
import { combineOutcomes, countOutcomes } from '../../sync/outcome.ts';
import { openTrackingHere } from '../../sync/tracking.ts';
import type { CommandFormatter } from '../../text/shell-quote.ts';
import { tableView } from '../../views/list-view.ts';

const FIELDS: FieldSet = {
  known: ['id', 'name', 'outcome', 'error'],
};

export const remove: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Delete formulas. Prompts for confirmation; without a terminal, --yes is required. Requires the permissions reactor:delete and reactor:read.',
    )
    .argument('<id|name...>', 'ids of formulas, or their exact names')
    .option('--yes', 'skip the prompt')
    .option('--no-history', 'do not save the deleted formulas')
    .option('--no-input', 'never prompt')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula delete "Tokenize a card" --local\n  formulary formula delete "Tokenize a card" --yes --json',
    )
    .action(async (idsOrNames, flags) => {
      const session = createSession(flags, host, FIELDS);
      const { print } = session;
      idsOrNames.forEach(requireNonEmpty);
      requireConfirmable('deleted', flags, host);
      // Prompts without the write lock, so that other commands do not wait for the answer.
      const confirmed = flags.yes ? undefined : await findFormulas((await session.connect()).client, idsOrNames, host);
      if (confirmed) await confirmDeletion(confirmed, flags, host);
      let flushError: unknown;
      const results = await session.write(async ({ client, target, saveVersion, requireHistory }) => {
        const tracking = openTrackingHere(target, host, client.warn);
        const deletions: Deletion[] = [];
        const formulas = confirmed ?? (await findFormulas(client, idsOrNames, host));
        requireHistory();
        for (const formula of formulas) {
          const deletion = await deleteWithBackup(client, formula, flags.history ? saveVersion : undefined);
          deletions.push(deletion);
          if (deletion.outcome === 'deleted') tracking.recordDeleted(formula);
        }
        const deleted = deletions.flatMap(({ outcome, formula }) => (outcome === 'deleted' ? [formula] : []));
        flushError = await tracking.flush(...deleted).catch((error: unknown) => error);
        return deletions;
      });
      const [first] = results;
      if (first?.error && results.length === 1) throw first.error;
      await print(deletionView(results));
      const errors = results.flatMap(({ outcome, error }) => (error && outcome !== 'not_started' ? [error] : []));
      for (const line of formatErrors(errors)) host.stderr.write(`${wrapMessage(line, host.stderr)}\n`);
      session.note(formatSummary(results));
      for (const line of formatRestoreLines(results, (await session.connect()).client.command)) session.note(line);
      if (flushError) throw flushError;
      setOutcome(combineOutcomes(results));
    });
};

const OUTCOMES = ['deleted', 'failed', 'unknown', 'not_started'] as const;

const COLUMNS = [
  { title: 'OUTCOME', cell: ({ outcome }: Deletion) => outcome },
  { title: 'ID', cell: ({ formula: { id } }: Deletion) => id, isUntruncated: true },
  { title: 'NAME', cell: ({ formula: { name } }: Deletion) => name },
];

interface Deletion {
  formula: Formula;
  outcome: (typeof OUTCOMES)[number];
  error?: CliError;
  /** The history entry. */
  entry?: string | undefined;
}

/** Up to this many formulas, each has a line with the command that restores it. */
const MAX_RESTORE_LINES = 3;

function formatRestoreLines(results: readonly Deletion[], command: CommandFormatter): string[] {
  const saved = results.flatMap(({ outcome, entry }) => (outcome === 'deleted' && entry ? [entry] : []));
  const commands =
    saved.length > MAX_RESTORE_LINES
      ? ['formulary formula history']
      : saved.map((entry) => command('formula restore', entry));
  if (commands.length === 1) {
    const purpose = saved.length === 1 ? 'restore it' : 'find the versions to restore';
    return [`To ${purpose}, run: ${commands[0]}`];
  }
  return commands.length === 0 ? [] : ['To restore them, run:', ...commands.map((line) => `  ${line}`)];
}

function formatSummary(results: readonly Deletion[]): string {
  const [first] = results;
  if (results.length === 1 && first)
    return escapeControls(`Deleted formula "${first.formula.name}" (${first.formula.id})`);
  const counts = countOutcomes(results, OUTCOMES);
  return OUTCOMES.flatMap((outcome) =>
    counts[outcome] ? [`${counts[outcome]} ${outcome.replace('_', ' ')}`] : [],
  ).join(', ');
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

async function confirmDeletion(formulas: readonly Formula[], flags: { history: boolean }, host: Host): Promise<void> {
  // Raised before the prompt instead of after it.
  if (flags.history) (await import('../../state/history.ts')).requireHistory(host);
  for (const { id, name } of formulas) host.stderr.write(`  ${escapeControls(`${id}  ${name}`)}\n`);
  const subject = formulas.length === 1 ? 'this formula' : `these ${formulas.length} formulas`;
  await confirm(`Delete ${subject}?`, {}, host);
}

/** Saves the current version, if `saveVersion` is set, and deletes the formula. */
async function deleteWithBackup(
  client: ServiceClient,
  formula: Formula,
  saveVersion: SaveVersion | undefined,
): Promise<Deletion> {
  try {
    const saved = saveVersion?.('delete', await getFormula(client, formula.id));
    await discardIfRejected(saved, deleteFormula(client, formula.id));
    return { formula, outcome: 'deleted', entry: saved?.entry };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { formula, outcome: toDeletionOutcome(error), error };
  }
}

function toDeletionOutcome({ outcome }: CliError): Deletion['outcome'] {
  if (outcome === 'interrupted') return 'not_started';
  return outcome === 'unknown' ? 'unknown' : 'failed';
}

function deletionView(results: readonly Deletion[]): View {
  const items = results.map(({ formula: { id, name }, outcome, error }) => ({
    id,
    name,
    outcome,
    ...(error && outcome !== 'not_started' && toErrorDocument(error)),
  }));
  const counts = countOutcomes(results, OUTCOMES);
  return {
    value: { schema_version: 1, items, summary: { total: items.length, ...counts } },
    table: tableView(results, COLUMNS).table,
  };
}
