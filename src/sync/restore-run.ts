/** Restores all formulas that one command replaced or deleted. */
import type { ServiceClient } from '../api/client.ts';
import { isSameId } from '../api/formula-guards.ts';
import { CliError } from '../errors.ts';
import { mapInParallel } from '../host/parallel.ts';
import type { SaveVersion } from '../state/history.ts';
import type { HistoryEntry, NamedFormula, SavedRun } from '../state/history-entries.ts';
import { hashFormula } from '../state/remote-baseline.ts';
import { toFailedOutcome } from './outcome.ts';
import { findNameConflicts } from './push/same-name.ts';
import {
  applyRestore,
  assertRestorable,
  listCandidates,
  needsWrite,
  planRestoreIn,
  type RestorePlan,
} from './restore-formula.ts';
import type { Tracking } from './tracking.ts';

export const RUN_OUTCOMES = [
  'restored',
  'created',
  'unchanged',
  'conflict',
  'failed',
  'unknown',
  'not_started',
] as const;

/** A formula of the run; without a plan, it cannot be restored. */
export interface RunStep {
  entry: HistoryEntry;
  plan?: RestorePlan;
  /** Others changed the formula since the run. */
  isChanged: boolean;
  error?: CliError;
}

export interface RunResult {
  formula: NamedFormula;
  outcome: (typeof RUN_OUTCOMES)[number];
  error?: CliError | undefined;
}

export const isToWrite = ({ plan }: RunStep): boolean => plan !== undefined && needsWrite(plan);

/** Plans all entries from one list; `created` are the formulas that the run created and that still exist. */
export async function planRun({ entries, created }: SavedRun, client: ServiceClient) {
  const list = await listCandidates(entries, client);
  const steps = entries.map((entry): RunStep => {
    try {
      assertRestorable(entry);
      const plan = planRestoreIn(list, entry, client);
      return { entry, plan, isChanged: needsWrite(plan) && !isAsLeft(entry, plan) };
    } catch (error) {
      if (error instanceof CliError) return { entry, isChanged: false, error };
      throw error;
    }
  });
  return { steps, created: created.filter(({ id }) => list.items.some((one) => isSameId(one.id, id))) };
}

/** Whether a formula is as the command that saved the entry left it. */
function isAsLeft({ operation, written }: HistoryEntry, { present, isRecreated }: RestorePlan): boolean {
  if (operation === 'delete' || !present) return operation === 'delete' && !present;
  return !isRecreated && hashFormula(present) === written;
}

/** Marks the steps that others changed since the run as conflicts, unless the user confirmed these. */
export function rejectChanged(
  steps: readonly RunStep[],
  confirmed: readonly RunStep[],
  client: ServiceClient,
): RunStep[] {
  const known = new Set(confirmed.flatMap(({ entry, isChanged }) => (isChanged ? [entry.entry] : [])));
  return steps.map((step) => {
    const { name, entry } = step.entry;
    if (!step.isChanged || known.has(entry)) return step;
    const message = `${JSON.stringify(name)} changed on the service since the run; nothing was restored`;
    const show = client.command('formula history', '--show', entry);
    const hint = `To see the change, run: ${show}\nTo restore it too, run the command again without --yes.`;
    return { ...step, error: new CliError('conflict', message, { hint }) };
  });
}

/** The result of a step that is not written. */
export function toUnwritten(step: RunStep): RunResult {
  const { entry: formula, error } = step;
  if (error) return { formula, outcome: error.outcome === 'conflict' ? 'conflict' : 'failed', error };
  return { formula, outcome: isToWrite(step) ? 'not_started' : 'unchanged' };
}

const MAX_PARALLEL = 8;

/** Links the folders of the formulas that were created again. Returns how many folders are linked to restored formulas. */
export function recordRun(steps: readonly RunStep[], results: readonly RunResult[], tracking: Tracking): number {
  const written = results.filter(({ outcome }) => outcome === 'restored' || outcome === 'created');
  for (const [i, { entry }] of steps.entries()) {
    const result = results[i];
    if (result && written.includes(result) && !isSameId(entry.id, result.formula.id))
      tracking.recordDeleted(entry, result.formula);
  }
  return written.filter(({ formula }) => tracking.findFolder(formula) !== undefined).length;
}

/** Restores the formulas; once `signal` is aborted, no more of them. */
export async function applyRun(
  steps: readonly RunStep[],
  { client, saveVersion, signal }: { client: ServiceClient; saveVersion: SaveVersion; signal: AbortSignal },
): Promise<RunResult[]> {
  const preexistingIds = steps.find(({ plan }) => plan && !plan.present)?.plan?.preexistingIds;
  const knownIds = preexistingIds && new Set(preexistingIds);
  const results = await mapInParallel(steps, MAX_PARALLEL, async (step): Promise<RunResult> => {
    const { entry, plan } = step;
    if (!plan || !needsWrite(plan) || signal.aborted) return toUnwritten(step);
    try {
      const formula = await applyRestore(entry, { ...plan, preexistingIds: knownIds }, client, saveVersion);
      // A later create with a lost response must not take this one for its own.
      knownIds?.add(formula.id);
      return { formula, outcome: plan.present ? 'restored' : 'created' };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { formula: entry, outcome: toFailedOutcome(error), error };
    }
  });
  const created = results.flatMap(({ outcome, formula }) => (outcome === 'created' ? [formula] : []));
  const conflicts = await findNameConflicts(client, created, preexistingIds);
  return results.map((result) => {
    const error = conflicts.get(result.formula.id);
    return error ? { ...result, outcome: 'conflict', error } : result;
  });
}
