/** Whatever is done to folders and service before a plan is created, and wherever its push is killed, it is applied once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyAction, keepOneOfEachName, twoComputers } from '../helpers/random-pushes.ts';
import { runs } from '../helpers/runs.ts';

describe('a plan', () => {
  it('that is applied, wherever it is killed before, has the effect that it shows, once', {
    timeout: runs(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAction, { maxLength: 9 }), anyAction, async (actions, killed) => {
        const { root, formulary, killPush, remotes, carryOut } = await twoComputers();
        const foreign = (await remotes()).find(({ name }) => name === 'Foreign');
        for (const action of [...actions, { ...killed, do: 'write', folder: 'z', name: 'Last' } as const])
          await carryOut(action);
        keepOneOfEachName(root);
        const planned = await formulary('diff', '.', '--prune', '--force', '--out', 'plan.json', '--json');
        expect(planned.code, planned.err).toBeOneOf([0, 10]);
        const { items } = JSON.parse(planned.out);
        const before = await remotes();
        if (items.some(({ action }: { action: string }) => action === 'conflict')) {
          expect((await formulary('push', '--plan', 'plan.json')).code).toBe(6);
          return expect(await remotes()).toEqual(before);
        }
        await killPush(['--plan', 'plan.json'], killed);
        const applied = await formulary('push', '--plan', 'plan.json');
        expect(applied.code, applied.err).toBe(0);
        const after = await remotes();
        expect((await formulary('diff', '.', '--prune', '--force')).code).toBe(0);
        expect(after.find(({ name }) => name === 'Foreign')).toEqual(foreign);
        expect(new Set(after.map(({ name }) => name)).size).toBe(after.length);
        const again = JSON.parse((await formulary('push', '--plan', 'plan.json', '--json')).out);
        expect(again.summary.unchanged).toBe(again.summary.total);
        expect(await remotes()).toEqual(after);
      }),
      { numRuns: runs(8) },
    );
  });
});
