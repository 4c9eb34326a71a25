/** A remote version that is in HEAD's history of the folder is neither a conflict nor an overwrite. */
import { appendFileSync, chmodSync, cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CARD_CODE, cardFiles, editCode, folderWith, inFolder, PIXEL } from '../helpers/folders.ts';
import { commit, git, GIT_PATH as PATH, plantPrograms } from '../helpers/git.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { changedElsewhere, type Machine, machine } from '../helpers/machine.ts';
import { expectExit } from '../helpers/test-host.ts';

const edit = (cwd: string, text: string, folder = 'card') => editCode(join(cwd, folder), text);

/** A clone of A, with one published formula, all committed; commands run in it. */
async function repository(folder = 'card', files: Record<string, string | Buffer> = {}) {
  const cwd = folderWith(inFolder(folder, cardFiles({ name: 'Card' }, { 'icon.png': PIXEL, ...files })));
  const formulary = machine({ cwd, more: { FORMULARY_TARGET: 'test', PATH } });
  git(cwd, 'init', '-q', '-b', 'main');
  expect((await formulary(`push .`)).code).toBe(0);
  commit(cwd, 'one');
  return { cwd, formulary };
}

/** Another computer with a clone of the repository. */
function colleague({ cwd, env }: Machine, ...options: string[]): Machine {
  const clone = join(folderWith(), 'clone');
  git(cwd, 'clone', '-q', ...options, pathToFileURL(cwd).href, clone);
  return machine({ cwd: clone, data: env['FORMULARY_LOCAL_DATA'] ?? '', more: { FORMULARY_TARGET: 'test', PATH } });
}

/** B pushes and commits; A pulls with git, and edits. */
async function pushedByColleague(formulary: Machine, folder = 'card') {
  const other = colleague(formulary);
  edit(other.cwd, 'of B', folder);
  expect((await other(`push .`)).code).toBe(0);
  commit(other.cwd, 'of B');
  git(formulary.cwd, 'pull', '-q', other.cwd, 'main');
  edit(formulary.cwd, 'of A, after B', folder);
}

const plain = { code: 0, err: expect.not.stringMatching(/warning|overwrit/) };

