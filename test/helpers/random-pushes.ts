/** Random actions of two computers on folders and a service, and pushes and pulls that are killed. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Formula } from '../../src/model.ts';
import { cardFiles, folderWith, writeFiles } from './folders.ts';
import { type Killing, killingService } from './killing.ts';
import { run } from './test-host.ts';

const FOLDERS = ['a', 'b', 'c', 'd'];
const NAMES = ['Card', 'card', 'Sign', '../Bank', 'Zürich "1"'];

/** The first more often than the others. */
const WRITE = 'write';
const OTHERS = ['push', 'kill a push', 'remove', 'move', 'force', 'pull', 'kill a pull'] as const;
const REMOTELY = ['edit remotely', 'rename remotely', 'delete remotely'] as const;

interface Action {
  do: typeof WRITE | (typeof OTHERS)[number] | (typeof REMOTELY)[number];
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

export const anyAction: fc.Arbitrary<Action> = fc.record({
  do: fc.constantFrom<Action['do'][]>(WRITE, WRITE, WRITE, ...OTHERS, ...REMOTELY),
  folder: fc.constantFrom(...FOLDERS),
  to: fc.constantFrom(...FOLDERS),
  name: fc.constantFrom(...NAMES),
  number: fc.nat(3),
  request: fc.integer({ min: 1, max: 6 }),
  isDone: fc.boolean(),
});

/** The formulas that the folders of a tree are, by folder. */
export function foldersIn(root: string): Map<string, { name: string; code: string }> {
  const folders = readdirSync(root).filter((folder) => existsSync(join(root, folder, 'manifest.json')));
  return new Map(
    folders.map((folder) => {
      const { name } = JSON.parse(readFileSync(join(root, folder, 'manifest.json'), 'utf8'));
      return [folder, { name, code: readFileSync(join(root, folder, 'code.js'), 'utf8') }];
    }),
  );
}

/** A machine, a tree, and a service with one formula that no folder knows. */
export async function twoComputers() {
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
      writeFiles(join(root, folder), cardFiles({ name }, { 'code.js': code }));
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
    'rename remotely': ({ number, name }) => edit(number, { name: `${name} again` }),
    'delete remotely': ({ number }) => changeRemotely(number, ({ id }) => ['delete', id, '--yes']),
  };
  return { root, formulary, killPush, remotes, carryOut: async (action: Action) => actions[action.do](action) };
}

export type Formulary = Awaited<ReturnType<typeof twoComputers>>['formulary'];

/** A pull can make a second folder of a name, where one was moved or renamed; one of them goes, as the message of a push asks. */
export function keepOneOfEachName(root: string): void {
  const names = new Set<string>();
  for (const [folder, { name }] of foldersIn(root)) {
    if (names.has(name)) rmSync(join(root, folder), { recursive: true });
    names.add(name);
  }
}
