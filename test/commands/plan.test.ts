import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editCode, folderWith, formulas, inFolder, writeFiles } from '../helpers/folders.ts';
import { commit, GIT_PATH, git } from '../helpers/git.ts';
import { changedElsewhere, machine } from '../helpers/machine.ts';
import { exitsWith, expectExit } from '../helpers/test-host.ts';

/** A repository with formulas of these names in `formulas/<name>`, and a machine in it. */
function repository(...names: string[]) {
  const cwd = folderWith(inFolder('formulas', formulas(...names)));
  git(cwd, 'init', '-q', '-b', 'main');
  return machine({ cwd, more: { FORMULARY_TARGET: 'staging', PATH: GIT_PATH } });
}

const edit = (cwd: string, name: string) => editCode(join(cwd, 'formulas', name), 'new');
const readPlan = (cwd: string, file = 'plan.json') => JSON.parse(readFileSync(join(cwd, file), 'utf8'));

describe('diff --out', () => {
  it('saves each step with both hashes and no content, relative to the repository, for this user alone', async () => {
    const formulary = repository('a', 'b', 'c', 'd');
    const { cwd } = formulary;
    rmSync(join(cwd, 'formulas/d'), { recursive: true });
    expect((await formulary('push formulas')).code).toBe(0);
    commit(cwd, 'one');
    edit(cwd, 'b');
    rmSync(join(cwd, 'formulas/c'), { recursive: true });
    writeFiles(join(cwd, 'formulas'), formulas('d'));
    const { code, err } = await formulary('diff . --prune --out ../plan.json', { cwd: join(cwd, 'formulas') });
    expect([code, err]).toEqual([10, expect.stringContaining('Saved the plan: ../plan.json')]);
    expect(statSync(join(cwd, 'plan.json')).mode & 0o777).toBe(0o600);
    const { steps, ...plan } = readPlan(cwd);
    expect(plan).toEqual({
      schema_version: 1,
      tool_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      target: 'staging',
      base_url: `local:${formulary.env['FORMULARY_LOCAL_DATA']}`,
      repository: '..',
      commit: git(cwd, 'rev-parse', 'HEAD'),
      paths: ['formulas'],
    });
    const lock = JSON.parse(readFileSync(join(cwd, 'formulas/formulas.lock.json'), 'utf8')).targets.staging;
    const hash = expect.stringMatching(/^[\w-]{43}$/);
    expect(steps).toMatchObject([
      { action: 'update', folder: 'formulas/b', id: lock.b.id, local_hash: hash, remote_hash: hash },
      { action: 'create', folder: 'formulas/d', id: null, name: 'd', local_hash: hash, remote_hash: null },
      { action: 'delete', folder: 'formulas/c', id: lock.c.id, name: 'c', local_hash: null, remote_hash: hash },
    ]);
    expect(readFileSync(join(cwd, 'plan.json'), 'utf8')).not.toContain('module.exports');
    expect(steps).toEqual(Array(3).fill(expect.objectContaining({ lock_file: 'formulas/formulas.lock.json' })));
  });

  it('replaces a file that others could read, and is empty where nothing differs', async () => {
    const formulary = repository('a');
    await formulary('push formulas');
    const file = join(formulary.cwd, 'plan.json');
    writeFileSync(file, 'older', { mode: 0o644 });
    expect(await formulary('diff --out plan.json')).toMatchObject({ code: 0, out: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readPlan(formulary.cwd).steps).toEqual([]);
  });

  it('names no push for a plan that cannot be read again', async () => {
    const formulary = repository('a');
    const { out, err } = await formulary('diff --out /dev/stdout');
    expect(out).toMatch(/^\{\n {2}"schema_version": 1,/);
    expect(err).not.toContain('next:');
  });

  it('saves an empty plan for an empty list of paths', async () => {
    const formulary = repository('a');
    expect((await formulary('diff --paths-from - --out plan.json', { stdin: '' })).code).toBe(0);
    expect(readPlan(formulary.cwd)).toMatchObject({ paths: [], steps: [] });
  });

  it('saves conflicts with their reason, and with --force the overwrites', async () => {
    const formulary = repository('a');
    await formulary('push formulas');
    const id = JSON.parse((await formulary('list --json')).out)[0].id;
    await changedElsewhere(formulary, id, { name: 'a' });
    edit(formulary.cwd, 'a');
    expect(await formulary('diff --out plan.json')).toMatchObject({
      code: 10,
      err: expect.not.stringContaining('next:'),
    });
    expect(readPlan(formulary.cwd).steps).toMatchObject([
      { action: 'conflict', reason: expect.stringMatching(/^the remote version changed since .* \(at .* by .*\)$/) },
    ]);
    const { err } = await formulary('diff --force --out plan.json');
    expect(err).toMatch(/1 folder overwrites.*\n.*1 overwriting/s);
    expect(readPlan(formulary.cwd)).toMatchObject({ force: true, steps: [{ action: 'update', overwrites: true }] });
  });

  it.each([
    ['formulas/a/code.js', 'not javascript ('],
    ['formulas/formulas.lock.json', '{'],
  ])('writes nothing after a mistake in %s', async (file, text) => {
    const formulary = repository('a');
    writeFileSync(join(formulary.cwd, file), text);
    expect((await formulary('diff --out plan.json')).code).toBe(3);
    expect(existsSync(join(formulary.cwd, 'plan.json'))).toBe(false);
  });

  it('writes nothing for more deletions than --max-deletes', async () => {
    const formulary = repository('a', 'b', 'c');
    await formulary('push formulas');
    for (const name of ['a', 'b']) rmSync(join(formulary.cwd, 'formulas', name), { recursive: true });
    const refused = await formulary('diff --prune --max-deletes 1 --out plan.json');
    expectExit(refused, 2, 'no plan was written', '');
    expect(refused.err).toContain('hint: To see them, run: formulary formula diff . --prune');
    expect(existsSync(join(formulary.cwd, 'plan.json'))).toBe(false);
    expect((await formulary('diff --prune --max-deletes 1')).code).toBe(10);
    expect((await formulary('diff --prune --max-deletes 2 --out plan.json')).code).toBe(10);
  });

  it('writes nothing that contains the API key', async () => {
    const formulary = repository('key_of_the_test_0123456789');
    const env = { ...formulary.env, FORMULARY_API_KEY: 'key_of_the_test_0123456789' };
    expect(await formulary('diff --out plan.json', { env })).toMatchObject(
      exitsWith(3, 'the API key is in a name, a path, or the target of the plan'),
    );
    expect(existsSync(join(formulary.cwd, 'plan.json'))).toBe(false);
  });

  it('is not written to the file of the report', async () => {
    const formulary = repository('a');
    const refused = await formulary('diff --out plan.json --report markdown=./formulas/../plan.json');
    const err = expect.stringContaining('--out and --report must be different files (got plan.json)');
    expect(refused).toMatchObject({ code: 2, out: '', err });
    expect(existsSync(join(formulary.cwd, 'plan.json'))).toBe(false);
  });

  it.each([
    ['the file is one', 'link.json'],
    ['a folder of the repository is one', 'linked/plan.json'],
  ])('writes through no symbolic link: %s', async (_, file) => {
    const formulary = repository('a');
    const { cwd } = formulary;
    const elsewhere = folderWith({ 'target.json': 'mine' });
    symlinkSync(join(elsewhere, 'target.json'), join(cwd, 'link.json'));
    symlinkSync(elsewhere, join(cwd, 'linked'));
    expectExit(await formulary(`diff --out ${file}`), 2, 'is a symbolic link', '');
    expect(readFileSync(join(elsewhere, 'target.json'), 'utf8')).toBe('mine');
    expect(existsSync(join(elsewhere, 'plan.json'))).toBe(false);
  });

  it('refuses folders of several repositories', async () => {
    const formulary = repository('a', 'b');
    git(join(formulary.cwd, 'formulas/b'), 'init', '-q');
    expectExit(await formulary('diff formulas/a formulas/b --out plan.json'), 2, 'a plan must be for one repository');
  });
});
