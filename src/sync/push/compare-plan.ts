/** Computes each step of a saved plan again, from folders, lock files, and service: it must be equal, or done already. */
import { join } from 'node:path';
import { isSameId } from '../../api/formula-guards.ts';
import { CliError } from '../../errors.ts';
import { toRelative } from '../../files/paths.ts';
import type { Folder } from '../../folder/find-folders.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { findModification, formatModification } from '../../state/remote-baseline.ts';
import type { StepOutcome } from '../outcome.ts';
import { hashStep, locateStep } from './create-plan-file.ts';
import { indexById } from './match-folders.ts';
import type { Step, StepResult } from './plan.ts';
import type { PlannedStep } from './plan-file.ts';
import type { PushPlan } from './plan-push.ts';

/** A planned step, the folder (absolute), and what push would do with it now. */
export interface RecomputedStep {
  planned: PlannedStep;
  path: string;
  step: Step | undefined;
  isDone: boolean;
  /** Why the plan is stale. */
  change?: PlanChange | undefined;
}

interface PlanChange {
  /** Whether others changed the service, or something of the repository changed. */
  where: 'service' | 'repository';
  problem: string;
  modified_at?: unknown;
  modified_by?: unknown;
}

/** The paths of the plan are relative to `repository`. */
export function recomputeSteps(
  planned: readonly PlannedStep[],
  repository: string,
  plan: PushPlan,
  { usesLockFiles }: { usesLockFiles: boolean },
): RecomputedStep[] {
  const { tracking, steps, remotes, ids } = plan;
  const byPath = new Map(steps.map((step) => [step.folder.path, step]));
  const byId = indexById(remotes);
  return planned.map((saved) => {
    const path = join(repository, saved.folder);
    const step = byPath.get(path);
    const remote = saved.action === 'create' ? undefined : byId.get(saved.id?.toLowerCase() ?? '');
    const from = step?.movedFrom?.path;
    const now = {
      step,
      remote,
      linkedId: ids.get(path),
      ...hashStep(step?.body, remote),
      lockFile: usesLockFiles ? locateStep(path, repository, tracking).lock_file : saved.lock_file,
      movedFrom: from === undefined ? undefined : toRelative(repository, from) || '.',
    };
    const isDone = isStepDone(saved, now);
    return { planned: saved, path, step, isDone, change: isDone ? undefined : findChange(saved, now) };
  });
}

/** The current state of a planned step. */
interface CurrentState extends Pick<PlannedStep, 'local_hash' | 'remote_hash'> {
  step: Step | undefined;
  /** The private formula with the planned id. */
  remote: Formula | undefined;
  /** The id that a lock file has for the folder. */
  linkedId: string | undefined;
  lockFile: string | null;
  movedFrom: string | undefined;
}

/** Whether the service has what the step would have sent, or no longer has what it would have deleted. */
function isStepDone(
  { action, id, ...planned }: PlannedStep,
  { step, remote, linkedId, ...now }: CurrentState,
): boolean {
  if (action === 'delete') return !remote && isSameId(linkedId ?? id ?? '', id ?? '');
  const isEqual = step?.action === 'keep' && step.movedFrom === undefined && now.local_hash === planned.local_hash;
  return isEqual && (action === 'create' || isSameId(step.remote?.id ?? '', id ?? ''));
}

/** The first difference between a step and what push would do now; undefined if they are equal. */
const findChange = (planned: PlannedStep, now: CurrentState): PlanChange | undefined =>
  (planned.action === 'delete' ? findDeletionChange(planned, now) : findFolderChange(planned, now)) ??
  findRemoteChange(planned, now) ??
  findActionChange(planned, now);

/** What is sent contains what the folder does not set, such as the icon, so it changes with the service. */
const isSentChanged = (planned: PlannedStep, { step, local_hash, remote_hash }: CurrentState) =>
  planned.local_hash !== local_hash &&
  (planned.remote_hash === remote_hash || !isSameId(step?.remote?.id ?? '', planned.id ?? ''));

function findDeletionChange({ id }: PlannedStep, { step, linkedId }: CurrentState): PlanChange | undefined {
  if (step?.body) return repositoryChange('its folder exists again');
  return isSameId(linkedId ?? '', id ?? '') ? undefined : repositoryChange(`no lock file has the id ${id} for it`);
}

function findFolderChange(planned: PlannedStep, now: CurrentState): PlanChange | undefined {
  const { step, remote } = now;
  if (!step) return repositoryChange('its folder no longer exists, or is a symbolic link');
  if (isSentChanged(planned, now)) return repositoryChange('its folder changed');
  const isCreate = planned.action === 'create';
  if (step.remote && !isSameId(step.remote.id, planned.id ?? '')) {
    const { id } = step.remote;
    if (!step.adopted) return repositoryChange(`a lock file has the id ${id} for it`);
    if (isCreate) return serviceChange(`a formula of its name was created on the service: ${id}`, step.remote);
    if (remote) return repositoryChange(`its name matches the formula ${id}`);
  }
  return isCreate && step.missingId !== undefined && step.missingId !== planned.id
    ? serviceChange(`its formula ${step.missingId} was deleted on the service`)
    : undefined;
}

