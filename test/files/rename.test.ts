import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileUsageError } from '../../src/files/file-errors.ts';
import { renameWithRetry } from '../../src/files/rename.ts';
import { folderWith } from '../helpers/folders.ts';

const errorOf = (code: string) => Object.assign(new Error(`${code}: refused`), { code });

/** A system that refuses the first renames with the codes, in order, and how it was used. */
function refusing(isWindows: boolean, codes: readonly string[]) {
  const used = { renames: 0, waits: [] as number[] };
  const system = {
    isWindows,
    rename: () => {
      const code = codes[used.renames++];
      if (code !== undefined) throw errorOf(code);
    },
    wait: (milliseconds: number) => {
      used.waits.push(milliseconds);
    },
  };
  return { system, used };
}

describe('a rename', () => {
  it('succeeds', () => {
    const folder = folderWith({ a: 'text' });
    renameWithRetry(join(folder, 'a'), join(folder, 'b'));
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('text');
    expect(existsSync(join(folder, 'a'))).toBe(false);
  });

  it('is retried on Windows while another program has the file open, after waits that grow', () => {
    const { system, used } = refusing(true, ['EPERM', 'EACCES', 'EBUSY']);
    renameWithRetry('a', 'b', system);
    expect(used).toEqual({ renames: 4, waits: [10, 20, 40] });
  });

  it('fails after a second on Windows, with the reason', () => {
    const { system, used } = refusing(true, Array(100).fill('EPERM'));
    let error: unknown;
    try {
      renameWithRetry('a', 'b', system);
    } catch (thrown) {
      error = thrown;
    }
    expect(used.waits.reduce((sum, wait) => sum + wait)).toBe(1000);
    expect(Math.max(...used.waits)).toBe(200);
    expect(fileUsageError('card cannot be written', error)).toMatchObject({
      message: 'card cannot be written: another program may have it open; the rename was retried for 1 s (EPERM)',
      hint: 'Close the other program and run the command again.',
    });
  });

  it.each([
    [true, 'ENOENT'],
    [true, 'EXDEV'],
    [false, 'EPERM'],
    [false, 'EACCES'],
    [false, 'EBUSY'],
  ])('is not retried for another reason, or on another system (Windows: %s, %s)', (isWindows, code) => {
    const { system, used } = refusing(isWindows, [code]);
    expect(() => renameWithRetry('a', 'b', system)).toThrow(errorOf(code));
    expect(used).toEqual({ renames: 1, waits: [] });
    expect(fileUsageError('x', errorOf(code)).message).not.toContain('another program');
  });
});
