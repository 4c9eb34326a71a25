/** Restores saved versions of formulas: finds the formulas that they replace, and updates or creates them. */

import type { ServiceClient } from '../api/client.ts';
import { requireUnique } from '../api/find-formula.ts';
import { isSameId } from '../api/formula-guards.ts';
import { findFormulaById, listFormulas } from '../api/formula-reads.ts';
import { filterByName, findPreexistingIds } from '../api/incomplete-list.ts';
import type { ListResult } from '../api/pagination.ts';
import { CliError } from '../errors.ts';
import { changedFields, toRequestBody } from '../formula-fields.ts';
import { mapInParallel } from '../host/parallel.ts';
import type { Formula } from '../model.ts';
import type { HistoryEntry, SavedRun } from '../state/history-entries.ts';
import { hashFormula } from '../state/remote-baseline.ts';
import { assertNameFree } from './name-conflict.ts';
import { toFailedOutcome } from './outcome.ts';
import { markNameConflicts } from './push/same-name.ts';
import { sendWrite, type WriteContext } from './send-write.ts';

export const RESTORE_OUTCOMES = [
  'restored',
  'created',
  'unchanged',
  'conflict',
  'failed',
  'unknown',
  'not_started',
] as const;

/** A saved version to restore. */
export interface RestoreStep {
  entry: HistoryEntry;
  /** The formula that is replaced; without one, a formula is created. */
  present?: Formula | undefined;
  /** The fields in which it differs from the saved version. */
  changed: readonly string[];
  /** Others changed the formula since the run. */
  isChanged: boolean;
  /** Why it is not restored. */
  error?: CliError | undefined;
}

export interface RestoreResult extends RestoreStep {
  /** As it is now, or was saved. */
  formula: Formula;
  outcome: (typeof RESTORE_OUTCOMES)[number];
  /** What is worth telling of a write that succeeded. */
  note?: string | undefined;
}

/** Whether there is a formula to create or to replace, which does not have the saved version already. */
export const isToWrite = ({ error, present, changed }: RestoreStep): boolean =>
  !error && (!present || changed.length > 0);

/** Whether the saved version replaces another formula of the same name. */
export const isRecreated = ({ entry, present }: RestoreStep): boolean =>
  present !== undefined && !isSameId(present.id, entry.id);

/** Raises invalid (3) if a field of the request was redacted in the history. */
export function assertRestorable({ entry, hidden = [], formula }: HistoryEntry): void {
  const missing = hidden.filter((field) => field === 'id' || field in toRequestBody(formula));
  if (missing.length === 0) return;
  const message = `history entry ${entry} is incomplete: ${missing.join(', ')} contained a secret, which is not saved in history; nothing was changed`;
  const hint =
    "Copy what you need from the entry's file into a folder and push it.\nFor its path, run: formulary help files";
  throw new CliError('invalid', message, { hint });
}

/**
 * Plans all entries from one list; a single one is only searched for in a list if its id and name are not found together.
 * `created` are the formulas that the run created and that still exist. Raises the error of an entry without a run.
 */
export async function planRestore({ run, entries, created }: SavedRun, client: ServiceClient) {
  const [only] = entries;
  const byId = only && run === undefined ? await findFormulaById(client, only.id) : undefined;
  const isFound = byId !== undefined && byId.name === only?.formula.name;
  const list = isFound ? { items: [byId], incompleteReason: undefined } : await listCandidates(entries, client);
  const steps = entries.map((entry): RestoreStep => {
    try {
      assertRestorable(entry);
      const present = findPresent(list, entry, client, byId);
      const changed = present ? changedFields(toRequestBody(entry.formula), present) : [];
      const step = { entry, present, changed, isChanged: false };
      return { ...step, isChanged: run !== undefined && isToWrite(step) && !isAsLeft(step) };
    } catch (error) {
      if (error instanceof CliError && run !== undefined) return { entry, changed: [], isChanged: false, error };
      throw error;
    }
  });
  const preexistingIds = findPreexistingIds(list);
  return { steps, preexistingIds, created: created.filter(({ id }) => list.items.some((one) => isSameId(one.id, id))) };
}

