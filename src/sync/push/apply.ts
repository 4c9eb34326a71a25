/** Applies the steps of a plan in parallel. */

import type { ServiceClient } from '../../api/client.ts';
import type { WriteResult } from '../../api/formula-writes.ts';
import { CliError } from '../../errors.ts';
import { hashContent } from '../../formula-fields.ts';
import type { PendingWrite } from '../../state/remote-baseline.ts';
import { toSentBody } from '../merge-formula.ts';
import { toFailedOutcome } from '../outcome.ts';
import { sendWrite, type WriteContext } from '../send-write.ts';
import { type Step, type StepResult, toResult } from './plan.ts';
import type { PushPlan } from './plan-push.ts';
import { markNameConflicts } from './same-name.ts';

export interface ApplyContext extends WriteContext {
  /** The maximum number of steps in progress. */
  concurrency: number;
  failFast: boolean;
  /** Once it is aborted, no more steps are started. */
  signal: AbortSignal;
}

type Run = ApplyContext & Pick<PushPlan, 'tracking' | 'isOfCommit'>;

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
const listWrites = (step: Step): PendingWrite[] =>
  step.action === 'create' || step.action === 'update'
    ? [{ folder: step.folder.path, remote: step.remote, hash: hashContent(toSentBody(step.body, step.remote)) }]
    : [];

/** The results in the order of the steps. Creates are conflicts if another computer created the same name at the same time. */
export function completeResults(
  { steps, preexistingIds }: PushPlan,
  applied: readonly StepResult[],
  client: ServiceClient,
): Promise<{ results: StepResult[]; warnings: readonly string[] }> {
  const byStep = new Map(applied.map((result) => [result.step, result]));
  const results = steps.map((step) => byStep.get(step) ?? toResult(step, 'not_started'));
  return markNameConflicts(client, results, ({ id = '', name }) => ({ id, name: name ?? '' }), preexistingIds);
}

async function applyStep(step: Step, run: Run): Promise<StepResult> {
  const startedAt = performance.now();
  const result = await applyAction(step, run).catch(async (error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    const outcome = toFailedOutcome(error);
    if (outcome === 'not_started') return toResult(step, outcome);
    const { locateFieldErrors } = await import('../locate-field-errors.ts');
    const located = step.body && !run.isOfCommit ? locateFieldErrors(error, step.folder) : error;
    return toResult(step, outcome, { error: located });
  });
  return { ...result, durationMs: performance.now() - startedAt };
}

async function applyAction(step: Step, run: Run): Promise<StepResult> {
  const { action } = step;
  const { tracking, isOfCommit } = run;
  const { path } = step.folder;
  if (action === 'conflict') {
    const message = step.name ? `${JSON.stringify(step.name)}: ${step.reason}` : `${step.reason}`;
    return toResult(step, action, { error: new CliError('conflict', message, { hint: step.hint }) });
  }
  if (action === 'delete') {
    const { note } = await sendWrite({ remote: step.remote }, run);
    tracking.recordPruned(path, step.remote);
    return toResult(step, 'deleted', { note });
  }
  const sent =
    action === 'keep'
      ? { formula: step.remote }
      : await sendWrite({ body: toSentBody(step.body, step.remote), remote: step.remote }, run);
  const { formula, note }: WriteResult = sent;
  if (!isOfCommit || action === 'create') tracking.link(path, formula);
  const from = step.movedFrom?.path;
  // Another folder may have taken its place.
  if (from !== undefined && tracking.ids.get(from)?.toLowerCase() === formula.id.toLowerCase()) tracking.unlink(from);
  if (!isOfCommit) tracking.recordBaseline(path, formula);
  return toResult(step, action === 'keep' ? 'unchanged' : `${action}d`, { id: formula.id, note });
}
