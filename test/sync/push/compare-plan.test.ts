/** A saved step against the present: equal, done, or what changed, when, and by which application. */
import { describe, expect, it } from 'vitest';
import { outline } from '../../../src/formula-fields.ts';
import type { Formula, FormulaBody } from '../../../src/model.ts';
import { type CurrentState, comparePlannedStep } from '../../../src/sync/push/compare-plan.ts';
import type { Step } from '../../../src/sync/push/plan.ts';
import { type PlannedStep, toPlannedStep } from '../../../src/sync/push/plan-file.ts';

const content = (code: string, more: Partial<FormulaBody> = {}): FormulaBody => ({
  name: 'Card',
  type: 'private',
  code,
  configuration: [],
  request_parameters: [],
  ...more,
});
const remote = (code: string, more: Partial<Formula> = {}): Formula => ({
  ...content(code),
  id: 'id-1',
  modified_at: '2026-11-29T05:00:00Z',
  modified_by: 'app-2',
  ...more,
});
const WHEN = '(at 2026-11-29T05:00:00Z by app-2)';
const LOCK_FILE = 'formulas.lock.json';
const local = { folder: 'card', path: '/repo/card', name: 'Card', type: 'private', body: content('new') } as const;

const currentStep = (action: Step['action'], found?: Formula, more: Partial<Step> = {}): Step => ({
  action,
  path: '/repo/card',
  local,
  remote: found,
  fields: [],
  ...more,
});
const planned = (action: PlannedStep['action'], body?: FormulaBody, before?: Formula) =>
  toPlannedStep({ ...currentStep('keep', before), action, ...(action === 'delete' && { local: undefined }) }, body, {
    folder: 'card',
    lock_file: LOCK_FILE,
  });
const now = (
  step: Step | undefined,
  body: FormulaBody | undefined,
  more: Partial<CurrentState> = {},
): CurrentState => ({
  step,
  body,
  linkedId: step?.remote?.id,
  lockFile: LOCK_FILE,
  remote: step?.remote,
  ...more,
});

const create = planned('create', content('new'));
const update = planned('update', content('new'), remote('old'));
const deletion = planned('delete', undefined, remote('old'));
const orphan = (found: Formula): Step => ({ action: 'delete', path: '/repo/card', remote: found, fields: [] });

describe('a planned step is equal to what push would do', () => {
  it.each<[string, PlannedStep, CurrentState]>([
    ['for a formula that is still to be created', create, now(currentStep('create'), content('new'))],
    [
      'for a create whose lock entry is of a formula that no longer exists',
      create,
      now(currentStep('create', undefined, { missingId: 'id-9' }), content('new'), { linkedId: 'id-9' }),
    ],
    ['for an update of the version that was there', update, now(currentStep('update', remote('old')), content('new'))],
    [
      'for an update after a change of audit fields only',
      update,
      now(currentStep('update', remote('old', { modified_at: 'later' })), content('new')),
    ],
    [
      'for an update that now overwrites a version without a baseline',
      update,
      now(currentStep('update', remote('old'), { overwrites: true }), content('new')),
    ],
    [
      'for an id in other letter case',
      update,
      now(currentStep('update', remote('old', { id: 'ID-1' })), content('new')),
    ],
    ['for the deletion of the version that was there', deletion, now(orphan(remote('old')), undefined)],
  ])('%s', (_, step, state) => {
    expect(comparePlannedStep(step, state)).toEqual({ state: 'equal' });
  });
});

describe('a planned step is done', () => {
  const pixel = 'data:image/png;base64,AAAA';
  it.each<[string, PlannedStep, CurrentState]>([
    [
      'when the formula was created with the planned content, and is found by its name',
      create,
      now(currentStep('keep', remote('new'), { adopted: true }), content('new'), {
        linkedId: undefined,
        remote: undefined,
      }),
    ],
    [
      'when the service added an icon to what was created',
      create,
      now(currentStep('keep', remote('new', { icon: pixel })), content('new'), { remote: undefined }),
    ],
    ['when the service has the planned content', update, now(currentStep('keep', remote('new')), content('new'))],
    ['when only its hashes are in memory', update, now(currentStep('keep', outline(remote('new'))), content('new'))],
    ['when the formula to delete no longer exists', deletion, now(undefined, undefined)],
    ['when its lock entry is gone too', deletion, now(undefined, undefined, { lockFile: null })],
  ])('%s', (_, step, state) => {
    expect(comparePlannedStep(step, state)).toEqual({ state: 'done' });
  });
});