describe('a remote version that a colleague pushed and git pulled', () => {
  it.each(['push card', 'update card'])('is not a conflict for %s', async (words) => {
    const { formulary } = await repository();
    await pushedByColleague(formulary);
    expect(await formulary(words)).toMatchObject(plain);
  });

  it('is not marked after a push from a computer without a baseline was rejected', async () => {
    const { cwd, formulary } = await repository();
    const [formula] = JSON.parse((await formulary('list --json')).out);
    const service = await loopback((request, response) =>
      request.method === 'PUT'
        ? json(response, 400, { title: 'No' })
        : json(response, 200, { pagination: { total_items: 1, total_pages: 1 }, data: [formula] }),
    );
    const env = { ...service.env, FORMULARY_TARGET: 'test', PATH };
    edit(cwd, 'next');
    expect(await formulary('push .', { cwd, env })).toMatchObject({ code: 1 });
    expect(await formulary('diff --json', { cwd, env })).toMatchObject({
      code: 10,
      out: expect.not.stringContaining('overwrites'),
    });
  });

  it('is not a conflict in a nested folder with spaces, quotes, and other letters', async () => {
    const folder = 'for mulas/"é\\*';
    const { formulary } = await repository(folder);
    await pushedByColleague(formulary, folder);
    expect(await formulary('push .')).toMatchObject(plain);
  });

  it('is not a conflict if later commits, including a merge, changed the folder', async () => {
    const { formulary, cwd } = await repository();
    await pushedByColleague(formulary);
    commit(cwd, 'of A');
    git(cwd, 'checkout', '-q', '-b', 'topic', 'HEAD~1');
    writeFileSync(join(cwd, 'README.md'), 'x');
    commit(cwd, 'topic');
    git(cwd, 'checkout', '-q', 'main');
    git(cwd, 'merge', '-q', '--no-ff', '-m', 'merge', 'topic');
    edit(cwd, 'later');
    commit(cwd, 'later');
    expect(await formulary('push card')).toMatchObject(plain);
  });

  it('is not a conflict where a merge kept the own version', async () => {
    const { formulary, cwd } = await repository();
    const other = colleague(formulary);
    edit(other.cwd, 'of B');
    expect((await other('push card')).code).toBe(0);
    commit(other.cwd, 'of B');
    edit(cwd, 'of A');
    commit(cwd, 'of A');
    git(cwd, 'pull', '-q', '--no-rebase', '-X', 'ours', other.cwd, 'main');
    expect(await formulary('push card')).toMatchObject(plain);
  });

  it('is not a conflict in a worktree', async () => {
    const { formulary, cwd } = await repository();
    await pushedByColleague(formulary);
    commit(cwd, 'of A');
    const worktree = join(folderWith(), 'tree');
    git(cwd, 'worktree', 'add', '-q', worktree);
    expect(await formulary('push card', { cwd: worktree, env: formulary.env })).toMatchObject(plain);
  });

  it('is not a conflict if git converts line endings', async () => {
    const { formulary, cwd } = await repository();
    writeFileSync(join(cwd, '.gitattributes'), '*.js text eol=crlf\n');
    commit(cwd, 'attributes');
    const other = colleague(formulary);
    writeFileSync(join(other.cwd, 'card/code.js'), `${CARD_CODE}// of B\n`.replaceAll('\n', '\r\n'));
    expect((await other('push card')).code).toBe(0);
    commit(other.cwd, 'of B');
    git(cwd, 'pull', '-q', other.cwd, 'main');
    edit(cwd, 'of A');
    expect(await formulary('push card')).toMatchObject(plain);
  });

  it('is found under the former paths of a folder that was moved with its lock file, twice', async () => {
    const { formulary, cwd } = await repository('f/card');
    edit(cwd, 'two', 'f/card');
    commit(cwd, 'two');
    git(cwd, 'mv', 'f', 'g');
    git(cwd, 'mv', 'formulas.lock.json', 'g/formulas.lock.json');
    const lock = join(cwd, 'g/formulas.lock.json');
    writeFileSync(lock, readFileSync(lock, 'utf8').replace('f/card', 'card'));
    commit(cwd, 'moved');
    git(cwd, 'mv', 'g', 'h');
    edit(cwd, 'three', 'h/card');
    commit(cwd, 'moved again');
    const err = expect.stringMatching(/warning: h\/card replaces \w{7}, 2 behind\n1 updated on/);
    expect(await formulary('push .')).toMatchObject({ code: 0, err });
  });

  it('is a conflict if the commit is not in HEAD', async () => {
    const { formulary, cwd } = await repository();
    const other = colleague(formulary);
    edit(other.cwd, 'of B');
    expect((await other('push card')).code).toBe(0);
    commit(other.cwd, 'of B');
    git(cwd, 'fetch', '-q', other.cwd, 'main:theirs');
    edit(cwd, 'of A');
    for (const words of ['push card', 'update card']) expect((await formulary(words)).code).toBe(6);
  });

  it('is a conflict if somebody changed it on the service', async () => {
    const { formulary, cwd } = await repository();
    await pushedByColleague(formulary);
    const [{ id }] = JSON.parse((await formulary('list --json')).out);
    await changedElsewhere(formulary, id, { name: 'Card' });
    expect((await formulary('push card')).code).toBe(6);
    expect(readFileSync(join(cwd, 'card/code.js'), 'utf8')).toContain('of A');
  });
});

