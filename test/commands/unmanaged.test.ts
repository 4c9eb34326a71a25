import { describe, expect, it } from 'vitest';
import { folderWith, formulas, inFolder } from '../helpers/folders.ts';
import { created, machine } from '../helpers/machine.ts';

/** Folders a and b, published, and a formula that was made by hand. */
async function project() {
  const cwd = folderWith(inFolder('f', formulas('a', 'b')));
  const formulary = machine({ cwd, more: { FORMULARY_TARGET: 'test' } });
  expect((await formulary('push f')).code).toBe(0);
  const [id = ''] = await created(formulary, 'By hand');
  const names = async (words: string) => {
    const { code, out } = await formulary(`${words} --json`);
    const items: { name: string; action: string }[] = JSON.parse(out).items;
    return [code, items.filter(({ action }) => action === 'unmanaged').map(({ name }) => name)];
  };
  return { formulary, id, names };
}

describe('diff --unmanaged', () => {
  it('lists formulas that match no folder, and exits with 10', async () => {
    const { formulary, id } = await project();
    const { code, out, err } = await formulary('diff f --unmanaged --json');
    expect([code, JSON.parse(out)]).toMatchObject([
      10,
      {
        items: [
          { action: 'keep' },
          { action: 'keep' },
          { folder: null, id, name: 'By hand', action: 'unmanaged', changes: [] },
        ],
        summary: { total: 3, keep: 2, unmanaged: 1 },
      },
    ]);
    expect(err).toBe('');
    const shown = await formulary('diff f --unmanaged');
    expect(shown).toMatchObject({ code: 10, out: expect.stringContaining(`By hand  ${id}`) });
    expect(shown.err).toContain(`formula pull ${id}`);
    expect((await formulary('diff f')).code).toBe(0);
  });

  it('counts folders that --exclude skips as matching, linked or not', async () => {
    const { names } = await project();
    expect(await names('diff f --unmanaged --exclude b')).toEqual([10, ['By hand']]);
    expect(await names('diff f --unmanaged --exclude *')).toEqual([10, ['By hand']]);
  });

  it('lists the formulas of folders outside of the paths', async () => {
    const { names } = await project();
    expect(await names('diff f/a --unmanaged')).toEqual([10, ['b', 'By hand']]);
  });

  it('exits with 0 if every formula has a folder', async () => {
    const { formulary, id, names } = await project();
    await formulary(`delete ${id} --yes`);
    expect(await names('diff f --unmanaged')).toEqual([0, []]);
    expect((await formulary('diff f --unmanaged')).err).toContain('\n0 unmanaged\n');
  });

  it('is a usage error with --paths-from', async () => {
    const { formulary } = await project();
    expect(await formulary('diff --unmanaged --paths-from -')).toMatchObject({ code: 2, out: '' });
  });
});
