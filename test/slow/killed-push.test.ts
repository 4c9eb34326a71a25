/** kill -9 of a push at each of its requests: the next push of edited folders completes without a conflict or a mark. */
import { describe, it } from 'vitest';
import { expectCompletedUpdate, killedRepository } from '../helpers/killed-repository.ts';

/** The list and the writes of three folders, each with and without effect. */
const POINTS = [1, 2, 3, 4].flatMap((request) => [true, false].map((isDone) => ({ request, isDone })));

describe.each(POINTS)('a push that is killed at request $request (with effect: $isDone)', (at) => {
  it('of new folders is completed after an edit', async () => {
    const { edit, kill, expectComplete } = await killedRepository();
    await kill(at);
    edit('next');
    await expectComplete();
  });

  it('of changed folders is completed after an edit, also after a second kill', () => expectCompletedUpdate(at));
});
