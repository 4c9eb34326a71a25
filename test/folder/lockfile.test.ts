/** The lock: what is read, refused and printed, and where it lives. */
import { mkdirSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatLockfile, parseLockfile, readLockfile, toLockfileKey } from '../../src/folder/lockfile.ts';
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

describe('a lock file', () => {
  it('is read as it was written, sorted, in any order', () => {
    expect(formatLockfile(parseLockfile(LOCK, 'x'))).toBe(LOCK);
    const reversed = new Map(
      [...parseLockfile(LOCK, 'x')].reverse().map(([target, ids]) => [target, new Map([...ids].reverse())]),
    );
    expect(formatLockfile(reversed)).toBe(LOCK);
  });

  it('is sorted by code units, as on every computer', () => {
    const ids = new Map(['b', 'B', 'a/b', 'a', 'ä'].map((folder) => [folder, '1']));
    expect([...formatLockfile(new Map([['t', ids]])).matchAll(/"(\S+)": \{"id"/g)].map(([, folder]) => folder)).toEqual(
      ['B', 'a', 'a/b', 'b', 'ä'],
    );
  });

  it('omits a target without entries', () => {
    expect(formatLockfile(new Map([['t', new Map()]]))).toBe('{\n  "version": 1,\n  "targets": {}\n}\n');
  });

  it('may have a byte order mark and CR LF', () => {
    expect(
      parseLockfile(`\ufeff${LOCK.replaceAll('\n', '\r\n')}`, 'x')
        .get('staging')
        ?.get('.'),
    ).toBe('1');
  });

  it('accepts __proto__ as a name', () => {
    const text = '{"version":1,"targets":{"__proto__":{"__proto__":{"id":"1"}}}}';
    expect(parseLockfile(text, 'x').get('__proto__')?.get('__proto__')).toBe('1');
    expect(JSON.parse(formatLockfile(parseLockfile(text, 'x')))).toEqual(JSON.parse(text));
  });

  it.each([
    ['', '1:1: the file must contain a JSON object'],
    ['{', '1:2: invalid JSON'],
    ['{\n  "version": 1,\n  "targets": {},\n}', '3:16: trailing commas'],
    ['[]', '1:1: the lock file must be an object'],
    [LOCK.replace('    "staging"', '<<<<<<< HEAD\n    "staging"'), '8:1: the file contains merge conflict markers'],
    ['{"version":2,"targets":{}}', '1:2: version must be 1 (got 2)'],
    ['{"version":"1","targets":{}}', '1:2: version must be 1 (got "1")'],
    ['{"version":1}', '1:1: targets must be an object'],
    ['{"version":1,"targets":[]}', '1:14: targets must be an object'],
    ['{"version":1,"targets":{},"base_url":"https://evil.example.com"}', '1:27: unknown key "base_url"'],
    ['{"version":1,"targets":{"t":[]}}', '1:25: targets["t"] must be an object'],
    ['{"version":1,"targets":{"t":{"a":"1"}}}', '1:30: "a" must have an id'],
    ['{"version":1,"targets":{"t":{"a":{"id":""}}}}', '1:30: "a" must have an id'],
    ['{"version":1,"targets":{"t":{"../a":{"id":"1"}}}}', '1:30: "../a" must be the folder of the lock file'],
    ['{"version":1,"targets":{"t":{"/a":{"id":"1"}}}}', '1:30: "/a" must be the folder of the lock file'],
    ['{"version":1,"targets":{"t":{"a\\u0000":{"id":"1"}}}}', '1:30: "a\\u0000" must not contain a NUL character'],
    [LOCK.replace('      "sign"', '      "sign": {"id":"2"},\n      "sign"'), '7:7: duplicate key "sign"'],
  ])('is rejected as %j, with line and column', (text, problem) => {
    expect(() => parseLockfile(text, 'formulas.lock.json')).toThrow(`formulas.lock.json:${problem}`);
  });

  it('is rejected with a key that is longer than a path, which is shown in part', () => {
    const key = `${'a/'.repeat(3000)}a`;
    const text = JSON.stringify({ version: 1, targets: { t: { [key]: { id: '1' } } } });
    expect(() => parseLockfile(text, 'formulas.lock.json')).toThrow(
      `formulas.lock.json:1:30: "${key.slice(0, 200)}" must have at most 4096 characters (got 6001)`,
    );
  });

  it('is rejected above 4 MiB, before it is parsed', () => {
    expect(() => parseLockfile(`${' '.repeat(2 ** 22)}{`, 'formulas.lock.json')).toThrow(
      'formulas.lock.json:1:1: the lock file must have at most 4194304 characters (got 4194305)',
    );
  });

  it('with conflict markers is fixed by hand, not removed', () => {
    const text = LOCK.replace('    "staging"', '<<<<<<< HEAD\n    "staging"');
    expect(() => parseLockfile(text, 'x')).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/both sides/) }),
    );
  });

  it.each([
    ['a\\b', 'must have "/" between folders (got "\\")'],
    ['..\\a', 'must have "/" between folders'],
    ['C:a', '"C:a" must be the folder of the lock file'],
    ['c:/a', '"c:/a" must be the folder of the lock file'],
  ])('is rejected on Windows for the folder %s, which is a name elsewhere', (folder, problem) => {
    const text = JSON.stringify({ version: 1, targets: { t: { [folder]: { id: '1' } } } });
    expect(() => parseLockfile(text, 'x', win32)).toThrow(problem);
    expect(parseLockfile(text, 'x', posix).get('t')?.get(folder)).toBe('1');
  });

  it('that does not exist is empty; one that cannot be read is rejected', () => {
    const folder = folderWith();
    expect(readLockfile(join(folder, 'formulas.lock.json'), 'x').size).toBe(0);
    mkdirSync(join(folder, 'formulas.lock.json'));
    expect(() => readLockfile(join(folder, 'formulas.lock.json'), 'x')).toThrow(
      'could not read the lock file x: it is a folder (EISDIR)',
    );
  });
});

describe('lockName', () => {
  it('is relative, with slashes, and a dot for the folder itself', () => {
    expect(toLockfileKey('/r', '/r/cards/tokenize')).toBe('cards/tokenize');
    expect(toLockfileKey('/r', '/r')).toBe('.');
    expect(toLockfileKey('C:\\r', 'C:\\r\\cards\\tokenize', win32)).toBe('cards/tokenize');
  });
});
