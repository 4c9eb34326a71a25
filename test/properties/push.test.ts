/**
 * Whatever is done to folders and service between pushes, and wherever a push or pull is killed, the next push brings
 * them into line and touches nothing else.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyAction, type Formulary, foldersIn, keepOneOfEachName, twoComputers } from '../helpers/random-pushes.ts';
import { runs } from '../helpers/runs.ts';

/** Pushes; a formula without a folder that has the new name of another is deleted, as the message asks. */
async function forcePush(formulary: Formulary, root: string): Promise<void> {
  for (;;) {
    const { code, err } = await formulary('push', root, '--force');
    const [, namesake] = /another formula \(([^)]+)\): delete that one/.exec(err) ?? [];
    if (namesake === undefined) return expect(code, err).toBe(0);
    await formulary('delete', namesake, '--yes');
  }
}

describe('a forced push', () => {
  it('makes the service match the folders, without duplicates, and changes no other formula', {
    timeout: runs(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAction, { maxLength: 9 }), async (actions) => {
        const { root, formulary, remotes, carryOut } = await twoComputers();
        const foreign = (await remotes()).find(({ name }) => name === 'Foreign');
        const last = { do: 'write', folder: 'z', to: '', name: 'Last', number: 0, request: 0, isDone: false } as const;
        for (const action of [...actions, last]) await carryOut(action);
        keepOneOfEachName(root);
        await forcePush(formulary, root);
        const after = await remotes();
        const folders = foldersIn(root);
        for (const { name, code } of folders.values()) {
          const found = after.filter((remote) => remote.name === name);
          expect(found.map((remote) => remote.code)).toEqual([code]);
        }
        expect(after.find(({ name }) => name === 'Foreign')).toEqual(foreign);
        expect((await formulary('diff', root)).code).toBe(0);
        expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
        const again = await formulary('push', root, '--json');
        expect(JSON.parse(again.out).summary.unchanged).toBe(folders.size);
      }),
      { numRuns: runs(8) },
    );
  });
});
