import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_CODE, cardFiles, editCode, inFolder, PIXEL } from '../helpers/folders.ts';
import { commit, git } from '../helpers/git.ts';
import { type PublishedRepository, publishedRepository } from '../helpers/published-repository.ts';
import { exitsWith, expectExit } from '../helpers/test-host.ts';

const edit = (cwd: string, folder: string, text: string) => editCode(join(cwd, folder), text);
const readCode = async ({ author }: PublishedRepository, name: string) => (await author(['get', name, '--code'])).out;

/** Two formulas, published at `v1`, and then one of them again, three times. */
async function repository(more: Record<string, string | Buffer> = {}) {
  const published = await publishedRepository({
    ...inFolder('f/a', cardFiles({ name: 'A' }, { 'icon.png': PIXEL })),
    ...inFolder('f/b', cardFiles({ name: 'B' })),
    ...more,
  });
  const { cwd, author } = published;
  git(cwd, 'tag', 'v1');
  for (const text of ['two', 'three', 'four']) {
    edit(cwd, 'f/a', text);
    commit(cwd, text);
  }
  expect((await author('push f')).code).toBe(0);
  return published;
}

describe('--at', () => {
  it('publishes the folders of a commit, and leaves working tree, lock file, and baseline as they are', async () => {
    const published = await repository();
    const { cwd, author } = published;
    edit(cwd, 'f/a', 'not committed');
    const before = git(cwd, 'status', '--porcelain');
    const shown = await author('diff f --at v1');
    expect(shown).toMatchObject({ code: 10, out: expect.stringMatching(/-\/\/ four\n/) });
    expect(shown.err).toMatch(/next: formulary formula push f --at v1\n/);
    expectExit(await author('push f --at v1'), 0, '1 updated, 1 unchanged');
    expect(await readCode(published, 'A')).toBe(CARD_CODE);
    expect(git(cwd, 'status', '--porcelain')).toBe(before);
    expect((await author('diff f --at v1')).code).toBe(0);
    expect(await author('push f')).toMatchObject(
      exitsWith(
        6,
        /the remote version changed since the last push or pull .*; it is the version of [0-9a-f]{7}, 3 behind/,
      ),
    );
    expect((await author('push f --force')).code).toBe(0);
  });

  it('is told by a runner without a baseline, and is a conflict there with --since', async () => {
    const { runner } = await repository();
    expect((await runner()('push f/a --at v1')).code).toBe(0);
    expect((await runner()('diff f')).err).toMatch(/warning: f\/a replaces [0-9a-f]{7}, 3 behind/);
    expect(await runner()('diff f --since HEAD~1')).toMatchObject({ out: expect.stringContaining('conflict') });
  });

  it('finds the formula of a folder that was renamed, moved, or removed since by the lock file of the commit', async () => {
    const published = await repository();
    const { cwd, author, ids } = published;
    renameSync(join(cwd, 'f/a'), join(cwd, 'f/renamed'));
    writeFileSync(join(cwd, 'f/renamed/manifest.json'), cardFiles({ name: 'New' })['manifest.json'] as string);
    rmSync(join(cwd, 'f/b'), { recursive: true });
    expect((await author(`link f/renamed ${ids.get('A')}`)).code).toBe(0);
    expect((await author('push f --prune --yes')).code).toBe(0);
    commit(cwd, 'moved');
    const lock = () => JSON.parse(readFileSync(join(cwd, 'formulas.lock.json'), 'utf8')).targets.test;
    const { out, code } = await author('push f --at v1 --json');
    expect(JSON.parse(out).items).toMatchObject([
      { folder: 'f/a', id: ids.get('A'), name: 'A', outcome: 'updated', renamed_from: 'New' },
      { folder: 'f/b', name: 'B', outcome: 'created' },
    ]);
    expect(code).toBe(0);
    expect(lock()).toEqual({ 'f/renamed': { id: ids.get('A') }, 'f/b': { id: JSON.parse(out).items[1].id } });
    expect(existsSync(join(cwd, 'f/a'))).toBe(false);
  });

  it('takes an icon of Git LFS from the disk if it is the one of the commit', async () => {
    const { cwd, author } = await repository();
    const pointer = (hash: string) => `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize 1\n`;
    const commitPointer = (hash: string) => {
      writeFileSync(join(cwd, 'f/a/icon.png'), pointer(hash));
      commit(cwd, 'pointer');
      writeFileSync(join(cwd, 'f/a/icon.png'), PIXEL);
    };
    commitPointer(createHash('sha256').update(PIXEL).digest('hex'));
    expect(await author('diff f/a --at HEAD')).toMatchObject({ code: 0 });
    commitPointer('0'.repeat(64));
    expectExit(await author('diff f/a --at HEAD'), 3, 'Git LFS pointer');
  });

  it('checks the folders of the commit, and names it in each position', async () => {
    const { cwd, author } = await repository();
    writeFileSync(join(cwd, 'f/a/code.js'), 'module.exports = {');
    commit(cwd, 'broken');
    git(cwd, 'tag', 'broken');
    edit(cwd, 'f/a', 'repaired');
    const checked = await author('push f --at broken');
    expect(checked.code).toBe(3);
    expect(checked.err).toContain('broken:f/a/code.js:');
    const compared = await author('diff f --at broken');
    expect(compared.err).toContain('error: broken:f/a is not a valid formula; nothing was compared');
    expect(compared.err).toContain('hint: Pass another commit to --at.');
    const skipped = await author('push f --at broken --skip-invalid');
    expectExit(skipped, 3, 'left out, because invalid: f/a');
  });

  it('is applied from a plan, also if the working tree has changed by then', async () => {
    const published = await repository();
    const { cwd, author } = published;
    expect((await author('diff f --at v1 --exclude b --out plan.json')).code).toBe(10);
    const plan = JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8'));
    expect(plan).toMatchObject({ at: git(cwd, 'rev-parse', 'v1'), excluded: ['f/b'], steps: [{ folder: 'f/a' }] });
    rmSync(join(cwd, 'f/a'), { recursive: true });
    expectExit(await author('push --plan plan.json'), 0, '1 updated');
    expect(await readCode(published, 'A')).toBe(CARD_CODE);
    expectExit(await author('push --plan plan.json'), 0, '1 up to date');
  });

  it('selects paths, files, and listed files of the commit', async () => {
    const { cwd, author } = await repository();
    rmSync(join(cwd, 'f/b'), { recursive: true });
    commit(cwd, 'removed');
    const folders = async (line: string, stdin = '') =>
      JSON.parse((await author(`${line} --at v1 --json`, { stdin })).out).items.map(
        (one: { folder: string }) => one.folder,
      );
    mkdirSync(join(cwd, 'f/new'));
    expect(await folders('diff')).toEqual(['f/a', 'f/b']);
    expect(await folders('diff f/b/code.js f/b')).toEqual(['f/b']);
    expect(await folders('diff f --exclude a')).toEqual(['f/b']);
    expect((await author('diff f --exclude c --at v1')).err).toContain(
      'warning: --exclude c matches no folder in f at v1',
    );
    expect(await folders('diff --paths-from -', 'f/b/manifest.json\nf/gone\n')).toEqual(['f/b']);
    expectExit(await author('diff f --exclude * --at v1'), 0, /nothing to do\n$/);
    expectExit(await author('diff f/new --at v1'), 2, 'v1 has no folder f/new');
    expect((await author('diff README.md --at v1')).code).toBe(2);
  });

  it('is invalid usage with flags that need the working tree, and without the commit', async () => {
    const { author } = await repository();
    for (const flags of ['v1 --since HEAD', 'v1 --prune', 'v1 --unmanaged', 'v9', '0'.repeat(40)])
      expectExit(await author(`diff f --at ${flags}`), 2, /--at|"v9"|0000/);
  });
});

