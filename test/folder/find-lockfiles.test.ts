/** Where lock files are looked for, and where a new one goes. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchLockfiles } from '../../src/folder/find-lockfiles.ts';
import { LOCKFILE } from '../../src/folder/lockfile.ts';
import { folderWith } from '../helpers/folders.ts';

function searchIn(files: Record<string, string>, { paths, folders = [], cwd, searchBelow = false }: Search) {
  const root = folderWith(files);
  const at = (path: string) => join(root, path);
  for (const folder of folders) mkdirSync(at(folder), { recursive: true });
  const search = searchLockfiles({
    paths: paths.map(at),
    folders: folders.map(at),
    searchBelow,
    surroundings: { cwd: cwd === undefined ? undefined : at(cwd) },
    hasLockfile: (folder) => existsSync(join(folder, LOCKFILE)),
    isFormula: (folder) => existsSync(join(folder, 'manifest.json')),
  });
  const shown = (path: string | undefined) => (path === undefined ? undefined : path.slice(root.length + 1) || '.');
  return {
    found: [...search.found].map(shown).sort(),
    below: [...search.below].map(shown).sort(),
    nearest: (folder: string) => shown(search.findNearest(at(folder))),
    newFolder: (folder: string) => shown(search.chooseFolder(at(folder))),
  };
}

interface Search {
  paths: string[];
  folders?: string[];
  cwd?: string;
  searchBelow?: boolean;
}

const LOCK = { [LOCKFILE]: '' };
const REPO = { '.git/HEAD': '' };

describe('the lock file of a formula', () => {
  it.each<[string, Record<string, string>, Search, string, string | undefined]>([
    ['is the nearest above its folder', { ...LOCK, 'a/b/x': '' }, { paths: ['a/b'], cwd: '' }, 'a/b', '.'],
    [
      'is the one in its own folder first',
      { ...LOCK, 'a/formulas.lock.json': '' },
      { paths: ['a'], cwd: '' },
      'a',
      'a',
    ],
    [
      'is below the path of the command line where a team has its own',
      { ...REPO, ...LOCK, 'team/formulas.lock.json': '', 'team/x/manifest.json': '' },
      { paths: ['.'], folders: ['team/x'] },
      'team/x',
      'team',
    ],
    ['is not above the repository', { ...LOCK, 'a/.git/HEAD': '', 'a/b/x': '' }, { paths: ['a/b'] }, 'a/b', undefined],
    [
      'may be at the top of the repository',
      { 'a/formulas.lock.json': '', 'a/.hg/x': '' },
      { paths: ['a/b'] },
      'a/b',
      'a',
    ],
    [
      'is not outside of a repository in the path',
      { ...REPO, ...LOCK, 'sub/.git': '', 'sub/x/manifest.json': '' },
      { paths: ['.'], folders: ['sub/x'] },
      'sub/x',
      undefined,
    ],
  ])('%s', (_, files, search, folder, expected) => {
    expect(searchIn(files, search).nearest(folder)).toBe(expected);
  });

  it.each<[string, Record<string, string>, Search, string, string]>([
    ['in the path of the command line', REPO, { paths: ['a'], folders: ['a/t/x'] }, 'a/t/x', 'a'],
    ['next to a formula that is the path', { ...REPO, 'a/x/manifest.json': '' }, { paths: ['a/x'] }, 'a/x', 'a'],
    ['in a formula that is a repository', { 'a/.git/HEAD': '', 'a/manifest.json': '' }, { paths: ['a'] }, 'a', 'a'],
    ['in the nearest repository', { ...REPO, 'a/s/.git': '' }, { paths: ['a'], folders: ['a/s/x'] }, 'a/s/x', 'a/s'],
    ['in the path without version control', {}, { paths: ['a'], folders: ['a/t/x'] }, 'a/t/x', 'a'],
  ])('is created %s', (_, files, search, folder, expected) => {
    expect(searchIn(files, search).newFolder(folder)).toBe(expected);
  });

  it('is found below the path too if requested, but not in node_modules, dot folders, or other repositories', () => {
    const files = {
      ...REPO,
      'a/formulas.lock.json': '',
      'node_modules/p/formulas.lock.json': '',
      '.cache/formulas.lock.json': '',
      'other/.git': '',
      'other/formulas.lock.json': '',
    };
    expect(searchIn(files, { paths: ['.'] })).toMatchObject({ found: [], below: [] });
    expect(searchIn(files, { paths: ['.'], searchBelow: true })).toMatchObject({ found: [], below: ['a'] });
  });
});
