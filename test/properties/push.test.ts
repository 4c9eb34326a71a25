/**
 * Whatever is done to folders and service between pushes, and wherever a push or pull is killed, the next push brings
 * them into line and touches nothing else.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Formula } from '../../src/model.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { type Killing, killingService } from '../helpers/killing.ts';
import { runs } from '../helpers/runs.ts';
import { run } from '../helpers/test-host.ts';

const FOLDERS = ['a', 'b', 'c', 'd'];
const NAMES = ['Card', 'card', 'Sign', '../Bank', 'Zürich "1"'];

interface Action {
  do:
    | 'write'
    | 'remove'
    | 'move'
    | 'push'
    | 'force'
    | 'pull'
    | 'kill a push'
    | 'kill a pull'
    | 'edit remotely'
    | 'rename remotely'
    | 'delete remotely';
  folder: string;
  /** Another folder. */
  to: string;
  name: string;
  /** Tells contents apart, and picks a formula of the service. */
  number: number;
  /** At which request a run is killed, and whether that one is done. */
  request: number;
  isDone: boolean;
}

const anyAction: fc.Arbitrary<Action> = fc.record({
  do: fc.constantFrom<Action['do'][]>(
    'write',
    'write',
    'write',
    'push',
    'kill a push',
    'remove',
    'move',
    'force',
    'pull',
    'kill a pull',
    'edit remotely',
    'rename remotely',
    'delete remotely',
  ),
  folder: fc.constantFrom(...FOLDERS),
  to: fc.constantFrom(...FOLDERS),
  name: fc.constantFrom(...NAMES),
  number: fc.nat(3),
  request: fc.integer({ min: 1, max: 6 }),
  isDone: fc.boolean(),
});

/** The formulas that the folders of a tree are, by folder. */
function foldersIn(root: string): Map<string, { name: string; code: string }> {
  const folders = readdirSync(root).filter((folder) => existsSync(join(root, folder, 'manifest.json')));
  return new Map(
    folders.map((folder) => {
      const { name } = JSON.parse(readFileSync(join(root, folder, 'manifest.json'), 'utf8'));
      return [folder, { name, code: readFileSync(join(root, folder, 'code.js'), 'utf8') }];
    }),
  );
}

/** A machine, a tree, and a service with one formula that no folder knows. */
async function world() {
  const root = folderWith();
  const { machine, kill } = await killingService();
  const [env, elsewhere] = [machine(), machine()];
  const formulary = (...words: string[]) => run(['formula', ...words], { env, cwd: root });
  const killPush = (words: readonly string[], at: Killing) => kill(env, ['formula', 'push', ...words], at, root);
  const there = (...words: string[]) => run(['formula', ...words], { env: elsewhere });
  const remotes = async (): Promise<Formula[]> => JSON.parse((await formulary('list', '--json')).out);
  await there('create', folderWith(cardFiles({ name: 'Foreign' })));

  const own = async () => (await remotes()).filter(({ name }) => name !== 'Foreign');
  const ownIds = async () => (await own()).map(({ id }) => id);
  const changeRemotely = async (at: number, words: (remote: Formula) => string[]) => {
    const formulas = await own();
    const remote = formulas[at % Math.max(1, formulas.length)];
    if (remote) await there(...words(remote));
  };
  const edit = (number: number, manifest: object) =>
    changeRemotely(number, ({ id, name }) => [
      'update',
      id,
      folderWith(cardFiles({ name, description: `edited ${number}`, ...manifest })),
    ]);
  const hasFolders = () => foldersIn(root).size > 0;

  const actions: Record<Action['do'], (action: Action) => unknown> = {
    write: ({ folder, name, number }) => {
      // Two folders of one name are refused; that is told elsewhere.
      if ([...foldersIn(root)].some(([other, has]) => has.name === name && other !== folder)) return;
      const code = `module.exports = async () => ({ raw: { code: ${number} } });\n`;
      mkdirSync(join(root, folder), { recursive: true });
      for (const [file, text] of Object.entries(cardFiles({ name }, { 'code.js': code }))) {
        writeFileSync(join(root, folder, file), text);
      }
    },
    remove: ({ folder }) => rmSync(join(root, folder), { recursive: true, force: true }),
    move: ({ folder, to }) => {
      if (foldersIn(root).has(folder) && !existsSync(join(root, to))) renameSync(join(root, folder), join(root, to));
    },
    push: async () => hasFolders() && formulary('push', root),
    force: async () => hasFolders() && formulary('push', root, '--force'),
    pull: async ({ number }) => {
      const ids = await ownIds();
      if (ids.length > 0) await formulary('pull', ...ids, '--dir', root, ...(number === 0 ? ['--force'] : []));
    },
    'kill a push': async (at) => hasFolders() && kill(env, ['formula', 'push', root], at),
    'kill a pull': async (at) => {
      const ids = await ownIds();
      if (ids.length > 0) await kill(env, ['formula', 'pull', ...ids, '--dir', root], at);
    },
    'edit remotely': ({ number }) => edit(number, {}),
    'rename remotely': ({ number, name }) => edit(number, { name: `${name} anew` }),
    'delete remotely': ({ number }) => changeRemotely(number, ({ id }) => ['delete', id, '--yes']),
  };
  return { root, formulary, killPush, remotes, carryOut: async (action: Action) => actions[action.do](action) };
}

type Formulary = Awaited<ReturnType<typeof world>>['formulary'];

/** A pull can make a second folder of a name, where one was moved or renamed; one of them goes, as the message of a push asks. */
function keepOneOfEachName(root: string): void {
  const names = new Set<string>();
  for (const [folder, { name }] of foldersIn(root)) {
    if (names.has(name)) rmSync(join(root, folder), { recursive: true });
    names.add(name);
  }
}

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
        const { root, formulary, remotes, carryOut } = await world();
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

describe('a plan', () => {
  it('that is applied, wherever it is killed before, has the effect that it shows, once', {
    timeout: runs(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAction, { maxLength: 9 }), anyAction, async (actions, killed) => {
        const { root, formulary, killPush, remotes, carryOut } = await world();
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
      { numRuns: runs(3) },
    );
  });
});
