import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withRedaction } from '../../src/host/host.ts';
import { openSharedJson } from '../../src/state/shared-json.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const open = (file: string) =>
  openSharedJson<string[]>(withRedaction(testHost({ env: { XDG_STATE_HOME: join(file, '../state') } }).host), file, {
    read: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []),
    serialize: (lines) => lines.join('\n'),
    mode: 0o600,
  });

describe('a shared file', () => {
  it('shows changes at once, and contains them after they are saved', async () => {
    const file = join(folderWith(), 'deep/er/file');
    const shared = open(file);
    shared.change((lines) => lines.push('a'));
    shared.change((lines) => lines.push('b'));
    expect(shared.value).toEqual(['a', 'b']);
    await shared.flush();
    expect(readFileSync(file, 'utf8')).toBe('a\nb');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  });

  it('is not written for each of many successive changes', async () => {
    const file = join(folderWith(), 'file');
    const { host } = testHost({ env: { XDG_STATE_HOME: join(file, '../state') } });
    // A rest that only the end of it ends.
    const sleep = (_: number, until?: AbortSignal) =>
      new Promise<void>((done) => {
        if (until?.aborted) done();
        until?.addEventListener('abort', () => done());
      });
    let writes = 0;
    const shared = openSharedJson<string[]>(withRedaction({ ...host, sleep }), file, {
      read: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []),
      serialize: (lines) => {
        writes += 1;
        return lines.join('\n');
      },
    });
    for (let i = 0; i < 20; i += 1) {
      shared.change((lines) => lines.push(String(i)));
      await new Promise((next) => setImmediate(next));
    }
    await shared.flush();
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(20);
    expect(writes).toBe(2);
  });

  it('preserves changes that others wrote meanwhile', async () => {
    const file = join(folderWith(), 'file');
    const [one, two] = [open(file), open(file)];
    for (let i = 0; i < 50; i += 1) {
      one.change((lines) => lines.push(`one ${i}`));
      two.change((lines) => lines.push(`two ${i}`));
      if (i % 7 === 0) await new Promise((next) => setImmediate(next));
    }
    await Promise.all([one.flush(), two.flush()]);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(100);
  });

  it('is not written without a change', async () => {
    const folder = folderWith({ file: 'a' });
    const before = statSync(join(folder, 'file')).mtimeMs;
    await open(join(folder, 'file')).flush();
    expect(statSync(join(folder, 'file')).mtimeMs).toBe(before);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('reports that it could not be written, also later', async () => {
    const folder = folderWith();
    writeFileSync(join(folder, 'in-the-way'), '');
    const shared = open(join(folder, 'in-the-way/file'));
    shared.change((lines) => lines.push('a'));
    await expect(shared.flush()).rejects.toThrow(/ENOTDIR|EEXIST/);
    await expect(shared.flush()).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});