/** Lists all formulas, with the content of those that the entries may replace. */
function listCandidates(entries: readonly HistoryEntry[], client: ServiceClient): Promise<ListResult<Formula>> {
  const ids = new Set(entries.map(({ id }) => id.toLowerCase()));
  const names = new Set(entries.map(({ formula }) => formula.name));
  return listFormulas(client, { needsContent: ({ id, name }) => ids.has(id.toLowerCase()) || names.has(name) });
}

/** Finds the formula by its id, otherwise by its name. Raises conflict (6) if several have the name, unavailable (8). */
function findPresent(
  list: ListResult<Formula>,
  { id, formula: { name } }: HistoryEntry,
  client: ServiceClient,
  byId = list.items.find((one) => isSameId(one.id, id)),
): Formula | undefined {
  if (byId && byId.name !== name) assertNameFree(list, name, client);
  if (byId) return byId;
  const { items, incompleteReason } = filterByName(list, name);
  const matches = { incompleteReason, items: items.filter(({ type }) => type !== 'official') };
  const isAbsent = matches.items.length === 0 && incompleteReason === undefined;
  return isAbsent ? undefined : requireUnique(matches, name, client, '');
}

/** Whether a formula is as the command that saved the entry left it. */
function isAsLeft(step: RestoreStep): boolean {
  const { entry, present } = step;
  if (entry.operation === 'delete' || !present) return entry.operation === 'delete' && !present;
  return !isRecreated(step) && hashFormula(present) === entry.written;
}

/** Marks the steps as conflicts that would do something else than the user confirmed, or, with --yes, than the run left. */
export const rejectChanged = (
  steps: readonly RestoreStep[],
  confirmed: readonly RestoreStep[] | undefined,
  client: ServiceClient,
): RestoreStep[] =>
  steps.map((step, i) => {
    const { name, entry } = step.entry;
    const before = confirmed?.[i];
    const toConflict = (text: string, hint: string): RestoreStep => {
      const message = `${JSON.stringify(name)} changed on the service ${text}`;
      return { ...step, error: new CliError('conflict', message, { hint }) };
    };
    if (before && before.present?.id !== step.present?.id)
      return toConflict('in the meantime; nothing was changed', 'Run the command again.');
    if (!step.isChanged || before?.isChanged) return step;
    const show = client.command('formula history', '--show', entry);
    const restore = client.command('formula restore', entry, '--yes');
    return toConflict(
      'since the run; nothing was restored',
      `To see the change, run: ${show}\nTo restore it too, run: ${restore}\nThen run the command again for the others.`,
    );
  });

/** The result of a step that is not written. */
export function toUnwritten(step: RestoreStep): RestoreResult {
  const { entry, present, error } = step;
  if (error) return { ...step, formula: entry.formula, outcome: error.outcome === 'conflict' ? 'conflict' : 'failed' };
  return isToWrite(step)
    ? { ...step, formula: entry.formula, outcome: 'not_started' }
    : { ...step, formula: present ?? entry.formula, outcome: 'unchanged' };
}

const MAX_PARALLEL = 8;

/** Restores the formulas; once `signal` is aborted, no more of them. */
export async function applyRestore(
  { steps, preexistingIds }: Pick<Awaited<ReturnType<typeof planRestore>>, 'steps' | 'preexistingIds'>,
  { client, saveVersion, signal }: WriteContext & { signal: AbortSignal },
): Promise<{ results: RestoreResult[]; warnings: readonly string[] }> {
  const context = { client, saveVersion, knownIds: preexistingIds && new Set(preexistingIds) };
  const written = await mapInParallel(steps, MAX_PARALLEL, async (step): Promise<RestoreResult> => {
    // A single request raises interrupted itself.
    if (!isToWrite(step) || (signal.aborted && steps.length > 1)) return toUnwritten(step);
    const { entry, present: remote } = step;
    const write = { body: toRequestBody(entry.formula), isRestored: true };
    try {
      const { formula, note } = await sendWrite(remote ? { ...write, remote } : write, context);
      return { ...step, formula, note, outcome: remote ? 'restored' : 'created' };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { ...step, formula: entry.formula, outcome: toFailedOutcome(error), error };
    }
  });
  return markNameConflicts(client, written, ({ formula }) => formula, preexistingIds);
}
