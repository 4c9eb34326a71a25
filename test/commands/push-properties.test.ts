/** Whatever is done to folders and service between pushes, the next push brings them into line and touches nothing else. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Formula } from '../../src/model.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';

const FOLDERS = ['a', 'b', 'c', 'd'];
const NAMES = ['Card', 'card', 'Sign', '../Bank', 'Zürich "1"'];

interface Action {
  do: 'write' | 'remove' | 'move' | 'push' | 'force' | 'edit remotely' | 'delete remotely';
  folder: string;
  /** Another folder. */
  to: string;
  name: string;
  /** Tells contents apart, and picks a formula of the service. */
  number: number;
}

const anyAction: fc.Arbitrary<Action> = fc.record({
  do: fc.constantFrom(
    'write',
    'write',
    'write',
    'push',
    'push',
    'remove',
    'move',
    'force',
    'edit remotely',
    'delete remotely',
  ),
  folder: fc.constantFrom(...FOLDERS),
  to: fc.constantFrom(...FOLDERS),
  name: fc.constantFrom(...NAMES),
  number: fc.nat(3),
});

/** A machine, a tree, and a service with one formula that no folder knows. */
async function world() {
  const root = folderWith();
  const env = {
    XDG_STATE_HOME: folderWith(),
    FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db'),
    FORMULARY_PROFILE: 'local',
    FORMULARY_TARGET: 'staging',
  };
  const formulary = (...words: string[]) => run(words, { env });
  const folders = new Map<string, { name: string; code: string }>();
  const remotes = async (): Promise<Formula[]> => JSON.parse((await formulary('formula', 'list', '--json')).out);
  const elsewhere = { ...env, XDG_STATE_HOME: folderWith() };
  await formulary('formula', 'create', folderWith(cardFiles({ name: 'Foreign' })));

  const push = async (...flags: string[]) => {
    if (folders.size > 0) await formulary('formula', 'push', root, ...flags);
  };
  const changeRemotely = async (at: number, words: (remote: Formula) => string[]) => {
    const own = (await remotes()).filter(({ name }) => name !== 'Foreign');
    const remote = own[at % Math.max(1, own.length)];
    if (remote) await run(['formula', ...words(remote)], { env: elsewhere });
  };
  const actions: Record<Action['do'], (action: Action) => Promise<void> | void> = {
    write: ({ folder, name, number }) => {
      // Two folders of one name are refused; that is told elsewhere.
      if ([...folders].some(([other, has]) => has.name === name && other !== folder)) return;
      const code = `module.exports = async () => ({ raw: { code: ${number} } });\n`;
      mkdirSync(join(root, folder), { recursive: true });
      for (const [file, text] of Object.entries(cardFiles({ name }, { 'code.js': code }))) {
        writeFileSync(join(root, folder, file), text);
      }
      folders.set(folder, { name, code });
    },
    remove: ({ folder }) => {
      rmSync(join(root, folder), { recursive: true, force: true });
      folders.delete(folder);
    },
    move: ({ folder, to }) => {
      const moved = folders.get(folder);
      if (!moved || folders.has(to)) return;
      renameSync(join(root, folder), join(root, to));
      folders.delete(folder);
      folders.set(to, moved);
    },
    push: () => push(),
    force: () => push('--force'),
    'edit remotely': ({ number }) =>
      changeRemotely(number, ({ id, name }) => [
        'update',
        id,
        folderWith(cardFiles({ name, description: `edited ${number}` })),
      ]),
    'delete remotely': ({ number }) => changeRemotely(number, ({ id }) => ['delete', id, '--yes']),
  };
  return { root, formulary, folders, remotes, carryOut: async (action: Action) => actions[action.do](action) };
}

type Formulary = Awaited<ReturnType<typeof world>>['formulary'];

/** Pushes; a formula without a folder that has the new name of another is deleted, as the message asks. */
async function forcePush(formulary: Formulary, root: string): Promise<void> {
  for (;;) {
    const { code, err } = await formulary('formula', 'push', root, '--force');
    const [, namesake] = /another formula \(([^)]+)\): delete that one/.exec(err) ?? [];
    if (namesake === undefined) return expect(code, err).toBe(0);
    await formulary('formula', 'delete', namesake, '--yes');
  }
}

describe('a forced push', () => {
  it('makes the service hold what the folders say, without a duplicate, and leaves the rest alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAction, { maxLength: 9 }), async (actions) => {
        const { root, formulary, folders, remotes, carryOut } = await world();
        const last: Action = { do: 'write', folder: 'z', to: '', name: 'Last', number: 0 };
        for (const action of [...actions, last]) await carryOut(action);
        const foreign = (await remotes()).find(({ name }) => name === 'Foreign');
        await forcePush(formulary, root);
        const after = await remotes();
        for (const { name, code } of folders.values()) {
          const found = after.filter((remote) => remote.name === name);
          expect(found.map((remote) => remote.code)).toEqual([code]);
        }
        expect(after.find(({ name }) => name === 'Foreign')).toEqual(foreign);
        expect((await formulary('formula', 'diff', root)).code).toBe(0);
        expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
        const again = await formulary('formula', 'push', root, '--json');
        expect(JSON.parse(again.out).summary.unchanged).toBe(folders.size);
      }),
      { numRuns: 10 },
    );
  });
});
