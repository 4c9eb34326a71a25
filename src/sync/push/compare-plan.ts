/** Computes each step of a saved plan again, from folders, lock files, and service: it must be equal, or done already. */
import { join } from 'node:path';
import { isSameId } from '../../api/formula-guards.ts';
import { CliError } from '../../errors.ts';
import { toRelative } from '../../files/paths.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { formatModification } from '../../state/remote-baseline.ts';
import type { StepResult } from './apply.ts';
import { hashStep, locateStep } from './create-plan-file.ts';
import type { Step } from './plan.ts';
import type { PlannedStep } from './plan-file.ts';
import type { PreparedPush } from './prepare-push.ts';
import { requireBody } from './require-body.ts';

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
    const body = step?.local && (await requireBody(step.local, 'changed during the push; nothing was sent', host));
    const remote = saved.action === 'create' ? undefined : byId.get(saved.id?.toLowerCase() ?? '');
    const from = step?.movedFrom?.path;
    const now = {
      step,
      remote,
      linkedId: ids.get(path),
      ...hashStep(body, remote),
      lockFile: ignoresLockFiles ? saved.lock_file : locateStep(path, repository, tracking).lock_file,
      movedFrom: from === undefined ? undefined : toRelative(repository, from) || '.',
    };
    const isDone = isStepDone(saved, now);
    recomputed.push({ planned: saved, path, step, isDone, change: isDone ? undefined : findChange(saved, now) });
  }
  return recomputed;
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

function findDeletionChange({ id }: PlannedStep, { step, linkedId }: CurrentState): PlanChange | undefined {
  if (step?.local) return repositoryChange('its folder exists again');
  return isSameId(linkedId ?? '', id ?? '') ? undefined : repositoryChange(`no lock file has the id ${id} for it`);
}

function findFolderChange(planned: PlannedStep, { step, remote, local_hash }: CurrentState): PlanChange | undefined {
  if (!step) return repositoryChange('its folder no longer exists, or is a symbolic link');
  if (planned.local_hash !== local_hash) return repositoryChange('its folder changed');
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
  const { name } = step?.local ?? step?.remote ?? planned;
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
  const modified_at = other.modified_at ?? other.created_at;
  const modified_by = other.modified_by ?? other.created_by;
  const when = formatModification({ ...other, modified_at, modified_by });
  return { where: 'service', problem: `${problem}${when}`, modified_at, modified_by };
}

/** The part of a push that a plan is for. */
export function selectPlanned(prepared: PreparedPush, recomputed: readonly RecomputedStep[]): PreparedPush {
  const { plan, ids } = prepared;
  const steps = recomputed.flatMap(({ step, planned, isDone }) => {
    if (!step || (planned.action === 'delete' && isDone)) return [];
    const { overwrites: _, ...others } = step;
    return [{ ...others, ...(planned.overwrites && !isDone && { overwrites: true }) }];
  });
  const deleted = new Set(recomputed.flatMap(({ planned, path }) => (planned.action === 'delete' ? [path] : [])));
  const isMoved = (id = '') => steps.some(({ remote }) => remote && isSameId(remote.id, id));
  const staleFolders = plan.staleFolders.filter((path) => deleted.has(path) || isMoved(ids.get(path)));
  return { ...prepared, plan: { steps, staleFolders } };
}

/** The results of deletions that were done before. */
export const findDoneDeletions = (recomputed: readonly RecomputedStep[]): StepResult[] =>
  recomputed
    .filter(({ planned, isDone }) => planned.action === 'delete' && isDone)
    .map(({ planned: { id, name }, path }) => ({
      step: { action: 'delete', path, fields: [], remote: { id: id ?? '', name } },
      outcome: 'unchanged',
    }));

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
    const { action, id, name, reason = 'unknown reason' } = planned;
    const folder = formatFolder(path);
    const isConflict = action === 'conflict' && !change;
    const step: Step = {
      action,
      path,
      fields: [],
      ...(action !== 'delete' && { local: { folder, path, name, type: 'private', hashes: {} } }),
      ...(id !== null && { remote: { id, name } }),
    };
    if (!change && !isConflict) return { step, outcome: 'not_started' };
    const { problem, ...details } = change ?? { problem: reason, where: 'service' };
    const message = `the plan ${change ? 'is stale' : 'has a conflict'} for ${JSON.stringify(name)} (${folder}): ${problem}`;
    const outcome = details.where === 'repository' ? 'invalid' : 'conflict';
    const more = change ? { details: { changes: [details] } } : {};
    return { step, outcome, error: new CliError(outcome, escapeControls(message), { hint, ...more }) };
  });
