/** push and diff with --since REF, with real git: REF's version takes the place of the stored baseline. */
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_CODE, cardFiles, editCode, folderWith, inFolder, JPEG, PIXEL } from '../helpers/folders.ts';
import { commit, git, GIT_PATH as PATH } from '../helpers/git.ts';
import { changedElsewhere, type Machine, machine } from '../helpers/machine.ts';
import { publishedRepository } from '../helpers/published-repository.ts';
import { exitsWith } from '../helpers/test-host.ts';

const edit = (cwd: string, text: string, folder: string) => editCode(join(cwd, folder), text);

/** Two published formulas, committed and tagged. */
async function project(files: Record<string, string | Buffer> = {}) {
  const repository = await publishedRepository({
    ...inFolder('f/a', cardFiles({ name: 'A' })),
    ...inFolder('f/b é', cardFiles({ name: 'B' })),
    ...files,
  });
  return { ...repository, idOf: (name: string) => repository.ids.get(name) ?? '' };
}

/** The exit code, and the items in short. */
async function result(formulary: Machine, words: string) {
  const { code, out, err } = await formulary(`${words} --json`);
  const items: Record<string, unknown>[] = out ? (JSON.parse(out).items ?? []) : [];
  const brief = items.map(({ folder, name, outcome, action, overwrites }) =>
    [folder ?? name, outcome ?? action, ...(overwrites ? ['overwrites'] : [])].join(' '),
  );
  return { code, items: brief, err };
}

/** A result with this exit code and these items. */
const ends = (code: number, ...items: string[]) => ({ code, items });

