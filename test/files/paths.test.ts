import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  findRealPath,
  getPlatformPaths,
  isWithin,
  realPath,
  toDisplayPath,
  toRelative,
  toSlashes,
} from '../../src/files/paths.ts';
import { folderWith } from '../helpers/folders.ts';

describe('a path', () => {
  it.each([
    ['a\\b/c', 'a/b/c', 'a\\b/c'],
    ['C:\\a', 'C:/a', 'C:\\a'],
    ['\\\\server\\share', '//server/share', '\\\\server\\share'],
  ])('has only slashes on Windows, and preserves backslashes in names elsewhere: %s', (path, onWindows, elsewhere) => {
    expect(toSlashes(path, win32)).toBe(onWindows);
    expect(toSlashes(path, posix)).toBe(elsewhere);
  });

  it.each([
    [win32, 'C:\\r', 'C:\\r\\a\\b', 'a/b'],
    [win32, 'C:\\r', 'c:\\R\\a', 'a'],
    [win32, 'C:\\r', 'C:\\x', '../x'],
    [win32, 'C:\\r', 'D:\\x', 'D:/x'],
    [posix, '/r', '/r/a\\b', 'a\\b'],
    [posix, '/r', '/r', ''],
  ])('is relative to a folder, with slashes (%#)', (paths, folder, path, wanted) => {
    expect(toRelative(folder, path, paths)).toBe(wanted);
  });

  it.each([
    [win32, '.\\all', 'a\\code.js', 'all/a/code.js'],
    [win32, '\\\\server\\share', 'a', '//server/share/a'],
    [posix, './all', 'code.js', 'all/code.js'],
  ])('is shown with slashes (%#)', (paths, folder, file, shown) => {
    expect(toDisplayPath(folder, file, paths)).toBe(shown);
  });

  it.each([
    [win32, 'C:\\r\\a', 'C:\\r', true],
    [win32, 'C:\\ra', 'C:\\r', false],
    [win32, 'C:\\a', 'C:\\', true],
    [posix, '/r/a', '/r', true],
    [posix, '/r', '/r', true],
    [posix, '/ra', '/r', false],
    [posix, '/a', '/', true],
  ])('is inside a folder, or next to it (%#)', (paths, path, folder, wanted) => {
    expect(isWithin(path, folder, paths)).toBe(wanted);
  });

  it('follows the rules of its platform', () => {
    expect(['win32', 'linux', 'darwin'].map((name) => getPlatformPaths(name).isAbsolute('C:\\a'))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is the same for a folder and a link to it, and undefined for a missing path', () => {
    const folder = folderWith();
    mkdirSync(join(folder, 'a'));
    symlinkSync('a', join(folder, 'link'));
    expect(realPath(join(folder, 'link'))).toBe(join(realpathSync(folder), 'a'));
    expect(findRealPath(join(folder, 'b'))).toBeUndefined();
    expect(() => realPath(join(folder, 'b'))).toThrow('ENOENT');
  });
});
