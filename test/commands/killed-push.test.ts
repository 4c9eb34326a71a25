/** kill -9 of a push, and a change of others. test/slow/killed-push.test.ts kills at each request. */
import { expect, it } from 'vitest';
import { CARD_CODE, cardFiles, folderWith } from '../helpers/folders.ts';
import { expectCompletedUpdate, killedRepository } from '../helpers/killed-repository.ts';
import { run } from '../helpers/test-host.ts';

it('a push that is killed twice is completed after an edit', () => expectCompletedUpdate({ request: 3, isDone: true }));

it('a change of others after a killed push is a conflict', async () => {
  const { formulary, edit, kill } = await killedRepository();
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
