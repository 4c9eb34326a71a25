/** The lock: what is read, refused and printed, and where it lives. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockFolderOf, lockName, parseLock, printLock, readLock } from '../../src/folder/lock.ts';
import { folderWith } from '../helpers/folders.ts';

const LOCK = `{
  "version": 1,
  "targets": {
    "https://api.example.com": {
      "cards/tokenize": {"id":"0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d11"},
      "sign": {"id":"0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d12"}
    },
    "staging": {
      ".": {"id":"1"}
    }
  }
}
`;

describe('a lock', () => {
  it('comes back as it was, sorted, whatever order it had', () => {
    expect(printLock(parseLock(LOCK, 'x'))).toBe(LOCK);
    const reversed = new Map(
      [...parseLock(LOCK, 'x')].reverse().map(([target, ids]) => [target, new Map([...ids].reverse())]),
    );
    expect(printLock(reversed)).toBe(LOCK);
  });

  it('is sorted by code units, as every machine does', () => {
    const ids = new Map(['b', 'B', 'a/b', 'a', 'ä'].map((folder) => [folder, '1']));
    expect([...printLock(new Map([['t', ids]])).matchAll(/"(\S+)": \{"id"/g)].map(([, folder]) => folder)).toEqual([
      'B',
      'a',
      'a/b',
      'b',
      'ä',
    ]);
  });

  it('leaves out a target without entries', () => {
    expect(printLock(new Map([['t', new Map()]]))).toBe('{\n  "version": 1,\n  "targets": {}\n}\n');
  });

  it('may have a byte order mark and CR LF', () => {
    expect(
      parseLock(`\ufeff${LOCK.replaceAll('\n', '\r\n')}`, 'x')
        .get('staging')
        ?.get('.'),
    ).toBe('1');
  });

  it('takes __proto__ for a name like others', () => {
    const text = '{"version":1,"targets":{"__proto__":{"__proto__":{"id":"1"}}}}';
    expect(parseLock(text, 'x').get('__proto__')?.get('__proto__')).toBe('1');
    expect(JSON.parse(printLock(parseLock(text, 'x')))).toEqual(JSON.parse(text));
  });

  it.each([
    ['', 'is empty'],
    ['{', 'is not JSON'],
    ['[]', 'is not an object'],
    [LOCK.replace('    "staging"', '<<<<<<< HEAD\n    "staging"'), 'has conflict markers in line 8'],
    ['{"version":2,"targets":{}}', 'has version 2; this formulary knows 1'],
    ['{"version":"1","targets":{}}', 'lacks "version": 1'],
    ['{"version":1}', 'lacks "version": 1 or "targets"'],
    ['{"version":1,"targets":[]}', 'lacks "version": 1 or "targets"'],
    ['{"version":1,"targets":{},"base_url":"https://evil.example.com"}', 'has the unknown key "base_url"'],
    ['{"version":1,"targets":{"t":[]}}', 'something else than an object at targets["t"]'],
    ['{"version":1,"targets":{"t":{"a":"1"}}}', 'has no id at targets["t"]["a"]'],
    ['{"version":1,"targets":{"t":{"a":{"id":""}}}}', 'has no id at targets["t"]["a"]'],
    ['{"version":1,"targets":{"t":{"../a":{"id":"1"}}}}', 'names a folder outside its own: "../a"'],
    ['{"version":1,"targets":{"t":{"/a":{"id":"1"}}}}', 'names a folder outside its own: "/a"'],
  ])('is refused as %j', (text, problem) => {
    expect(() => parseLock(text, 'formulas.lock.json')).toThrow(problem);
  });

  it('that is not there is empty; that cannot be read is refused', () => {
    const folder = folderWith();
    expect(readLock(join(folder, 'formulas.lock.json'), 'x').size).toBe(0);
    mkdirSync(join(folder, 'formulas.lock.json'));
    expect(() => readLock(join(folder, 'formulas.lock.json'), 'x')).toThrow(
      'the lock x cannot be read: it is a folder (EISDIR)',
    );
  });
});

describe('lockFolderOf', () => {
  it.each([
    ['the nearest one above', { 'formulas.lock.json': '', 'a/b/manifest.json': '' }, 'a/b', ''],
    ['the folder itself first', { 'formulas.lock.json': '', 'a/formulas.lock.json': '', 'a/b/x': '' }, 'a', 'a'],
    ['not one above the repository', { 'formulas.lock.json': '', 'a/.git/HEAD': '', 'a/b/c/x': '' }, 'a/b', 'a/b'],
    ['that of the repository', { 'a/formulas.lock.json': '', 'a/.git': '', 'a/b/c/x': '' }, 'a/b/c', 'a'],
    ['else the path itself', { '.git/HEAD': '', 'a/b/manifest.json': '' }, 'a', 'a'],
    ['else the parent of a formula', { '.git/HEAD': '', 'a/b/manifest.json': '' }, 'a/b', 'a'],
  ])('is %s', (_, files, path, wanted) => {
    const root = folderWith(files);
    expect(lockFolderOf(join(root, path))).toBe(join(root, wanted));
  });
});

describe('lockName', () => {
  it('is relative, with slashes, and a dot for the folder itself', () => {
    expect(lockName('/r', '/r/cards/tokenize')).toBe('cards/tokenize');
    expect(lockName('/r', '/r')).toBe('.');
  });
});
