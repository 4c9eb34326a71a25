/** Computes each step of a saved plan again, from folders, lock files, and service. */
import { join } from 'node:path';
import { isSameId } from '../../api/formula-guards.ts';
import { reloadBody } from '../../check/local-formula.ts';
import type { Host } from '../../host/host.ts';
import type { StepResult } from './apply.ts';
import { comparePlannedStep, type PlanComparison } from './compare-plan.ts';
import { locateStep } from './create-plan-file.ts';
import type { Step } from './plan.ts';
import type { PlannedStep } from './plan-file.ts';
import type { PreparedPush } from './prepare-push.ts';

export interface RecomputedStep {
  planned: PlannedStep;
  /** The folder, absolute. */
  path: string;
  /** What push would do now. */
  step: Step | undefined;
  comparison: PlanComparison;
}

interface RecomputeContext {
  /** The folder that the paths of the plan are relative to. */
  repository: string;
  prepared: PreparedPush;
  /** With --no-lock. */
  ignoresLockFiles: boolean;
}

export async function recomputeSteps(
  planned: readonly PlannedStep[],
  { repository, prepared, ignoresLockFiles }: RecomputeContext,
  host: Host,
): Promise<RecomputedStep[]> {
  const { tracking, plan, remotes, ids } = prepared;
  const byPath = new Map(plan.steps.map((step) => [step.path, step]));
  const byId = new Map(remotes.flatMap((one) => (one.type === 'official' ? [] : [[one.id.toLowerCase(), one]])));
  const recomputed: RecomputedStep[] = [];
  for (const saved of planned) {
    const path = join(repository, saved.folder);
    const step = byPath.get(path);
    const comparison = comparePlannedStep(saved, {
      step,
      body: step?.local && (step.local.body ?? (await reloadBody(step.local, host))),
      linkedId: ids.get(path),
      lockFile: ignoresLockFiles ? saved.lock_file : locateStep(path, repository, tracking).lock_file,
      remote: saved.id === null ? undefined : byId.get(saved.id.toLowerCase()),
    });
    recomputed.push({ planned: saved, path, step, comparison });
  }
  return recomputed;
}

/** The part of a push that a plan is for. */
export function selectPlanned(
  { plan, tracking, ...prepared }: PreparedPush,
  recomputed: readonly RecomputedStep[],
): PreparedPush {
  const steps = recomputed.flatMap(({ step, planned, comparison }) => {
    if (!step || isDoneDeletion({ planned, comparison })) return [];
    const { overwrites: _, ...others } = step;
    return [{ ...others, ...(planned.overwrites && comparison.state === 'equal' && { overwrites: true }) }];
  });
  const deleted = new Set(recomputed.flatMap(({ planned, path }) => (planned.action === 'delete' ? [path] : [])));
  const isMoved = (id = '') => steps.some(({ remote }) => remote && isSameId(remote.id, id));
  const staleFolders = plan.staleFolders.filter((path) => deleted.has(path) || isMoved(prepared.ids.get(path)));
  return { ...prepared, tracking, plan: { steps, staleFolders } };
}

const isDoneDeletion = ({ planned, comparison }: Pick<RecomputedStep, 'planned' | 'comparison'>) =>
  planned.action === 'delete' && comparison.state === 'done';

/** The results of deletions that were done before. */
export const findDoneDeletions = (recomputed: readonly RecomputedStep[]): StepResult[] =>
  recomputed.filter(isDoneDeletion).map(({ planned: { id, name }, path }) => ({
    step: { action: 'delete', path, fields: [], remote: { id: id ?? '', name } },
    outcome: 'unchanged',
  }));
