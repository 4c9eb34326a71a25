/** kill -9 of a push at each of its requests: the next push of edited folders completes without a conflict or a mark. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_CODE, cardFiles, folderWith } from '../helpers/folders.ts';
import { killingService } from '../helpers/killing.ts';
import { run } from '../helpers/test-host.ts';

const NAMES = ['a', 'b', 'c'];
const PUSH = ['formula', 'push', 'formulas', '--concurrency', '1'];
/** The list and the writes of three folders, each with and without effect. */
const POINTS = [1, 2, 3, 4].flatMap((request) => [true, false].map((isDone) => ({ request, isDone })));

async function repository() {
  const { machine, kill } = await killingService();
  const cwd = folderWith(
    Object.fromEntries(
      NAMES.flatMap((name) =>
        Object.entries(cardFiles({ name })).map(([file, text]) => [`formulas/${name}/${file}`, text]),
      ),
    ),
  );
  const env = machine();
  const formulary = Object.assign((words: string) => run(['formula', ...words.split(' ')], { cwd, env }), { cwd, env });
  const edit = (text: string) => {
    for (const name of NAMES) writeFileSync(join(cwd, 'formulas', name, 'code.js'), `${CARD_CODE}// ${text}\n`);
  };
  const expectComplete = async () => {
    const { code, out, err } = await formulary('push formulas --json');
    const items: { outcome: string; overwrites?: boolean }[] = JSON.parse(out).items;
    expect([code, err, items.filter(({ outcome, overwrites }) => outcome === 'conflict' || overwrites)]).toEqual([
      0,
      '',
      [],
    ]);
    const formulas: { name: string; code: string }[] = JSON.parse((await formulary('list --json')).out);
    expect(formulas.map(({ name }) => name).sort()).toEqual(NAMES);
    expect(new Set(formulas.map(({ code: text }) => text)).size).toBe(1);
    expect(await formulary('diff formulas')).toMatchObject({ code: 0, out: '' });
  };
  return {
    cwd,
    env,
    formulary,
    edit,
    kill: (at: { request: number; isDone: boolean }) => kill(env, PUSH, at, cwd),
    expectComplete,
  };
}

describe.each(POINTS)('a push that is killed at request $request (with effect: $isDone)', (at) => {
  it('of new folders is completed after an edit', async () => {
    const { edit, kill, expectComplete } = await repository();
    await kill(at);
    edit('next');
    await expectComplete();
  });

  it('of changed folders is completed after an edit, also after a second kill', async () => {
    const { formulary, edit, kill, expectComplete } = await repository();
    expect((await formulary('push formulas')).code).toBe(0);
    edit('first');
    await kill(at);
    edit('second');
    await kill({ ...at, request: 2 });
    edit('third');
    await expectComplete();
  });
});

it('a change of others after a killed push is a conflict', async () => {
  const { formulary, edit, kill } = await repository();
  expect((await formulary('push formulas')).code).toBe(0);
  edit('first');
  await kill({ request: 4, isDone: true });
  const [{ id }] = JSON.parse((await formulary('list --json')).out);
  const theirs = folderWith(cardFiles({ name: 'a' }, { 'code.js': `${CARD_CODE}// theirs\n` }));
  const env = { ...formulary.env, XDG_STATE_HOME: folderWith() };
  expect((await run(['formula', 'update', id, theirs], { env })).code).toBe(0);
  edit('second');
  const { code, out } = await formulary('push formulas --json');
  const outcomes = JSON.parse(out).items.map(({ outcome }: { outcome: string }) => outcome);
  expect([code, outcomes]).toEqual([7, ['conflict', 'updated', 'updated']]);
});
