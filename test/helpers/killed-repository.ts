/** A repository of three formulas, and a service at which a push of them is killed at a request that is chosen. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { editCode, folderWith, formulas, inFolder } from './folders.ts';
import { type Killing, killingService } from './killing.ts';
import { run } from './test-host.ts';

const NAMES = ['a', 'b', 'c'];
const PUSH = ['formula', 'push', 'formulas', '--concurrency', '1'];

export async function killedRepository() {
  const { machine, kill } = await killingService();
  const cwd = folderWith(inFolder('formulas', formulas(...NAMES)));
  const env = machine();
  const formulary = Object.assign((words: string) => run(['formula', ...words.split(' ')], { cwd, env }), { cwd, env });
  const edit = (text: string) => {
    for (const name of NAMES) editCode(join(cwd, 'formulas', name), text);
  };
  /** Pushes without a conflict or a mark; then each formula exists once, with the same code. */
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
  return { cwd, env, formulary, edit, kill: (at: Killing) => kill(env, PUSH, at, cwd), expectComplete };
}

/** Kills two pushes of changed folders, with edits in between; the next one completes. */
export async function expectCompletedUpdate(at: Killing): Promise<void> {
  const { formulary, edit, kill, expectComplete } = await killedRepository();
  expect((await formulary('push formulas')).code).toBe(0);
  edit('first');
  await kill(at);
  edit('second');
  await kill({ ...at, request: 2 });
  edit('third');
  await expectComplete();
}
