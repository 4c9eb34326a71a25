import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTopFinder, listFolders, searchLockfiles } from '../../src/folder/find-lockfiles.ts';
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

const REPO = { '.git/HEAD': '' };

/** Empty files with these names. */
const emptyFiles = (names: string) =>
  Object.fromEntries(
    names
      .split(' ')
      .filter(Boolean)
      .map((name) => [name, '']),
  );

describe('the lock file of a formula', () => {
  it.each<[string, string, string, string, string | undefined, cwd?: string]>([
    ['is the nearest above its folder', 'formulas.lock.json a/b/x', 'a/b', 'a/b', '.', ''],
    ['is the one in its own folder first', 'formulas.lock.json a/formulas.lock.json', 'a', 'a', 'a', ''],
    [
      'is below the path of the command line where a team has its own',
      '.git/HEAD formulas.lock.json team/formulas.lock.json team/x/manifest.json',
      '.',
      'team/x',
      'team',
    ],
    ['is not above the repository', 'formulas.lock.json a/.git/HEAD a/b/x', 'a/b', 'a/b', undefined],
    ['may be at the top of the repository', 'a/formulas.lock.json a/.hg/x', 'a/b', 'a/b', 'a'],
    ['stays in a repository', '.git/HEAD formulas.lock.json sub/.git sub/x/manifest.json', '.', 'sub/x', undefined],
  ])('%s', (_, files, path, folder, expected, cwd) => {
    const search = { paths: [path], folders: [folder], ...(cwd !== undefined && { cwd }) };
    expect(searchIn(emptyFiles(files), search).nearest(folder)).toBe(expected);
  });

  it.each([
    ['in the path of the command line', '.git/HEAD', 'a', 'a/t/x', 'a'],
    ['next to a formula that is the path', '.git/HEAD a/x/manifest.json', 'a/x', 'a/x', 'a'],
    ['in a formula that is a repository', 'a/.git/HEAD a/manifest.json', 'a', 'a', 'a'],
    ['in the nearest repository', '.git/HEAD a/s/.git', 'a', 'a/s/x', 'a/s'],
    ['in the path without version control', '', 'a', 'a/t/x', 'a'],
  ])('is created %s', (_, files, path, folder, expected) => {
    expect(searchIn(emptyFiles(files), { paths: [path], folders: [folder] }).newFolder(folder)).toBe(expected);
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

describe('the repository of a path without version control', () => {
  it.each([
    ['is the path itself if it contains formulas', 'a'],
    ['is the parent of a formula', 'a/b'],
  ])('%s', (_, path) => {
    const root = folderWith({ 'a/b/manifest.json': '', 'c/manifest.json': '' });
    const findTop = createTopFinder({ paths: [join(root, path)], surroundings: { cwd: undefined } });
    expect(findTop(join(root, path))).toBe(join(root, 'a'));
  });
});

it('reports whether a folder has more folders than are read', () => {
  const top = folderWith();
  for (const name of ['a/b', 'c', 'node_modules/d']) mkdirSync(join(top, name), { recursive: true });
  expect([listFolders(top, 5).isComplete, listFolders(top, 4).isComplete]).toEqual([true, false]);
});
