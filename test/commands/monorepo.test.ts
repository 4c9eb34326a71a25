/** One repository with several teams: each formula stays one formula, whichever path is pushed. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Formula } from '../../src/model.ts';
import { folderWith, formulas } from '../helpers/folders.ts';
import { type Machine, machine } from '../helpers/machine.ts';

/** A repository with a formula in the folder of each team, and a computer whose current folder is its top. */
function monorepo(target: string[]): { formulary: Machine; at: (path: string) => string; words: string } {
  const root = folderWith({ '.git/HEAD': '', ...formulas('teamA/card', 'teamB/bank') });
  return { formulary: machine({ cwd: root }), at: (path) => join(root, path), words: target.join(' ') };
}

function rename(file: string, name: string): void {
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), name }));
}

const names = async (formulary: Machine): Promise<string[]> => {
  const formulas: Formula[] = JSON.parse((await formulary('list --json')).out);
  return formulas.map(({ name }) => name).sort();
};

describe.each([
  ['in the project', ['--target', 'staging']],
  ['in the state folder', []],
])('a repository of two teams, with lock files %s', (_, target) => {
  it('keeps one formula for each folder when teams push their own path and then the top, with a rename between', async () => {
    const { formulary, at, words } = monorepo(target);
    for (const team of ['teamA', 'teamB']) {
      expect(await formulary(`push ${team} ${words}`.trim())).toMatchObject({ code: 0 });
    }
    rename(at('teamA/card/manifest.json'), 'renamed');
    expect(await formulary(`push . ${words}`.trim())).toMatchObject({ code: 0 });
    expect(await names(formulary)).toEqual(['renamed', 'teamB/bank']);
    expect(existsSync(at('formulas.lock.json'))).toBe(false);
  });

  it('keeps one formula when folder and name are renamed at once, the folder in letter case', async () => {
    const { formulary, at, words } = monorepo(target);
    await formulary(`push teamA ${words}`.trim());
    renameSync(at('teamA/card'), at('teamA/Card'));
    rename(at('teamA/Card/manifest.json'), 'renamed');
    expect(await formulary(`push teamA ${words}`.trim())).toMatchObject({ code: 0 });
    expect(await names(formulary)).toEqual(['renamed']);
  });

  it('deletes by a lock file in a folder without remaining formulas', async () => {
    const { formulary, at, words } = monorepo(target);
    for (const team of ['teamA', 'teamB']) await formulary(`push ${team} ${words}`.trim());
    rmSync(at('teamA/card'), { recursive: true });
    mkdirSync(at('teamA/empty'));
    expect(await formulary(`push . --prune --yes ${words}`.trim())).toMatchObject({ code: 0 });
    expect(await names(formulary)).toEqual(['teamB/bank']);
  });

  it('loses the entry of a deleted formula from the lock file of its team', async () => {
    const { formulary, words } = monorepo(target);
    await formulary(`push teamA ${words}`.trim());
    expect(await formulary(`delete teamA/card --yes ${words}`.trim())).toMatchObject({ code: 0 });
    const again = await formulary(`push . ${words}`.trim());
    expect(again).toMatchObject({ code: 0 });
    expect(again.err).not.toContain('no longer exists');
    expect(await names(formulary)).toEqual(['teamA/card', 'teamB/bank']);
  });
});