describe('a rollback', () => {
  it('is a conflict for a folder that had the later version, until git has the rollback too', async () => {
    const { formulary, cwd } = await repository();
    edit(cwd, 'two');
    commit(cwd, 'two');
    expect((await formulary('push card')).code).toBe(0);
    const other = colleague(formulary);
    git(other.cwd, 'revert', '--no-edit', 'HEAD');
    expect((await other('push card --force')).code).toBe(0);
    edit(cwd, 'three');
    for (const words of ['push card', 'update card'])
      expectExit(await formulary(words), 6, 'the remote version changed');
    git(cwd, 'stash', '-q');
    git(cwd, 'pull', '-q', other.cwd, 'main');
    edit(cwd, 'three');
    expect(await formulary('push card')).toMatchObject(plain);
  });

  it('is named where nothing is known about the folder', async () => {
    const { formulary, cwd } = await repository();
    const first = git(cwd, 'rev-parse', '--short=7', 'HEAD');
    for (const text of ['two', 'three', 'four']) {
      edit(cwd, text);
      commit(cwd, text);
    }
    expect((await colleague(formulary)('push card')).err).toContain(`warning: card replaces ${first}, 3 behind`);
  });
});

describe('a runner without state', () => {
  it('overwrites nothing if the remote version is in the history of the folder', async () => {
    const { formulary, cwd } = await repository();
    edit(cwd, 'next');
    commit(cwd, 'next');
    for (const runner of [colleague(formulary), colleague(formulary)]) {
      expect(await runner('push card')).toMatchObject(plain);
    }
  });

  it('marks a formula that somebody changed on the service', async () => {
    const { formulary, cwd } = await repository();
    const [{ id }] = JSON.parse((await formulary('list --json')).out);
    await changedElsewhere(formulary, id, { name: 'Card' });
    edit(cwd, 'next');
    commit(cwd, 'next');
    const { out, err } = await colleague(formulary)('push card --json');
    expect(JSON.parse(out).items).toMatchObject([{ outcome: 'updated', overwrites: true }]);
    expect(err).toMatch(/^warning: 1 folder overwrites [^\n(]*\n$/);
  });

  it('proposes fetch-depth: 0 if its clone is shallow', async () => {
    const { formulary, cwd } = await repository();
    edit(cwd, 'next');
    commit(cwd, 'next');
    const { err } = await colleague(formulary, '--depth', '1')('diff card');
    expect(err).toMatch(/warning: 1 folder overwrites .*set fetch-depth: 0/);
  });

  it('deletes a formula that is in git without a warning', async () => {
    const { formulary, cwd } = await repository();
    renameSync(join(cwd, 'card'), join(cwd, '../gone'));
    commit(cwd, 'gone');
    cpSync(join(cwd, '../gone'), join(cwd, 'other'), { recursive: true });
    writeFileSync(
      join(cwd, 'other/manifest.json'),
      JSON.stringify({ ...JSON.parse(readFileSync(join(cwd, 'other/manifest.json'), 'utf8')), name: 'Other' }),
    );
    appendFileSync(join(cwd, 'other/code.js'), '// another formula\n');
    expect(await formulary('push . --prune --yes')).toMatchObject(plain);
  });
});

describe('a hostile repository', () => {
  it('runs no program that it configures', async () => {
    const { formulary, cwd } = await repository();
    await pushedByColleague(formulary);
    const mark = plantPrograms(cwd);
    expect(await formulary('push card')).toMatchObject(plain);
    expect(existsSync(mark)).toBe(false);
  });
});

it('is not read without a conflict', async () => {
  const { formulary, cwd } = await repository();
  const bin = folderWith({ git: '#!/bin/sh\n: > "$0.ran"\n' });
  chmodSync(join(bin, 'git'), 0o755);
  edit(cwd, 'mine');
  const hostOptions = { cwd, env: { ...formulary.env, PATH: bin } };
  expect(await formulary('push card', hostOptions)).toMatchObject(plain);
  expect(existsSync(join(bin, 'git.ran'))).toBe(false);
});
