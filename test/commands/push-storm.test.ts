/** A push against a service that fails at random, which is repeated until it is done; the large one is bench/push-storm.mjs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../bench/storm-service.mjs';
import { CARD_CODE, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { expectCompletedUpdate, killedRepository } from '../helpers/killed-repository.ts';
import { run } from '../helpers/test-host.ts';

const FOLDERS = 30;
const codeOf = (i: number) => `module.exports = async () => ({ raw: { number: ${i} } });\n`;

describe('a push that is repeated until it succeeds', () => {
  it.each([1, 2, 3])('creates each formula exactly once, whatever fails (seed %i)', async (seed) => {
    const service = await startService({ mode: 'mixed', seed, share: 40 });
    onTestFinished(service.stop);
    const files = Array.from({ length: FOLDERS }, (_, i) =>
      inFolder(`f${i}`, cardFiles({ name: `Storm ${i}` }, { 'code.js': codeOf(i) })),
    );
    const root = folderWith(Object.assign({}, ...files));
    const env = {
      XDG_STATE_HOME: folderWith(),
      FORMULARY_BASE_URL: service.url,
      FORMULARY_API_KEY: 'key_of-the-storm',
      FORMULARY_TARGET: 'storm',
    };
    const codes: number[] = [];
    while (codes.at(-1) !== 0 && codes.length < 20) {
      const { code, out, err } = await run(['formula', 'push', root, '--json', '--concurrency', '4'], { env });
      codes.push(code);
      expect([0, 7, 8, 9], err).toContain(code);
      const { created = 0, unchanged = 0 } = out === '' ? {} : JSON.parse(out).summary;
      expect(created + unchanged).toBeLessThanOrEqual(service.formulas.length);
    }
    expect(codes.at(-1)).toBe(0);
    const found = service.formulas.map(({ name, code }) => [name, code]).sort();
    expect(found).toEqual(Array.from({ length: FOLDERS }, (_, i) => [`Storm ${i}`, codeOf(i)]).sort());
    const lock = JSON.parse(readFileSync(join(root, 'formulas.lock.json'), 'utf8')).targets.storm;
    const ids = Object.values<{ id: string }>(lock).map(({ id }) => id);
    expect(ids.sort()).toEqual(service.formulas.map(({ id }) => id).sort());
  });
});

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
