/** Restores saved versions of formulas: finds the formulas that they replace, and updates or creates them. */
import type { ServiceClient } from '../api/client.ts';
import { requireUnique } from '../api/find-formula.ts';
import { isSameId } from '../api/formula-guards.ts';
import { findFormulaById, listFormulas } from '../api/formula-reads.ts';
import { createFormula, updateFormula, type WriteResult } from '../api/formula-writes.ts';
import { filterByName, findPreexistingIds } from '../api/incomplete-list.ts';
import type { ListResult } from '../api/pagination.ts';
import { CliError } from '../errors.ts';
import { changedFields, toRequestBody } from '../formula-fields.ts';
import { mapInParallel } from '../host/parallel.ts';
import type { Formula } from '../model.ts';
import { discardIfRejected, type SaveVersion } from '../state/history.ts';
import type { HistoryEntry, SavedRun } from '../state/history-entries.ts';
import { hashFormula } from '../state/remote-baseline.ts';
import { assertNameFree } from './name-conflict.ts';
import { toFailedOutcome } from './outcome.ts';
import { findNameConflicts } from './push/same-name.ts';

export const RESTORE_OUTCOMES = [
  'restored',
  'created',
  'unchanged',
  'conflict',
  'failed',
  'unknown',
  'not_started',
] as const;

interface RestorePlan {
  /** The formula that is replaced; undefined if one is created. */
  present: Formula | undefined;
  /** It is another formula of the same name than the one that was saved. */
  isRecreated: boolean;
  /** The fields that differ from the saved version. */
  changed: readonly string[];
  /** The ids before a create. */
  preexistingIds?: ReadonlySet<string> | undefined;
}

/** A saved version to restore; without a plan, it cannot be restored. */
export interface RestoreStep {
  entry: HistoryEntry;
  plan?: RestorePlan;
  /** Others changed the formula since the run. */
  isChanged: boolean;
  error?: CliError;
}

export interface RestoreResult {
  step: RestoreStep;
  /** As it is now, or was saved. */
  formula: Formula;
  outcome: (typeof RESTORE_OUTCOMES)[number];
  error?: CliError | undefined;
  /** What is worth telling of a write that succeeded. */
  note?: string | undefined;
}

/** Whether there is a formula to create or to replace, which does not have the saved version already. */
export const isToWrite = ({ plan }: RestoreStep): boolean =>
  plan !== undefined && (plan.present === undefined || plan.changed.length > 0);

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
      const plan = planEntry(list, entry, client, byId);
      const step = { entry, plan, isChanged: false };
      return { ...step, isChanged: run !== undefined && isToWrite(step) && !isAsLeft(entry, plan) };
    } catch (error) {
      if (error instanceof CliError && run !== undefined) return { entry, isChanged: false, error };
      throw error;
    }
  });
  return { steps, created: created.filter(({ id }) => list.items.some((one) => isSameId(one.id, id))) };
}

/** Lists all formulas, with the content of those that the entries may replace. */
function listCandidates(entries: readonly HistoryEntry[], client: ServiceClient): Promise<ListResult<Formula>> {
  const ids = new Set(entries.map(({ id }) => id.toLowerCase()));
  const names = new Set(entries.map(({ formula }) => formula.name));
  return listFormulas(client, { needsContent: ({ id, name }) => ids.has(id.toLowerCase()) || names.has(name) });
}

/** Finds the formula by its id, otherwise by its name. Raises conflict (6) if several have the name, unavailable (8). */
function planEntry(
  list: ListResult<Formula>,
  { id, formula }: HistoryEntry,
  client: ServiceClient,
  byId = list.items.find((one) => isSameId(one.id, id)),
): RestorePlan {
  const body = toRequestBody(formula);
  const toUpdate = (present: Formula): RestorePlan => ({
    present,
    isRecreated: !isSameId(present.id, id),
    changed: changedFields(body, present),
  });
  if (byId) {
    if (byId.name !== body.name) assertNameFree(list, body.name, client);
    return toUpdate(byId);
  }
  const { items, incompleteReason } = filterByName(list, body.name);
  const matches = { incompleteReason, items: items.filter(({ type }) => type !== 'official') };
  if (matches.items.length === 0 && incompleteReason === undefined)
    return { present: undefined, isRecreated: false, changed: [], preexistingIds: findPreexistingIds(list) };
  return toUpdate(requireUnique(matches, body.name, client, ''));
}

/** Whether a formula is as the command that saved the entry left it. */
function isAsLeft({ operation, written }: HistoryEntry, { present, isRecreated }: RestorePlan): boolean {
  if (operation === 'delete' || !present) return operation === 'delete' && !present;
  return !isRecreated && hashFormula(present) === written;
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
    if (before && before.plan?.present?.id !== step.plan?.present?.id)
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
  const { entry, plan, error } = step;
  const outcome = error?.outcome === 'conflict' ? 'conflict' : 'failed';
  if (error) return { step, formula: entry.formula, outcome, error };
  return isToWrite(step)
    ? { step, formula: entry.formula, outcome: 'not_started' }
    : { step, formula: plan?.present ?? entry.formula, outcome: 'unchanged' };
}

const MAX_PARALLEL = 8;

/** Restores the formulas; once `signal` is aborted, no more of them. */
export async function applyRestore(
  steps: readonly RestoreStep[],
  { client, saveVersion, signal }: { client: ServiceClient; saveVersion: SaveVersion; signal: AbortSignal },
): Promise<{ results: RestoreResult[]; warnings: readonly string[] }> {
  const preexistingIds = steps.find(({ plan }) => plan && !plan.present)?.plan?.preexistingIds;
  const knownIds = preexistingIds && new Set(preexistingIds);
  const written = await mapInParallel(steps, MAX_PARALLEL, async (step): Promise<RestoreResult> => {
    const { entry, plan } = step;
    // A single request raises interrupted itself.
    if (!plan || !isToWrite(step) || (signal.aborted && steps.length > 1)) return toUnwritten(step);
    try {
      const { formula, note } = await writeVersion(entry, { ...plan, preexistingIds: knownIds }, client, saveVersion);
      // A later create with a lost response must not take this one for its own.
      knownIds?.add(formula.id);
      return { step, formula, outcome: plan.present ? 'restored' : 'created', note };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { step, formula: entry.formula, outcome: toFailedOutcome(error), error };
    }
  });
  const created = written.flatMap(({ outcome, formula }) => (outcome === 'created' ? [formula] : []));
  const { conflicts, warnings } = await findNameConflicts(client, created, preexistingIds);
  const results = written.map((result): RestoreResult => {
    const error = conflicts.get(result.formula.id);
    return error ? { ...result, outcome: 'conflict', error } : result;
  });
  return { results, warnings };
}

/** Updates or creates the formula; `saveVersion` saves the version that is replaced. */
async function writeVersion(
  { formula }: HistoryEntry,
  { present, preexistingIds }: RestorePlan,
  client: ServiceClient,
  saveVersion: SaveVersion,
): Promise<WriteResult> {
  const body = toRequestBody(formula);
  if (!present) return createFormula(client, body, preexistingIds);
  const saved = saveVersion('update', present, { body, isRestored: true });
  return discardIfRejected(saved, updateFormula(client, present.id, body, present));
}
