/** --prune in a sparse checkout of git: a folder that is skipped is not removed. */
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, formulas, inFolder } from '../helpers/folders.ts';
import { GIT_PATH as PATH, git as runGit } from '../helpers/git.ts';
import { type Machine, machine } from '../helpers/machine.ts';
import { expectExit } from '../helpers/test-host.ts';

const NAMES = ['a', 'b', 'c d', 'e'];

interface Repository {
  root: string;
  formulary: Machine;
  git(...words: string[]): string;
  /** The names of the formulas that the service has. */
  names(): Promise<string[]>;
}

/** A repository with formulas that were pushed and committed, with their lock file. */
async function repository(): Promise<Repository> {
  const root = folderWith(inFolder('formulas', formulas(...NAMES)));
  const git = (...words: string[]) => runGit(root, ...words);
  git('init', '-q', '.');
  const formulary = machine({ cwd: root, more: { PATH } });
  await formulary('push formulas --target staging');
  git('add', '.');
  git('commit', '-qm', 'Add formulas');
  const names = async () => JSON.parse((await formulary('list --json')).out).map(({ name }: { name: string }) => name);
  return { root, formulary, git, names };
}

const PRUNE = 'push formulas --prune --yes --target staging';

describe('a folder that a sparse checkout skips', () => {
  it.each([
    ['by folder', ['--cone', 'formulas/a', 'formulas/e']],
    ['by folder, with a sparse index', ['--cone', '--sparse-index', 'formulas/a', 'formulas/e']],
    ['by pattern, with its code left', ['--no-cone', '/formulas/*', '!/formulas/b/*', '!/formulas/c d/manifest.json']],
  ])('%s is not deleted by --prune, but one that was removed is', async (_, patterns) => {
    const { root, formulary, git, names } = await repository();
    git('sparse-checkout', 'set', ...patterns);
    expect(existsSync(join(root, 'formulas/b'))).toBe(false);
    const diff = await formulary('diff formulas --prune --target staging');
    expect(diff.code).toBe(0);
    expectExit(await formulary(PRUNE), 0, 'a sparse checkout skips 2 folders');
    expect((await names()).sort()).toEqual(NAMES);
    rmSync(join(root, 'formulas/a'), { recursive: true });
    expect(await formulary(PRUNE)).toMatchObject({ code: 0 });
    expect((await names()).sort()).toEqual(['b', 'c d', 'e']);
  });

  it('keeps the formula of a folder that was moved there before the lock file', async () => {
    const { formulary, git, names } = await repository();
    git('mv', 'formulas/b', 'formulas/moved');
    git('commit', '-qm', 'Move');
    git('sparse-checkout', 'set', 'formulas/a');
    expect(await formulary(PRUNE)).toMatchObject({ code: 0 });
    expect((await names()).sort()).toEqual(NAMES);
  });

  it('is not written by pull', async () => {
    const { root, formulary, git } = await repository();
    git('sparse-checkout', 'set', 'formulas/a');
    const { code, err } = await formulary('pull --target staging');
    expectExit({ code, err }, 0, 'skips formulas/b, formulas/c d');
    expect(existsSync(join(root, 'formulas/b'))).toBe(false);
  });

  it('keeps its entry in the lock file if its formula no longer exists', async () => {
    const { formulary, git } = await repository();
    git('sparse-checkout', 'set', 'formulas/a');
    await formulary('delete b --yes --target staging --no-history');
    git('checkout', '-q', 'formulas/formulas.lock.json');
    expect(await formulary(PRUNE)).toMatchObject({ code: 0 });
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('git, to list skipped folders', () => {
  it('is not started without --prune, nor if no folder is missing', async () => {
    const { root, formulary } = await repository();
    writeFileSync(join(root, '.git/config'), '[broken');
    expect(await formulary(PRUNE)).toMatchObject({ code: 0 });
    rmSync(join(root, 'formulas/b'), { recursive: true });
    expect(await formulary('push formulas --target staging')).toMatchObject({ code: 0 });
  });

  it('that fails stops --prune before anything is deleted', async () => {
    const { root, formulary, names } = await repository();
    rmSync(join(root, 'formulas/b'), { recursive: true });
    writeFileSync(join(root, '.git/config'), '[broken');
    expectExit(await formulary(PRUNE), 2, `git -C ${root} status`);
    expect(await names()).toHaveLength(NAMES.length);
  });

  it('that is not installed does not stop --prune', async () => {
    const { root, formulary, names } = await repository();
    rmSync(join(root, 'formulas/b'), { recursive: true });
    expect(await formulary(PRUNE, { env: { ...formulary.env, PATH: folderWith() } })).toMatchObject({ code: 0 });
    expect(await names()).toHaveLength(NAMES.length - 1);
  });

  it('runs no program that the repository configures', async () => {
    const { root, formulary, git, names } = await repository();
    git('sparse-checkout', 'set', '--sparse-index', 'formulas/a');
    const program = join(root, 'run');
    writeFileSync(program, `#!/bin/sh\ntouch "${root}/was-run"\n`);
    chmodSync(program, 0o755);
    const settings = ['core.fsmonitor', 'core.pager', 'core.editor', 'core.sshCommand', 'core.askPass'];
    for (const setting of [...settings, 'core.alternateRefsCommand', 'pager.ls-files', 'remote.x.uploadpack'])
      git('config', setting, program);
    git('config', 'alias.ls-files', `!${program}`);
    git('config', 'core.hooksPath', root);
    git('config', 'extensions.partialClone', 'x');
    git('config', 'remote.x.url', `ext::${program}`);
    git('config', 'protocol.ext.allow', 'always');
    rmSync(join(root, 'was-run'), { force: true });
    expect(await formulary(PRUNE)).toMatchObject({ code: 0 });
    expect(existsSync(join(root, 'was-run'))).toBe(false);
    expect(await names()).toHaveLength(NAMES.length);
  });
});