describe('push --since', () => {
  it('sends what changed, and nothing of other folders', async () => {
    const { cwd, runner, idOf, author } = await project();
    edit(cwd, 'mine', 'f/a');
    await changedElsewhere(author, idOf('B'), { name: 'B' });
    expect(await result(runner(), 'push f --since published')).toEqual({ code: 0, items: ['f/a updated'], err: '' });
    expect(await result(runner(), 'push f --since published')).toEqual({ code: 0, items: ['f/a unchanged'], err: '' });
  });

  it.each(['push f', 'diff f', 'push f --dry-run', 'push f --no-lock', 'push f --prune --yes'])(
    'makes %s end with 0 and send nothing where nothing changed',
    async (words) => {
      const { cwd } = await project();
      const env = { PATH, FORMULARY_BASE_URL: 'http://127.0.0.1:1', FORMULARY_API_KEY: 'key_of_the_test' };
      const { code, out, err } = await machine({ cwd, more: env })(`${words} --since published --json`, { cwd, env });
      expect([code, JSON.parse(out).items, err]).toEqual([0, [], '']);
    },
  );

  it('is a conflict where the remote version is neither that of REF nor that of the folder, until --force', async () => {
    const { cwd, runner, idOf, author } = await project();
    edit(cwd, 'mine', 'f/a');
    await changedElsewhere(author, idOf('A'), { name: 'A' });
    const { code, items, err } = await result(runner(), 'push f --since published');
    expect([code, items]).toEqual([6, ['f/a conflict']]);
    expect(err).toContain('the remote version changed since published (at ');
    expect(await result(runner(), 'diff f --since published')).toMatchObject(ends(10, 'f/a conflict overwrites'));
    expect(await result(runner(), 'push f --since published --force')).toMatchObject(ends(0, 'f/a updated overwrites'));
  });

  it('shows the version of REF as the third side of a conflict', async () => {
    const { cwd, runner, idOf, author } = await project();
    writeFileSync(join(cwd, 'f/a/manifest.json'), cardFiles({ name: 'A', description: 'mine' })['manifest.json']);
    await changedElsewhere(author, idOf('A'), { name: 'A', description: 'theirs' });
    const { out } = await runner()('diff f --since published');
    expect(out).toMatch(/description: was .*, remote "theirs", local "mine"/);
  });

  it('takes the place of the stored baseline', async () => {
    const { cwd, author, idOf } = await project();
    expect((await author('push f')).code).toBe(0);
    await changedElsewhere(author, idOf('A'), { name: 'A' });
    expect((await author(`pull ${idOf('A')}`)).code).toBe(0);
    edit(cwd, 'mine', 'f/a');
    expect(await result(author, 'diff f')).toMatchObject({ items: ['f/a update', 'f/b é keep'] });
    expect(await result(author, 'diff f --since published')).toMatchObject({ items: ['f/a conflict overwrites'] });
  });

  it('is plain where a run that failed in part published a commit after REF', async () => {
    const { cwd, author, runner } = await project();
    edit(cwd, 'two', 'f/a');
    commit(cwd, 'two');
    expect((await author('push f/a')).code).toBe(0);
    edit(cwd, 'three', 'f/a');
    commit(cwd, 'three');
    expect(await result(runner(), 'push f --since published')).toEqual({ code: 0, items: ['f/a updated'], err: '' });
  });

  it('is a conflict where somebody restored a version from before REF', async () => {
    const { cwd, author, runner } = await project();
    edit(cwd, 'two', 'f/a');
    commit(cwd, 'two');
    git(cwd, 'tag', 'later');
    edit(cwd, 'three', 'f/a');
    expect(await result(runner(), 'push f --since later')).toMatchObject({ code: 6 });
    expect((await author('list')).code).toBe(0);
  });

  it('is invalid where a copied folder has the name of one that did not change', async () => {
    const { cwd, runner } = await project();
    cpSync(join(cwd, 'f/a'), join(cwd, 'f/copy'), { recursive: true });
    edit(cwd, 'copied', 'f/copy');
    for (const words of ['push f --no-lock', 'push f --force', 'push f --skip-invalid', 'diff f'])
      expect(await runner()(`${words} --since published`)).toMatchObject(
        exitsWith(3, words.includes('--skip') ? 'left out, because invalid: f/copy' : 'same name as f/a: "A"'),
      );
  });

  it('compares with the merge base, so that a change of the other branch is not reverted', async () => {
    const { cwd, author, runner } = await project();
    git(cwd, 'checkout', '-q', '-b', 'topic');
    edit(cwd, 'topic', 'f/a');
    commit(cwd, 'topic');
    expect(await result(runner(), 'diff f --since main')).toMatchObject(ends(10, 'f/a update'));
    git(cwd, 'checkout', '-q', 'main');
    edit(cwd, 'main', 'f/a');
    commit(cwd, 'main');
    expect((await author('push f')).code).toBe(0);
    git(cwd, 'checkout', '-q', 'topic');
    expect(await result(runner(), 'diff f --since main')).toMatchObject(ends(10, 'f/a conflict overwrites'));
    git(cwd, 'merge', '-q', '-X', 'ours', '-m', 'merge', 'main');
    expect(await result(runner(), 'push f --since main')).toEqual({ code: 0, items: ['f/a updated'], err: '' });
  });

  it('counts folders that it leaves out as matching for --unmanaged', async () => {
    const { cwd, runner, author } = await project();
    const byHand = folderWith(cardFiles({ name: 'By hand' }));
    expect((await author(`create ${byHand}`)).code).toBe(0);
    expect(await result(runner(), 'diff f --since published --unmanaged')).toMatchObject(ends(10, 'By hand unmanaged'));
    edit(cwd, 'mine', 'f/a');
    expect(await result(runner(), 'diff f --since published --unmanaged --no-lock')).toMatchObject({ code: 2 });
    expect(await result(runner(), 'diff f --since published --unmanaged')).toMatchObject({
      items: ['f/a update', 'By hand unmanaged'],
    });
  });

  it('stops at a signal', async () => {
    const { cwd, runner } = await project();
    edit(cwd, 'mine', 'f/a');
    const { env } = runner();
    const stopping = AbortSignal.abort('SIGINT');
    expect(await runner()('push f --since published', { cwd, env, stopping })).toMatchObject(
      exitsWith(130, 'interrupted while the folders were compared; no changes were made'),
    );
  });

  it.each([
    [PIXEL, { code: 0, items: ['f/i updated'] }],
    [JPEG, { code: 6, items: ['f/i conflict'] }],
  ])('compares an icon with the hash that Git LFS commits in place of it', async (icon, expected) => {
    const { cwd, runner } = await project(inFolder('f/i', cardFiles({ name: 'I' }, { 'icon.png': PIXEL })));
    const oid = createHash('sha256').update(icon).digest('hex');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${icon.length}\n`;
    writeFileSync(join(cwd, 'f/i/icon.png'), pointer);
    commit(cwd, 'pointer');
    writeFileSync(join(cwd, 'f/i/icon.png'), PIXEL);
    edit(cwd, 'mine', 'f/i');
    expect(await result(runner(), 'push f --since HEAD')).toMatchObject(expected);
  });

  it('works with --no-lock, by the names', async () => {
    const { cwd, runner } = await project();
    edit(cwd, 'mine', 'f/a');
    const updated = { code: 0, items: ['f/a updated'], err: '' };
    expect(await result(runner(), 'push f --since published --no-lock')).toEqual(updated);
  });

  it('names itself in the next command of diff', async () => {
    const { cwd, runner } = await project();
    edit(cwd, 'mine', 'f/a');
    expect((await runner()('diff f --since published')).err).toContain('push f --since published');
  });
});

describe('a renamed folder', () => {
  it.each([true, false])('keeps its formula, whether its entry is renamed too (%s) or not', async (isEntryRenamed) => {
    const { cwd, runner } = await project();
    renameSync(join(cwd, 'f/a'), join(cwd, 'f/"ü\t'));
    edit(cwd, 'renamed', 'f/"ü\t');
    const lock = join(cwd, 'formulas.lock.json');
    if (isEntryRenamed) writeFileSync(lock, readFileSync(lock, 'utf8').replace('"f/a"', '"f/\\"ü\\t"'));
    expect(await result(runner(), 'push f --since published --prune --yes')).toMatchObject(ends(0, 'f/"ü\t updated'));
  });
});

describe('a removed folder', () => {
  const remove = (cwd: string, folder = 'f/a') => rmSync(join(cwd, folder), { recursive: true });

  it('is named, and its formula is deleted only with --prune', async () => {
    const { cwd, runner, author } = await project();
    remove(cwd);
    expect(await runner()('push f --since published')).toMatchObject(
      exitsWith(0, 'note: removed since published: f/a\nTo delete the formulas of removed folders, pass --prune.\n'),
    );
    expect(await result(runner(), 'diff f --since published --prune')).toMatchObject(ends(10, 'f/a delete'));
    expect(await result(runner(), 'push f --since published --prune --yes')).toMatchObject(ends(0, 'f/a deleted'));
    expect(JSON.parse((await author('list --json')).out).map(({ name }: { name: string }) => name)).toEqual(['B']);
  });

  it('is named by validate and test too', async () => {
    const { cwd, runner } = await project();
    remove(cwd);
    const named = exitsWith(0, 'note: removed since published: f/a\n');
    for (const verb of ['validate', 'test']) expect(await runner()(`${verb} f --since published`)).toMatchObject(named);
  });

  it('is not deleted where it was removed before REF', async () => {
    const { cwd, runner } = await project();
    remove(cwd);
    commit(cwd, 'removed');
    expect(await result(runner(), 'push f --since HEAD --prune --yes')).toEqual({ code: 0, items: [], err: '' });
  });

  it('is deleted by the id that a lock file, which no longer exists, had at REF', async () => {
    const { cwd, runner } = await project({ 'f/a/code.js': `${CARD_CODE}// a\n` });
    remove(cwd);
    rmSync(join(cwd, 'formulas.lock.json'));
    commit(cwd, 'removed with the lock file');
    expect(await result(runner(), 'push f --since published --prune --yes')).toMatchObject(ends(0, 'f/a deleted'));
  });

  it('is not deleted where it was unlinked since', async () => {
    const { cwd, runner, author } = await project();
    expect((await author('unlink f/a')).code).toBe(0);
    remove(cwd);
    commit(cwd, 'removed with its entry');
    expect(await result(runner(), 'push f --since published --prune --yes')).toMatchObject({ code: 0, items: [] });
  });

  it('is not deleted where another folder of the repository has its id now', async () => {
    const { cwd, runner, author, idOf } = await project();
    expect((await author('unlink f/a')).code).toBe(0);
    renameSync(join(cwd, 'f/a'), join(cwd, 'elsewhere'));
    const lock = { version: 1, targets: { test: { elsewhere: { id: idOf('A') } } } };
    writeFileSync(join(cwd, 'formulas.lock.json'), JSON.stringify(lock));
    expect(await result(runner(), 'push f --since published --prune --yes')).toMatchObject(ends(0));
  });

  it('is a conflict where its formula changed on the service', async () => {
    const { cwd, runner, author, idOf } = await project();
    remove(cwd);
    await changedElsewhere(author, idOf('A'), { name: 'A' });
    expect(await result(runner(), 'push f --since published --prune --yes')).toMatchObject(ends(6, 'f/a conflict'));
    expect(await result(runner(), 'push f --since published --prune --yes --force')).toMatchObject(
      ends(0, 'f/a deleted overwrites'),
    );
  });

  it('is not named where --exclude leaves it out', async () => {
    const { cwd, runner } = await project();
    remove(cwd);
    expect((await runner()('push f --since published --exclude a')).err).not.toContain('removed');
  });

  it('is not one that a sparse checkout skips', async () => {
    const { cwd, runner } = await project();
    writeFileSync(join(cwd, 'f/a/manifest.json'), `${readFileSync(join(cwd, 'f/a/manifest.json'), 'utf8')}\n`);
    commit(cwd, 'two');
    git(cwd, 'sparse-checkout', 'set', '--no-cone', '/*', '!/f/a/');
    expect(existsSync(join(cwd, 'f/a'))).toBe(false);
    expect(await runner()('push f --since published --prune --yes')).toMatchObject({ code: 0, err: 'nothing to do\n' });
  });

  it('without its manifest is an error with --prune', async () => {
    const { cwd, runner } = await project();
    rmSync(join(cwd, 'f/a/manifest.json'));
    expect(await result(runner(), 'push f --since published --prune --yes')).toMatchObject(
      exitsWith(3, 'f/a exists but has no manifest.json'),
    );
  });
});

