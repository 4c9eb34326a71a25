/** Applies the steps of a plan in parallel. */
import type { ServiceClient } from '../../api/client.ts';
import { createFormula, deleteFormula, updateFormula, type WriteResult } from '../../api/formula-writes.ts';
import { CliError } from '../../errors.ts';
import { hashContent } from '../../formula-fields.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { discardIfRejected, type SaveVersion } from '../../state/history.ts';
import type { PendingWrite } from '../../state/remote-baseline.ts';
import { mergeFormula } from '../merge-formula.ts';
import { type Step, type StepResult, toResult } from './plan.ts';
import type { PushPlan } from './plan-push.ts';
import { findNameConflicts } from './same-name.ts';

export interface ApplyContext {
  client: ServiceClient;
  saveVersion: SaveVersion;
  /** The maximum number of steps in progress. */
  concurrency: number;
  failFast: boolean;
  /** Once it is aborted, no more steps are started. */
  signal: AbortSignal;
}

interface Run extends ApplyContext, Pick<PushPlan, 'tracking' | 'isOfCommit'> {
  /** The preexisting ids, and those that this push created. */
  knownIds: Set<string> | undefined;
}

/** Yields the result of each step as it ends; steps that are not started have none. The error of a step is in its result. */
export async function* applySteps(plan: PushPlan, context: ApplyContext): AsyncGenerator<StepResult> {
  const { steps, staleFolders, preexistingIds, tracking, isOfCommit } = plan;
  for (const path of staleFolders) tracking.unlink(path);
  if (!isOfCommit) await tracking.recordPending(steps.flatMap(listWrites));
  const run = { ...context, tracking, isOfCommit, knownIds: preexistingIds && new Set(preexistingIds) };
  const running = new Map<Step, Promise<StepResult>>();
  let hasFailed = false;
  const takeNext = async () => {
    const result = await Promise.race(running.values());
    if (result.step) running.delete(result.step);
    hasFailed ||= result.error !== undefined;
    return result;
  };
  for (const step of steps) {
    if (context.signal.aborted || (context.failFast && hasFailed)) break;
    running.set(step, applyStep(step, run));
    if (running.size >= context.concurrency) yield await takeNext();
  }
  while (running.size > 0) yield await takeNext();
}

/** What is about to be sent, so that writes of a killed process do not look like changes by others. */
function listWrites(step: Step): PendingWrite[] {
  const path = step.folder.path;
  if (step.action === 'create') return [{ folder: path, remote: undefined, hash: hashContent(step.body) }];
  return step.action === 'update' ? [{ folder: path, remote: step.remote, hash: hashContent(toPutBody(step)) }] : [];
}

const toPutBody = ({ body, remote }: { body: FormulaBody; remote: Formula }) =>
  mergeFormula(body, remote, { removeIcon: false }).body;

/** The results in the order of the steps. Creates are conflicts if another computer created the same name at the same time. */
export async function completeResults(
  { steps, preexistingIds }: PushPlan,
  applied: readonly StepResult[],
  client: ServiceClient,
): Promise<{ results: StepResult[]; warnings: readonly string[] }> {
  const byStep = new Map(applied.map((result) => [result.step, result]));
  const created = applied.flatMap(({ outcome, id, name }) =>
    outcome === 'created' && id !== undefined && name !== null ? [{ id, name }] : [],
  );
  const { conflicts, warnings } = await findNameConflicts(client, created, preexistingIds);
  const results = steps.map((step): StepResult => {
    const result = byStep.get(step) ?? toResult(step, 'not_started');
    const error = conflicts.get(result.id ?? '');
    return error ? { ...result, outcome: 'conflict', error } : result;
  });
  return { results, warnings };
}

async function applyStep(step: Step, run: Run): Promise<StepResult> {
  const startedAt = performance.now();
  const result = await tryStep(step, run);
  return { ...result, durationMs: performance.now() - startedAt };
}

async function tryStep(step: Step, run: Run): Promise<StepResult> {
  try {
    return await applyAction(step, run);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.outcome === 'interrupted') return toResult(step, 'not_started');
    const { locateFieldErrors } = await import('../locate-field-errors.ts');
    const located = step.body && !run.isOfCommit ? locateFieldErrors(error, step.folder) : error;
    return toResult(step, error.outcome === 'unknown' ? 'unknown' : 'failed', { error: located });
  }
}

async function applyAction(
  step: Step,
  { client, saveVersion, tracking, isOfCommit, knownIds }: Run,
): Promise<StepResult> {
  const { path } = step.folder;
  const finish = (outcome: 'unchanged' | 'created' | 'updated', { formula, note }: WriteResult) => {
    if (!isOfCommit || outcome === 'created') tracking.link(path, formula);
    const from = step.movedFrom?.path;
    // Another folder may have taken its place.
    if (from !== undefined && tracking.ids.get(from)?.toLowerCase() === formula.id.toLowerCase()) tracking.unlink(from);
    if (!isOfCommit) tracking.recordBaseline(path, formula);
    return toResult(step, outcome, { id: formula.id, note });
  };
  switch (step.action) {
    case 'keep':
      return finish('unchanged', { formula: step.remote });
    case 'create': {
      const created = await createFormula(client, step.body, knownIds);
      // Two folders cannot be one formula: a later create with a lost response must not take this one for its own.
      knownIds?.add(created.formula.id);
      return finish('created', created);
    }
    case 'update': {
      const { remote } = step;
      const body = toPutBody(step);
      const saved = saveVersion('update', remote, { body });
      return finish('updated', await discardIfRejected(saved, updateFormula(client, remote.id, body, remote)));
    }
    case 'delete': {
      const saved = saveVersion('delete', step.remote);
      const { note } = await discardIfRejected(saved, deleteFormula(client, step.remote));
      tracking.recordPruned(path, step.remote);
      return toResult(step, 'deleted', { id: step.remote.id, note });
    }
    case 'conflict': {
      const message = step.name ? `${JSON.stringify(step.name)}: ${step.reason}` : `${step.reason}`;
      return toResult(step, 'conflict', { error: new CliError('conflict', message, { hint: step.hint }) });
    }
  }
}
