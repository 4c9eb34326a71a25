/** Applies the steps of a plan in parallel. */
import type { ServiceClient } from '../../api/client.ts';
import { getFormula } from '../../api/formula-reads.ts';
import { createFormula, deleteFormula, updateFormula } from '../../api/formula-writes.ts';
import { CliError } from '../../errors.ts';
import { hashContent, isOutline, outline } from '../../formula-fields.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { discardIfRejected, type SavedVersion } from '../../state/history.ts';
import { mergeFormula } from '../merge-formula.ts';
import type { StepOutcome } from '../outcome.ts';
import type { Tracking } from '../tracking.ts';
import { createBodyLoader, type ReloadBody } from './body-loader.ts';
import type { Step } from './plan.ts';
import { findNameConflicts } from './same-name.ts';

export interface StepResult {
  step: Step;
  outcome: StepOutcome;
  /** The current id of the formula; complete results would not fit into memory. */
  id?: string | undefined;
  error?: CliError | undefined;
  /** The duration of the step. */
  durationMs?: number;
}

/** The context of all steps. */
export interface ApplyContext {
  client: ServiceClient;
  /** Reads the body of a folder again, if it is not in memory. Raises invalid (3) if it is no longer valid. */
  reloadBody: ReloadBody;
  saveVersion(operation: 'update' | 'delete', formula: Formula): SavedVersion | undefined;
  tracking: Pick<Tracking, 'link' | 'recordBaseline' | 'recordPending' | 'recordPruned'>;
  /** The ids before the push, to recognize what a create with a lost response created; undefined if the list may lack some. */
  preexistingIds: ReadonlySet<string> | undefined;
  /** The maximum number of steps in progress. */
  concurrency: number;
  /** Called before each step; once true, no more steps are started. */
  isStopping(): boolean;
  failFast: boolean;
  /** Called with each result. */
  report(result: StepResult): void;
}

interface PushRun extends ApplyContext {
  /** Returns the body that a step sends, after recording it. */
  takeBody(step: Step): Promise<FormulaBody>;
  /** The preexisting ids, and those that this push created. */
  knownIds: Set<string> | undefined;
}

/** Applies steps; the results are in the order of the steps. Never raises CliError: the error of a step is in its result. */
export async function applySteps(steps: readonly Step[], context: ApplyContext): Promise<StepResult[]> {
  const results: StepResult[] = steps.map((step) => ({ step, outcome: 'not_started' }));
  const run: PushRun = {
    ...context,
    knownIds: context.preexistingIds && new Set(context.preexistingIds),
    takeBody: createBodyLoader(steps, context.reloadBody, context.tracking),
  };
  const queue = steps.entries();
  let hasFailed = false;
  const worker = async () => {
    for (const [i, step] of queue) {
      if (context.isStopping() || (context.failFast && hasFailed)) return;
      const startedAt = performance.now();
      const result = { ...(await applyStep(step, run)), durationMs: performance.now() - startedAt };
      results[i] = result;
      if (result.error) hasFailed = true;
      context.report(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(context.concurrency, steps.length) }, worker));
  return results;
}

/** Marks created formulas as conflicts if another computer created the same name at the same time. */
export async function markNameConflicts(
  results: readonly StepResult[],
  client: ServiceClient,
  preexistingIds: ReadonlySet<string> | undefined,
): Promise<StepResult[]> {
  const created = results.flatMap(({ step, outcome, id }) =>
    outcome === 'created' && id !== undefined && step.local ? [{ id, name: step.local.name }] : [],
  );
  const conflicts = await findNameConflicts(client, created, preexistingIds);
  return results.map((result) => {
    const error = result.id === undefined ? undefined : conflicts.get(result.id);
    return error ? { ...result, outcome: 'conflict', error } : result;
  });
}

async function applyStep(step: Step, run: PushRun): Promise<StepResult> {
  try {
    return await ACTIONS[step.action](step, run);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.outcome === 'interrupted') return { step, outcome: 'not_started' };
    const { local } = step;
    const { locateFieldErrors } = await import('../locate-field-errors.ts');
    const located = local ? locateFieldErrors(error, { displayPath: local.folder, path: local.path }) : error;
    return { step, outcome: error.outcome === 'unknown' ? 'unknown' : 'failed', error: located };
  }
}

type StepAction = (step: Step, run: PushRun) => Promise<StepResult>;

const ACTIONS: Readonly<Record<Step['action'], StepAction>> = {
  keep: async (step, run) => {
    const formula = requirePart(step.remote);
    recordApplied(step, formula, run);
    return { step, outcome: 'unchanged', id: formula.id };
  },
  create: async (step, run) => {
    const formula = await createFormula(run.client, await run.takeBody(step), run.knownIds);
    // Two folders cannot be one formula: a later create with a lost response must not take this one for its own.
    run.knownIds?.add(formula.id);
    recordApplied(step, formula, run);
    return { step, outcome: 'created', id: formula.id };
  },
  update: async (step, run) => {
    const remote = await completeRemote(step, run);
    const { body } = mergeFormula(await run.takeBody(step), remote, { removeIcon: false });
    const saved = run.saveVersion('update', remote);
    await run.tracking.recordPending([{ folder: step.path, remote, hash: hashContent(body) }]);
    const formula = await discardIfRejected(saved, updateFormula(run.client, remote.id, body, remote));
    recordApplied(step, formula, run);
    return { step, outcome: 'updated', id: formula.id };
  },
  delete: async (step, run) => {
    const remote = await completeRemote(step, run);
    const saved = run.saveVersion('delete', remote);
    await discardIfRejected(saved, deleteFormula(run.client, remote));
    run.tracking.recordPruned(step.path, remote);
    return { step, outcome: 'deleted' };
  },
  conflict: async (step) => {
    const name = step.local?.name ?? step.remote?.name;
    const message = name ? `${JSON.stringify(name)}: ${step.reason}` : `${step.reason}`;
    const options = step.hint === undefined ? {} : { hint: step.hint };
    return { step, outcome: 'conflict', error: new CliError('conflict', message, options) };
  },
};

function recordApplied({ path }: Step, formula: Formula, { tracking }: ApplyContext): void {
  tracking.link(path, formula);
  tracking.recordBaseline(path, formula);
}

/** The planned formula, read again if its code and icon were dropped. Raises conflict (6) if it changed since. */
async function completeRemote(step: Step, { client }: ApplyContext): Promise<Formula> {
  const remote = requirePart(step.remote);
  if (!isOutline(remote)) return remote;
  const found = await getFormula(client, remote.id);
  if (hashContent(outline(found)) === hashContent(remote)) return found;
  const message = `${JSON.stringify(remote.name)} changed on the service during the push and was skipped`;
  throw new CliError('conflict', message, { hint: 'Run the command again.', details: { ids: [remote.id] } });
}

/** A part that each step of an action has. */
function requirePart<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('a step of a plan lacks a part');
  return part;
}
