/** Compares a step of a saved plan with what push would do now. Pure. */
import { isSameId } from '../../api/formula-guards.ts';
import { changedFields, fieldsToChange } from '../../formula-fields.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { formatModification } from '../../state/remote-baseline.ts';
import { mergeFormula } from '../merge-formula.ts';
import type { Step } from './plan.ts';
import type { PlannedStep } from './plan-file.ts';

/** The current state of a planned step, from folders, lock files, and service. */
export interface CurrentState {
  /** The step of a push now. */
  step: Step | undefined;
  /** The content of the folder; undefined if it does not exist or is not valid. */
  body: FormulaBody | undefined;
  /** The id that a lock file has for the folder. */
  linkedId: string | undefined;
  lockFile: string | null;
  /** The private formula with the planned id. */
  remote: Formula | undefined;
}

interface PlanChange {
  /** Whether others changed the service, or something of the repository changed. */
  where: 'service' | 'repository';
  problem: string;
  fields?: readonly (keyof FormulaBody)[];
  modified_at?: unknown;
  modified_by?: unknown;
}

/** `equal`: push would do the same. `done`: nothing of the step is left to do. */
export type PlanComparison = { state: 'equal' | 'done' } | { state: 'changed'; changes: readonly PlanChange[] };

export function comparePlannedStep(planned: PlannedStep, now: CurrentState): PlanComparison {
  if (isDone(planned, now)) return { state: 'done' };
  const changes = planned.action === 'delete' ? findDeletionChanges(planned, now) : findFolderChanges(planned, now);
  if (changes.length === 0 && planned.lock_file !== now.lockFile)
    changes.push(
      repositoryChange(`its lock file is ${now.lockFile ?? 'none'} now (planned: ${planned.lock_file ?? 'none'})`),
    );
  if (changes.length === 0 && planned.action !== now.step?.action)
    changes.push(repositoryChange(`push would ${now.step?.action ?? 'do nothing'} now (planned: ${planned.action})`));
  return changes.length === 0 ? { state: 'equal' } : { state: 'changed', changes };
}

/** Whether the service has what the step would have sent, or no longer has what it would have deleted. */
function isDone({ action, id, local }: PlannedStep, { step, remote, linkedId }: CurrentState): boolean {
  if (action === 'delete') return !remote && isSameId(linkedId ?? id ?? '', id ?? '');
  if (step?.action !== 'keep' || !step.remote || !local) return false;
  const isSameFormula = id === null || isSameId(step.remote.id, id);
  return isSameFormula && fieldsToChange({ body: local }, step.remote).length === 0;
}

function findDeletionChanges(planned: PlannedStep, now: CurrentState): PlanChange[] {
  const { step, linkedId } = now;
  const id = planned.id ?? '';
  if (step?.local) return [repositoryChange('its folder exists again')];
  if (linkedId === undefined || !isSameId(linkedId, id))
    return [repositoryChange(`no lock file has the id ${id} for it`)];
  return findRemoteChanges(planned, now);
}

function findFolderChanges(planned: PlannedStep, now: CurrentState): PlanChange[] {
  const { body, step } = now;
  if (!body || !step) return [repositoryChange('its folder no longer exists, or is a symbolic link')];
  const { id, local, remote } = planned;
  const sent = remote && id !== null ? mergeFormula(body, { ...remote, id }, { removeIcon: false }).body : body;
  const fields = local ? changedFields(sent, local) : [];
  const changes = fields.length > 0 ? [repositoryChange(`${fields.join(', ')} changed in its folder`, { fields })] : [];
  const isOtherFormula = step.remote && !isSameId(step.remote.id, id ?? '');
  if (isOtherFormula && !step.adopted)
    return [...changes, repositoryChange(`a lock file has the id ${step.remote?.id} for it`)];
  changes.push(...(id === null ? findCreatedByOthers(step) : findRemoteChanges(planned, now)));
  if (isOtherFormula && changes.length === 0)
    changes.push(repositoryChange(`its name matches the formula ${step.remote?.id}`));
  return changes;
}

/** The changes by others to the formula that would be updated or deleted. */
function findRemoteChanges(planned: PlannedStep, { step, remote }: CurrentState): PlanChange[] {
  if (!remote) return [serviceChange('it was deleted on the service')];
  // Without a value, a field would not be compared.
  const before = { description: null, icon: null, ...planned.remote } as FormulaBody;
  const fields = fieldsToChange({ body: before }, remote);
  if (fields.length > 0)
    return [serviceChange(`${fields.join(', ')} changed on the service${formatModification(remote)}`, remote, fields)];
  return step?.action === 'conflict' ? [serviceChange(step.reason ?? 'it is in conflict')] : [];
}

/** The formula that others created under the name of a planned one. */
function findCreatedByOthers({ action, remote, reason }: Step): PlanChange[] {
  if (remote) {
    const { modified_at: at, modified_by: by, created_at: createdAt, created_by: createdBy } = remote;
    const last = { ...remote, modified_at: at ?? createdAt, modified_by: by ?? createdBy };
    return [
      serviceChange(`a formula of its name was created on the service: ${remote.id}${formatModification(last)}`, last),
    ];
  }
  return action === 'conflict' ? [serviceChange(reason ?? 'it is in conflict')] : [];
}

const repositoryChange = (problem: string, more: Pick<PlanChange, 'fields'> = {}): PlanChange => ({
  where: 'repository',
  problem,
  ...more,
});

const serviceChange = (problem: string, remote?: Formula, fields?: PlanChange['fields']): PlanChange => ({
  where: 'service',
  problem,
  ...(fields && { fields }),
  ...(remote && { modified_at: remote.modified_at, modified_by: remote.modified_by }),
});
