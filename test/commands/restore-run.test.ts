import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, editCode, folderWith, formulaTree } from '../helpers/folders.ts';
import { changedElsewhere, type Machine, machine } from '../helpers/machine.ts';
import { expectExit } from '../helpers/test-host.ts';

const NAMES = ['A', 'B', 'C'];

/** The command that a run printed, without the program. */
const findUndo = (err: string) => /run: formulary formula (restore --run [0-9a-f]{10})/.exec(err)?.[1] ?? err;

/** Three published formulas, whose folders and services changed again; with the command that undoes the second push. */
async function pushedTwice() {
  const cwd = formulaTree(...NAMES);
  const formulary = machine({ cwd, more: { FORMULARY_TARGET: 'test' } });
  await formulary('push .');
  const before = await readCodes(formulary);
  for (const name of NAMES) editCode(join(cwd, name), 'two');
  const undo = findUndo((await formulary('push .')).err);
  return { cwd, formulary, before, undo };
}

interface Item {
  id: string;
  name: string;
  code: string;
}

const readItems = async (formulary: Machine): Promise<Item[]> => JSON.parse((await formulary('list --json')).out);
const readCodes = async (formulary: Machine) =>
  Object.fromEntries((await readItems(formulary)).map(({ name, code }) => [name, code]));

describe('restore --run', () => {
  it('restores the formulas that a push replaced, after one prompt, and can be undone itself', async () => {
    const { formulary, before, undo } = await pushedTwice();
    const after = await readCodes(formulary);
    expectExit(await formulary(undo), 2, '--yes', '');
    expectExit(await formulary(undo, { answers: ['n'] }), 2, 'Cancelled.');
    const restored = await formulary(undo, { answers: ['y'] });
    expectExit(restored, 0, 'Restore these 3 formulas? [y/N] ');
    expect(restored.err).toContain('3 restored\n');
    expect(await readCodes(formulary)).toEqual(before);
    expect((await formulary(`${undo} --yes`)).err).toContain('3 unchanged\n');
    expectExit(await formulary(`${findUndo(restored.err)} --yes`), 0, '3 restored');
    expect(await readCodes(formulary)).toEqual(after);
  });

  it('creates what was deleted again, and links the folders to it', async () => {
    const { cwd, formulary } = await pushedTwice();
    for (const name of ['A', 'B']) rmSync(join(cwd, name), { recursive: true });
    const { err } = await formulary('push . --prune --yes');
    const { code, out } = await formulary(`${findUndo(err)} --yes --json`);
    expect(code).toBe(0);
    expect(JSON.parse(out).summary).toMatchObject({ total: 2, created: 2 });
    expect(Object.keys(await readCodes(formulary)).sort()).toEqual(NAMES);
    expect(findUndo((await formulary('delete A B --yes')).err)).toMatch(/^restore --run/);
  });

  it('names what the run created, and does not delete it', async () => {
    const { cwd, formulary } = await pushedTwice();
    for (const name of ['A', 'B']) editCode(join(cwd, name), 'three');
    const { err } = await formulary(`push . ${folderWith(cardFiles({ name: 'D' }))}`);
    const restored = await formulary(`${findUndo(err)} --yes`);
    const note = /note: the run created formulas, which are not deleted: "D" \([0-9a-f-]{36}\)/;
    expectExit(restored, 0, note);
    expect(Object.keys(await readCodes(formulary))).toContain('D');
  });

  it('marks what others changed since the run, and restores nothing then with --yes alone', async () => {
    const { formulary, before, undo } = await pushedTwice();
    const [{ id, name }] = (await readItems(formulary)) as [Item];
    await changedElsewhere(formulary, id, { name });
    const rejected = await formulary(`${undo} --yes`);
    expectExit(rejected, 6, `"${name}" changed on the service since the run; nothing was restored`);
    expect(rejected.out.match(/not_started/g)).toHaveLength(2);
    const asked = await formulary(undo, { answers: ['y'] });
    expectExit(asked, 0, `${name}  (changed since the run)`);
    expect(await readCodes(formulary)).toEqual(before);
  });

  it('with --yes alone is completed by the commands of its hint', async () => {
    const { formulary, before, undo } = await pushedTwice();
    const [{ id, name }] = (await readItems(formulary)) as [Item];
    await changedElsewhere(formulary, id, { name });
    const { err } = await formulary(`${undo} --yes`);
    const [, command = ''] = /To restore it too, run: formulary formula (.*)/.exec(err) ?? [];
    expect(await formulary(command)).toMatchObject({ code: 0 });
    expect(await formulary(`${undo} --yes`)).toMatchObject({ code: 0 });
    expect(await readCodes(formulary)).toEqual(before);
  });

  it('is a conflict of the folders afterwards, whose reason is the restore', async () => {
    const { cwd, formulary, undo } = await pushedTwice();
    await formulary(`${undo} --yes`);
    editCode(join(cwd, 'A'), 'three');
    for (const words of ['push A', 'update A'])
      expectExit(await formulary(words), 6, 'the remote version was restored on this computer since');
  });

  it('rejects a run that does not exist, and an entry next to it', async () => {
    const { formulary, undo } = await pushedTwice();
    expectExit(await formulary('restore --run 0000 --yes'), 5, 'no run "0000"');
    for (const words of [['restore'], [...undo.split(' '), 'A'], ['restore', '--run', '', '--yes']])
      expect((await formulary(words)).code).toBe(2);
    expect((await formulary(`${undo.slice(0, -2)} --yes`)).code).toBe(0);
  });
});
