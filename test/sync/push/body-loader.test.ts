/** What a push is about to send is recorded first, for many steps at once. */
import { describe, expect, it } from 'vitest';
import type { LocalFormula } from '../../../src/check/local-formula.ts';
import { hashContent, hashFields } from '../../../src/formula-fields.ts';
import type { FormulaBody } from '../../../src/model.ts';
import type { PendingWrite } from '../../../src/state/remote-baseline.ts';
import { createBodyLoader } from '../../../src/sync/push/body-loader.ts';
import type { Step } from '../../../src/sync/push/plan.ts';

const bodyOf = (i: number): FormulaBody => ({
  name: `f${i}`,
  type: 'private',
  code: `// ${i}`,
  configuration: [],
  request_parameters: [],
});

function steps(count: number, isCached: boolean): Step[] {
  return Array.from({ length: count }, (_, i) => {
    const body = bodyOf(i);
    const place = { folder: `f${i}`, path: `/f${i}`, name: body.name, type: body.type };
    const local: LocalFormula = isCached ? { ...place, body } : { ...place, hashes: hashFields(body) };
    const remote = i % 2 === 0 ? { ...body, code: 'old', id: `${i}` } : undefined;
    return { action: remote ? 'update' : 'create', path: local.path, local, remote, fields: ['code'] };
  });
}

/** Loads the bodies of steps in order; gives the records, and the bodies that were loaded. */
async function taken(all: readonly Step[], change: Partial<FormulaBody> = {}) {
  const records: PendingWrite[][] = [];
  const loaded: string[] = [];
  const takeBody = createBodyLoader(
    all,
    async ({ name }) => {
      loaded.push(name);
      return { ...bodyOf(Number(name.slice(1))), ...change };
    },
    { recordPending: async (writes) => void (writes.length > 0 && records.push([...writes])) },
  );
  for (const step of all) {
    const { code } = await takeBody(step);
    const recorded = records.flat().find(({ folder }) => folder === step.path);
    expect(recorded?.hash).toBe(hashContent({ ...bodyOf(Number(step.path.slice(2))), code }));
    expect(recorded?.remote).toBe(step.remote);
  }
  return { records: records.map(({ length }) => length), loaded };
}

describe('the bodies of a push', () => {
  it('are recorded in one write where they are in memory', async () => {
    expect((await taken(steps(250, true))).records).toEqual([250]);
  });

  it('are loaded once, and recorded by the hundred, where they are not', async () => {
    const { records, loaded } = await taken(steps(250, false));
    expect([records, loaded.length]).toEqual([[100, 100, 50], 250]);
  });

  it('are rejected if their folder changed', async () => {
    await expect(taken(steps(3, false), { code: 'changed' })).rejects.toThrow('changed during the push');
  });
});