describe('--at with code.ts', () => {
  const files = (text: string) => {
    const { 'code.js': _, ...others } = cardFiles({ name: 'T' }, { 'code.ts': text });
    return others;
  };

  it('bundles the files of the commit, also where they were changed or removed since', async () => {
    const published = await repository({
      ...inFolder(
        'f/t',
        files("import { text } from '../../lib/text.ts';\nexport default async () => ({ raw: { text } });"),
      ),
      'lib/text.ts': "export const text = 'first';",
    });
    const { cwd, author } = published;
    rmSync(join(cwd, 'lib'), { recursive: true });
    writeFileSync(join(cwd, 'f/t/code.ts'), "export default async () => ({ raw: { text: 'second' } });");
    expect((await author('push f/t')).code).toBe(0);
    expect(await author('push f/t --at v1')).toMatchObject({ code: 0 });
    expect(await readCode(published, 'T')).toContain('first');
  });

  it('sends nothing if it bundles packages and their versions may be others now', async () => {
    const published = await repository({
      ...inFolder('f/t', files("import { text } from 'pkg';\nexport default async () => ({ raw: { text } });")),
      'node_modules/pkg/package.json': '{ "name": "pkg", "main": "index.js" }',
      'node_modules/pkg/index.js': "exports.text = 'first';",
      'package-lock.json': '{ "a": 1 }',
      '.gitignore': 'node_modules',
    });
    const { cwd, author } = published;
    expect((await author('diff f/t --at v1')).code).toBe(0);
    writeFileSync(join(cwd, 'package-lock.json'), '{ "a": 2 }');
    const { code, err } = await author('push f/t --at v1');
    expect(code).toBe(3);
    expect(err).toContain(
      'v1:f/t/code.ts:1:1 error code-bundle: cannot bundle the version of v1: it imports packages, and package-lock.json differs',
    );
    expect(err).toContain('git worktree add');
    expect((await author('diff f/a --at v1')).code).toBe(10);
    writeFileSync(join(cwd, 'package-lock.json'), '{ "a": 1 }');
    writeFileSync(join(cwd, 'tsconfig.json'), '{}');
    const settings = await author('diff f/t --at v1');
    expectExit(settings, 3, /tsconfig\.json has changed .*git worktree add/);
  });
});