describe('the bundle of REF', () => {
  const CODE = "import { text } from '../../lib/text.ts';\nexport default async () => ({ raw: text });\n";
  const bundled = () => {
    const { 'code.js': _, ...manifest } = cardFiles({ name: 'TS' });
    return project({
      ...inFolder('f/ts', { ...manifest, 'code.ts': CODE }),
      'lib/text.ts': "export const text = 'one';\n",
      'package-lock.json': '{}',
    });
  };
  const editLibrary = (cwd: string) => writeFileSync(join(cwd, 'lib/text.ts'), "export const text = 'two';\n");

  it('is the ancestor of the bundle now', async () => {
    const { cwd, runner } = await bundled();
    editLibrary(cwd);
    expect(await result(runner(), 'push f --since published')).toEqual({ code: 0, items: ['f/ts updated'], err: '' });
  });

  it('differs from code that somebody changed on the service', async () => {
    const { cwd, runner, author, idOf } = await bundled();
    editLibrary(cwd);
    await changedElsewhere(author, idOf('TS'), { name: 'TS' });
    expect(await result(runner(), 'push f --since published')).toMatchObject(ends(6, 'f/ts conflict'));
  });

  it('is not compared where a package lock file changed', async () => {
    const { cwd, runner, author, idOf } = await bundled();
    editLibrary(cwd);
    writeFileSync(join(cwd, 'package-lock.json'), '{"lockfileVersion":3}');
    await changedElsewhere(author, idOf('TS'), { name: 'TS' });
    expect(await result(runner(), 'diff f --since published')).toMatchObject({ items: ['f/ts update overwrites'] });
    rmSync(join(cwd, 'f/ts'), { recursive: true });
    const prune = 'diff f --since published --prune';
    expect(await result(runner(), prune)).toMatchObject({ items: ['f/ts delete overwrites'] });
    await changedElsewhere(author, idOf('TS'), { name: 'TS', description: 'theirs' });
    expect(await result(runner(), prune)).toMatchObject({ items: ['f/ts conflict overwrites'] });
  });

  it('of a renamed folder is compared too', async () => {
    const { cwd, runner } = await bundled();
    renameSync(join(cwd, 'f/ts'), join(cwd, 'f/renamed'));
    appendFileSync(join(cwd, 'f/renamed/code.ts'), 'export const more = 1;\n');
    editLibrary(cwd);
    expect(await result(runner(), 'push f --since published --prune --yes')).toMatchObject(
      ends(0, 'f/renamed updated'),
    );
  });
});
