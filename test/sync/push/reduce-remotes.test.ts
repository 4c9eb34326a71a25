/** Which codes and icons of the service a plan keeps, and that the others are read again before they are replaced. */
import { describe, expect, it } from 'vitest';
import { createServiceClient } from '../../../src/api/client.ts';
import { openTransport } from '../../../src/api/http/transport.ts';
import type { LocalFormula } from '../../../src/check/local-formula.ts';
import { hashFields, isOutline, outline } from '../../../src/formula-fields.ts';
import type { Formula, FormulaBody } from '../../../src/model.ts';
import { ApiKey } from '../../../src/secrets/api-key.ts';
import { applySteps } from '../../../src/sync/push/apply.ts';
import type { Step } from '../../../src/sync/push/plan.ts';
import { createRemoteReducer } from '../../../src/sync/push/reduce-remotes.ts';
import { json, loopback } from '../../helpers/loopback.ts';

const BODY: FormulaBody = { name: 'Card', type: 'private', code: '12345', configuration: [], request_parameters: [] };

const local = (name: string): LocalFormula => ({
  folder: name,
  path: `/${name}`,
  name,
  type: 'private',
  body: { ...BODY, name },
});
const remote = (id: string, name: string, change: Partial<Formula> = {}): Formula => ({ ...BODY, id, name, ...change });

/** What is kept of a formula. */
function keptOf(formula: Formula): 'all' | 'hashes' | 'neither' {
  if (formula.code !== null) return 'all';
  return isOutline(formula) ? 'hashes' : 'neither';
}

describe('a list for a plan', () => {
  const situation = {
    locals: [local('Card'), local('Linked')],
    ids: new Map([
      ['/Linked', 'ID-1'],
      ['/gone', 'id-2'],
    ]),
  };
  it.each<[string, Formula, string]>([
    ['the hashes of a formula that is equal to its folder by name', remote('a', 'Card'), 'hashes'],
    ['the hashes of one that is equal to the folder of its id', remote('id-1', 'Linked'), 'hashes'],
    ['all of one that differs from its folder', remote('a', 'Card', { code: '1' }), 'all'],
    ['all of one that was renamed', remote('id-1', 'Old'), 'all'],
    ['all of one that differs from one of two folders', remote('id-1', 'Card'), 'all'],
    ['all of one whose folder is gone', remote('ID-2', 'Gone'), 'all'],
    ['the hashes of one whose code is too long', remote('a', 'Card', { code: '12345678901' }), 'hashes'],
    ['neither of one without a folder', remote('b', 'Other'), 'neither'],
    ['neither of an official one', remote('a', 'Card', { type: 'official' }), 'neither'],
  ])('keeps %s', (_, formula, kept) => {
    expect(keptOf(createRemoteReducer(situation, 10)(formula))).toBe(kept);
  });

  it('keeps only a limited number of characters in total', () => {
    const reduce = createRemoteReducer(situation, 10);
    const formulas = ['a', 'b', 'c'].map((id) => reduce(remote(id, 'Card', { code: 'other' })));
    expect(formulas.map(keptOf)).toEqual(['all', 'all', 'hashes']);
  });
});

describe('a step with a formula of which only hashes were kept', () => {
  const THERE = remote('id-1', 'Card', { code: 'old', icon: 'data:,x' });

  async function apply(action: Step['action'], current: Formula, planned = local('Card'), reloaded = BODY) {
    const { url, requests } = await loopback(({ method }, response) => {
      if (method === 'DELETE') return json(response, 204, undefined);
      json(response, 200, method === 'GET' ? current : { ...BODY, id: 'id-1', icon: current.icon });
    });
    const transport = {
      baseUrl: new URL(url),
      key: new ApiKey('key_of_the_test', 'test'),
      keyHeader: 'K',
      timeoutMs: 5000,
    };
    const patience = {
      budgetMs: 10_000,
      now: () => new Date(),
      sleep: async () => undefined,
      random: () => 0,
      warn: () => undefined,
    };
    const saved: Formula[] = [];
    const step: Step = { action, path: '/Card', local: planned, remote: outline(THERE), fields: ['code'] };
    const [result] = await applySteps([step], {
      client: createServiceClient(openTransport(transport), url, patience),
      reloadBody: async () => reloaded,
      saveVersion: (_, formula) => void saved.push(formula),
      tracking: {
        link: () => undefined,
        recordBaseline: () => undefined,
        recordPending: async () => undefined,
        recordPruned: () => undefined,
      },
      preexistingIds: new Set(),
      concurrency: 1,
      isStopping: () => false,
      failFast: false,
      report: () => undefined,
    });
    return { result, saved, requests };
  }

  it.each(['update', 'delete'] as const)(
    'reads it again before an %s, so that its saved version is complete',
    async (action) => {
      const { result, saved, requests } = await apply(action, THERE);
      expect(result?.error).toBeUndefined();
      expect(saved).toEqual([THERE]);
      expect(requests.map(({ method }) => method)).toEqual(['GET', action === 'update' ? 'PUT' : 'DELETE']);
      if (action === 'update') expect(JSON.parse(requests[1]?.body ?? '')).toEqual({ ...BODY, icon: 'data:,x' });
    },
  );

  const hashedOnly: LocalFormula = { ...local('Card'), body: undefined, hashes: hashFields(BODY) };

  it('sends the folder as it is read again, if it matches the plan', async () => {
    const { result, requests } = await apply('update', THERE, hashedOnly);
    expect([result?.outcome, JSON.parse(requests[1]?.body ?? '').code]).toEqual(['updated', BODY.code]);
  });

  it.each<[string, FormulaBody]>([
    ['has another field', { ...BODY, code: 'new' }],
    ['has one more field', { ...BODY, description: 'new' }],
  ])('sends nothing of a folder that must be read again and %s', async (_, reloaded) => {
    const { result, requests } = await apply('update', THERE, hashedOnly, reloaded);
    expect(result).toMatchObject({ outcome: 'failed', error: { outcome: 'invalid' } });
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each(['update', 'delete'] as const)('sends no %s if it changed since', async (action) => {
    const { result, saved, requests } = await apply(action, { ...THERE, code: 'theirs' });
    expect(result).toMatchObject({ outcome: 'failed', error: { outcome: 'conflict' } });
    expect([saved.length, requests.length]).toEqual([0, 1]);
  });
});