describe('a planned step is stale', () => {
  const kept = planned('update', content('new'), remote('old', { description: 'kept', icon: 'x' }));
  it.each<[string, 'service' | 'repository', string, PlannedStep, CurrentState]>([
    [
      'after a PUT by others',
      'service',
      `code, configuration changed on the service ${WHEN}`,
      update,
      now(currentStep('update', remote('theirs', { configuration: [{ name: 'A', type: 'string' }] })), content('new')),
    ],
    [
      'after a PUT by others that a baseline shows as a conflict',
      'service',
      `code changed on the service ${WHEN}`,
      update,
      now(currentStep('conflict', remote('theirs'), { reason: 'it changed' }), content('new')),
    ],
    [
      'after others added a description, which the update would keep',
      'service',
      `description changed on the service ${WHEN}`,
      update,
      now(currentStep('update', remote('old', { description: 'theirs' })), content('new')),
    ],
    [
      'after others changed what the update would keep and published the code',
      'service',
      `description, code changed on the service ${WHEN}`,
      kept,
      now(currentStep('keep', outline(remote('new', { description: 'theirs', icon: 'x' }))), content('new')),
    ],
    [
      'without times, where the service returns none',
      'service',
      'code changed on the service',
      update,
      now(currentStep('update', remote('theirs', { modified_at: null, modified_by: 7 })), content('new')),
    ],
    [
      'after a DELETE by others',
      'service',
      'it was deleted on the service',
      update,
      now(currentStep('create'), content('new'), { remote: undefined }),
    ],
    [
      'after others created a formula of the name',
      'service',
      `a formula of its name was created on the service: id-1 ${WHEN}`,
      create,
      now(currentStep('update', remote('theirs'), { adopted: true }), content('new')),
    ],
    [
      'after others created a formula of the name, and nobody changed it',
      'service',
      `a formula of its name was created on the service: id-1 ${WHEN}`,
      create,
      now(
        currentStep(
          'update',
          remote('theirs', {
            modified_at: null,
            modified_by: null,
            created_at: '2026-11-29T05:00:00Z',
            created_by: 'app-2',
          }),
          { adopted: true },
        ),
        content('new'),
      ),
    ],
    [
      'after others created several formulas of the name',
      'service',
      '2 formulas have this name',
      create,
      now(currentStep('conflict', undefined, { reason: '2 formulas have this name' }), content('new')),
    ],
    [
      'when a baseline of this computer shows a conflict with the version that was there',
      'service',
      'it changed since',
      update,
      now(currentStep('conflict', remote('old'), { reason: 'it changed since' }), content('new')),
    ],
    [
      'after others changed the formula to delete',
      'service',
      `name, code changed on the service ${WHEN}`,
      deletion,
      now(orphan(remote('theirs', { name: 'Other' })), undefined),
    ],
    [
      'after the code of the folder changed',
      'repository',
      'code changed in its folder',
      update,
      now(currentStep('update', remote('old')), content('newer')),
    ],
    [
      'after the folder of a create changed',
      'repository',
      'description, code changed in its folder',
      create,
      now(currentStep('create'), content('newer', { description: 'new' })),
    ],
    [
      'after the folder stopped setting a description',
      'repository',
      'description changed in its folder',
      planned('update', content('new', { description: 'ours' }), remote('old', { description: 'theirs' })),
      now(currentStep('update', remote('old', { description: 'theirs' })), content('new')),
    ],
    [
      'when its folder is gone',
      'repository',
      'its folder no longer exists, or is a symbolic link',
      update,
      now(undefined, undefined, { remote: remote('old') }),
    ],
    [
      'when the folder to delete a formula for exists again',
      'repository',
      'its folder exists again',
      deletion,
      now(currentStep('keep', remote('old')), content('old')),
    ],
    [
      'when no lock file lists the id to delete',
      'repository',
      'no lock file has the id id-1 for it',
      deletion,
      now(undefined, undefined, { remote: remote('old') }),
    ],
    [
      'when the lock file lists another id',
      'repository',
      'a lock file has the id id-2 for it',
      update,
      now(currentStep('update', remote('old', { id: 'id-2' })), content('new'), { remote: remote('old') }),
    ],
    [
      'when the lock file lists an id for what was to be created',
      'repository',
      'a lock file has the id id-2 for it',
      create,
      now(currentStep('update', remote('old', { id: 'id-2' })), content('new'), { remote: undefined }),
    ],
    [
      'when the lock entry is gone and another formula has the name',
      'repository',
      'its name matches the formula id-2',
      update,
      now(currentStep('update', remote('old', { id: 'id-2' }), { adopted: true }), content('new'), {
        remote: remote('old'),
      }),
    ],
    [
      'when the lock file lists another id for what was deleted',
      'repository',
      'no lock file has the id id-1 for it',
      deletion,
      now(undefined, undefined, { linkedId: 'id-2' }),
    ],
    [
      'when another lock file counts',
      'repository',
      'its lock file is none now (planned: formulas.lock.json)',
      update,
      now(currentStep('update', remote('old')), content('new'), { lockFile: null }),
    ],
    [
      'when a deletion is left out, as by a sparse checkout',
      'repository',
      'push would do nothing now (planned: delete)',
      deletion,
      now(undefined, undefined, { linkedId: 'id-1', remote: remote('old') }),
    ],
  ])('%s', (_, where, problem, step, state) => {
    expect(comparePlannedStep(step, state)).toMatchObject({ state: 'changed', changes: [{ where, problem }] });
  });

  it('shows the changes of both sides', () => {
    const both = comparePlannedStep(update, now(currentStep('update', remote('theirs')), content('newer')));
    expect(both).toMatchObject({
      changes: [
        { where: 'repository', fields: ['code'] },
        { where: 'service', fields: ['code'], modified_at: '2026-11-29T05:00:00Z', modified_by: 'app-2' },
      ],
    });
  });
});