function findRemoteChange(planned: PlannedStep, { step, remote, remote_hash }: CurrentState): PlanChange | undefined {
  if (!remote && planned.action !== 'create') return serviceChange('it was deleted on the service');
  if (remote && planned.remote_hash !== remote_hash) return serviceChange('it changed on the service', remote);
  return step?.action === 'conflict' ? serviceChange(step.reason ?? 'it is in conflict') : undefined;
}

function findActionChange(planned: PlannedStep, { step, lockFile, movedFrom }: CurrentState): PlanChange | undefined {
  const { name } = step ?? planned;
  return [
    { what: 'its lock file is', now: lockFile ?? 'none', before: planned.lock_file ?? 'none' },
    { what: 'push would', now: step?.action ?? 'do nothing', before: planned.action },
    { what: 'its name is', now: JSON.stringify(name), before: JSON.stringify(planned.name) },
    { what: 'its lock entry is of', now: movedFrom ?? 'its folder', before: planned.moved_from ?? 'its folder' },
  ]
    .filter(({ now, before }) => now !== before)
    .map(({ what, now, before }) => repositoryChange(`${what} ${now} now (planned: ${before})`))[0];
}

const repositoryChange = (problem: string): PlanChange => ({ where: 'repository', problem });

/** `other` is a formula with the time and the application of its change. */
function serviceChange(problem: string, other?: Formula): PlanChange {
  if (!other) return { where: 'service', problem };
  const { at: modified_at, by: modified_by } = findModification(other);
  return { where: 'service', problem: `${problem}${formatModification(other)}`, modified_at, modified_by };
}

/** The part of a push that a plan is for. */
export function selectPlanned(plan: PushPlan, recomputed: readonly RecomputedStep[]): PushPlan {
  const steps = recomputed.flatMap(({ step, planned, isDone }) => {
    if (!step || (planned.action === 'delete' && isDone)) return [];
    const { overwrites: _, ...others } = step;
    return [{ ...others, ...(planned.overwrites && !isDone && { overwrites: true }) }];
  });
  const deleted = new Set(recomputed.flatMap(({ planned, path }) => (planned.action === 'delete' ? [path] : [])));
  const isMoved = (id = '') => steps.some(({ remote }) => remote && isSameId(remote.id, id));
  const staleFolders = plan.staleFolders.filter((path) => deleted.has(path) || isMoved(plan.ids.get(path)));
  return { ...plan, steps, staleFolders };
}

/** The results of deletions that were done before. */
export const findDoneDeletions = (
  recomputed: readonly RecomputedStep[],
  formatFolder: (path: string) => string,
): StepResult[] =>
  recomputed
    .filter(({ planned, isDone }) => planned.action === 'delete' && isDone)
    .map(({ planned, path }) => toPlannedResult(planned, { path, displayPath: formatFolder(path) }, 'unchanged'));

const toPlannedResult = ({ id, name }: PlannedStep, folder: Folder, outcome: StepOutcome, error?: CliError) => ({
  folder,
  id: id ?? undefined,
  name,
  outcome,
  error,
});

export interface RejectionContext {
  /** How to continue. */
  hint: string;
  /** A folder as it is shown. */
  formatFolder(path: string): string;
}

/**
 * The results of a plan that is not applied: what is in conflict, or changed since it was made. Line breaks of the plan
 * are escaped, since a line of it would look like one of the tool.
 */
export const toRejectedResults = (
  steps: readonly Pick<RecomputedStep, 'planned' | 'path' | 'change'>[],
  { hint, formatFolder }: RejectionContext,
): StepResult[] =>
  steps.map(({ planned, path, change }) => {
    const { action, name, reason = 'unknown reason' } = planned;
    const folder = { path, displayPath: formatFolder(path) };
    if (!change && action !== 'conflict') return toPlannedResult(planned, folder, 'not_started');
    const { problem, ...details } = change ?? { problem: reason, where: 'service' };
    const what = `${change ? 'is stale' : 'has a conflict'} for ${JSON.stringify(name)} (${folder.displayPath})`;
    const outcome = details.where === 'repository' ? 'invalid' : 'conflict';
    const more = change ? { details: { changes: [details] } } : {};
    const error = new CliError(outcome, escapeControls(`the plan ${what}: ${problem}`), { hint, ...more });
    return toPlannedResult(planned, folder, outcome, error);
  });
