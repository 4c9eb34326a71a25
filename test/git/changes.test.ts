import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readChanges } from '../../src/git/changes.ts';
import { findFolderCommits } from '../../src/git/folder-history.ts';
import { readFolderVersions, readObjects } from '../../src/git/objects.ts';
import { folderWith } from '../helpers/folders.ts';
import { commit, git, GIT_PATH as PATH } from '../helpers/git.ts';

describe('changes since a commit', () => {
  it('have the kind and the id of each file of the commit, and none for new files', async () => {
    const top = folderWith({
      'same.js': '1',
      'changed "é\t.js': 'before',
      'gone.js': '2',
      'mode.js': '3',
      ':100644 000000 0000000 0000000 M': 'a name like a line of git',
    });
    symlinkSync('same.js', join(top, 'link'));
    git(top, 'init', '-q');
    commit(top, 'one');
    writeFileSync(join(top, 'changed "é\t.js'), 'after');
    writeFileSync(join(top, ':100644 000000 0000000 0000000 M'), 'after');
    rmSync(join(top, 'gone.js'));
    chmodSync(join(top, 'mode.js'), 0o755);
    rmSync(join(top, 'link'));
    writeFileSync(join(top, 'link'), '');
    writeFileSync(join(top, 'staged.js'), '');
    git(top, 'add', 'staged.js');
    writeFileSync(join(top, 'untracked.js'), '');
    const changes = await readChanges(top, 'HEAD', { PATH });
    if ('error' in changes) throw new Error(changes.error as string);
    const file = (isRemoved = false) => ({ kind: 'file', id: expect.stringMatching(/^[0-9a-f]{40}$/), isRemoved });
    expect(Object.fromEntries(changes)).toEqual({
      ':100644 000000 0000000 0000000 M': file(),
      'changed "é\t.js': file(),
      'gone.js': file(true),
      'mode.js': file(),
      link: { ...file(), kind: 'link' },
      'staged.js': undefined,
      'untracked.js': undefined,
    });
    const id = changes.get('changed "é\t.js')?.id ?? '';
    expect((await readObjects(top, [id], { PATH })).get(id)?.bytes.toString()).toBe('before');
  });

  it.each([
    ['a=b', 'error'],
    ['a.b', 'changes'],
    ['Ä"', 'changes'],
    ['', 'changes'],
  ])('run no program of a filter named %j', async (name, expected) => {
    const top = folderWith({ 'a.js': '1', '.gitattributes': `*.js filter=${name}\n` });
    git(top, 'init', '-q');
    commit(top, 'one');
    const mark = join(top, '.git/ran');
    appendFileSync(
      join(top, '.git/config'),
      `[filter "${name.replace('"', '\\"')}"]\n clean = touch '${mark}'; cat\n process = touch '${mark}'\n required = true\n`,
    );
    writeFileSync(join(top, 'a.js'), '2');
    const changes = await readChanges(top, 'HEAD', { PATH });
    expect('error' in changes ? 'error' : 'changes').toBe(expected);
    expect(existsSync(mark)).toBe(false);
  });

  it('leave out a folder with a line break in its name, and keep the others apart', async () => {
    const top = folderWith({ 'a\nHEAD:b/x': '1', 'b/x': '2', 'c/x': '3' });
    git(top, 'init', '-q');
    commit(top, 'one');
    const names = ['HEAD:a\nHEAD:b', 'HEAD:b', 'HEAD:c'];
    const { versions } = await readFolderVersions(top, names, () => true, { PATH });
    const texts = [...versions].map(([name, files]) => [name, files.get('x')?.toString()]);
    expect(texts).toEqual([
      ['HEAD:b', '2'],
      ['HEAD:c', '3'],
    ]);
  });

  it.skipIf(process.platform === 'win32')('do not wait for a pipe that the configuration names', async () => {
    const top = folderWith({ 'a/x': '1' });
    git(top, 'init', '-q');
    commit(top, 'one');
    const pipe = join(top, '.git/pipe');
    execFileSync('mkfifo', [pipe]);
    for (const name of ['diff.orderFile', 'mailmap.file', 'core.attributesFile']) git(top, 'config', name, pipe);
    git(top, 'config', 'log.mailmap', 'true');
    writeFileSync(join(top, 'a/x'), '2');
    expect(await readChanges(top, 'HEAD', { PATH })).toHaveProperty('size', 1);
    const found = await findFolderCommits(top, new Map([['a', []]]), { maxCommits: 2, maxBundled: 1 }, { PATH });
    expect(found.get('a')?.commits).toHaveLength(1);
  });

  it('are those of the folder, not of another one that the configuration names', async () => {
    const top = folderWith({ 'a.js': '1' });
    git(top, 'init', '-q');
    commit(top, 'one');
    git(top, 'config', 'core.worktree', folderWith({ 'a.js': '1' }));
    writeFileSync(join(top, 'a.js'), '2');
    writeFileSync(join(top, 'b.js'), '');
    const changes = await readChanges(top, 'HEAD', { PATH });
    expect('error' in changes ? changes : [...changes.keys()]).toEqual(['a.js', 'b.js']);
  });

  it('do not take the folder of a similar name for one that ends with a carriage return', async () => {
    const top = folderWith({ 'a/x': '1' });
    git(top, 'init', '-q');
    commit(top, 'one');
    expect((await readFolderVersions(top, ['HEAD:a\r'], () => true, { PATH })).versions.size).toBe(0);
  });

  it('are an error for a commit that does not exist', async () => {
    const top = folderWith({ a: '' });
    git(top, 'init', '-q');
    commit(top, 'one');
    expect(await readChanges(top, '1'.repeat(40), { PATH })).toEqual({ error: expect.stringMatching(/bad object/) });
  });
});
