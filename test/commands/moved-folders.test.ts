/** Moves, swaps, copies, and removals of folders with git: which formula each folder is, and what --prune deletes. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Repository, remove, repository, writeFormula } from '../helpers/planned.ts';
import { exitsWith, expectExit } from '../helpers/test-host.ts';

const ab = () =>
  repository('', async (formulary) => {
    for (const name of ['a', 'b']) writeFormula(formulary.cwd, name, `// ${name}\n`);
    await formulary('push formulas');
  });

const move = ({ cwd }: Repository, from: string, to: string) =>
  renameSync(join(cwd, 'formulas', from), join(cwd, 'formulas', to));

/** The ids of formulas, by name. */
async function list(formulary: Repository): Promise<Record<string, string>> {
  const items: { id: string; name: string }[] = JSON.parse((await formulary('list --json')).out);
  return Object.fromEntries(items.map(({ id, name }) => [name, id]));
}

const readLock = ({ cwd }: Repository) =>
  JSON.parse(readFileSync(join(cwd, 'formulas/formulas.lock.json'), 'utf8')).targets.staging;

async function push(formulary: Repository, words = 'push formulas') {
  const { code, out, err } = await formulary(`${words} --json`);
  const items: { folder: string; outcome: string; moved_from?: string }[] = out === '' ? [] : JSON.parse(out).items;
  return { code, err, items: items.map(({ folder, outcome, moved_from }) => [folder, outcome, moved_from]) };
}

describe('push', () => {
  it('follows two folders that were swapped, and writes both entries', async () => {
    const formulary = await ab();
    const before = await list(formulary);
    move(formulary, 'a', 'c');
    move(formulary, 'b', 'a');
    move(formulary, 'c', 'b');
    expect(await push(formulary)).toMatchObject({
      code: 0,
      items: [
        ['formulas/a', 'unchanged', 'formulas/b'],
        ['formulas/b', 'unchanged', 'formulas/a'],
      ],
    });
    expect(await list(formulary)).toEqual(before);
    expect(readLock(formulary)).toEqual({ a: { id: before['b'] }, b: { id: before['a'] } });
    move(formulary, 'a', 'd');
    expect((await formulary('push formulas')).err).toContain('1 moved, 1 up to date');
  });

  it('creates a new formula in the place of a folder that was moved, also if only the moved one is pushed', async () => {
    const formulary = await ab();
    const before = await list(formulary);
    move(formulary, 'a', 'old');
    writeFormula(formulary.cwd, 'new', '// new\n', 'a');
    expect(await push(formulary, 'push formulas/old')).toMatchObject({
      items: [['formulas/old', 'unchanged', 'formulas/a']],
    });
    expect(readLock(formulary)).toEqual({ old: { id: before['a'] }, b: { id: before['b'] } });
    expect(await push(formulary)).toMatchObject({ code: 0 });
    expect(await list(formulary)).toMatchObject(before);
  });

  it('stops at a folder that was moved and renamed, and names the commands that decide', async () => {
    const formulary = await ab();
    const before = await list(formulary);
    move(formulary, 'a', 'c');
    writeFormula(formulary.cwd, 'c', '// a\n');
    const { code, err } = await formulary('push formulas --force');
    expect(code).toBe(6);
    expect(err).toContain(`formulary formula link formulas/c ${before['a']}`);
    expect(err).toContain('formulary formula unlink formulas/a');
    expect((await formulary('unlink formulas/a')).code).toBe(0);
    expect(await push(formulary)).toMatchObject({
      code: 0,
      items: [
        ['formulas/b', 'unchanged', undefined],
        ['formulas/c', 'created', undefined],
      ],
    });
  });

  it('stops where two folders may be one formula, and continues after the link was moved', async () => {
    const formulary = await ab();
    const { a: id } = await list(formulary);
    writeFormula(formulary.cwd, 'z', '// changed\n', 'a');
    writeFormula(formulary.cwd, 'a', '// changed too\n', 'c');
    expectExit(await formulary('push formulas'), 6, `formula link formulas/c ${id}`);
    expect((await formulary(`link formulas/c ${id}`)).code).toBe(0);
    expect(await push(formulary, 'push formulas --force')).toMatchObject({
      code: 0,
      items: [
        ['formulas/a', 'created', undefined],
        ['formulas/b', 'unchanged', undefined],
        ['formulas/c', 'updated', undefined],
      ],
    });
    expect((await list(formulary))['a']).toBe(id);
  });

  it('stops where two folders of one code were swapped and edited, with commands that work', async () => {
    const formulary = await ab();
    for (const name of ['a', 'b']) writeFormula(formulary.cwd, name, '// same\n');
    await formulary('push formulas');
    writeFormula(formulary.cwd, 'a', '// same\n', 'b');
    writeFormula(formulary.cwd, 'b', '// edited\n', 'a');
    const before = await list(formulary);
    const { err } = await formulary('push formulas');
    expect(err).toContain('If it is formulas/a, change its name, which another formula has');
    expect((await formulary(/formulary formula (link .*)/.exec(err)?.[1] ?? '')).code).toBe(0);
    expect(await push(formulary)).toMatchObject({ code: 0 });
    expect([await list(formulary), readLock(formulary)]).toEqual([
      before,
      { a: { id: before['b'] }, b: { id: before['a'] } },
    ]);
  });

  it('does not accept a tree that was copied with its lock file, also if only the copy is pushed', async () => {
    const formulary = await ab();
    cpSync(join(formulary.cwd, 'formulas'), join(formulary.cwd, 'copy'), { recursive: true });
    for (const words of ['push copy', 'push formulas/a', 'diff copy/a'])
      expectExit(await formulary(words), 3, 'in their lock files');
    writeFileSync(join(formulary.cwd, '.gitignore'), 'copy\n');
    expect(await push(formulary)).toMatchObject({ code: 0 });
  });
});

it('diff and push say where only line endings differ', async () => {
  const formulary = await ab();
  const file = join(formulary.cwd, 'formulas/a/code.js');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
  const { out, err } = await formulary('diff formulas');
  expect(out).toContain('code: service LF line endings, folder CRLF line endings');
  expect([err, (await formulary('push formulas')).err]).toEqual(
    Array(2).fill(expect.stringContaining('warning: only line endings differ: formulas/a; ')),
  );
});

describe('push --prune', () => {
  const prune = (formulary: Repository, path = 'formulas') => push(formulary, `push ${path} --prune --yes`);

  it('deletes the formula of a folder that no longer exists, which a plain push names', async () => {
    const formulary = await ab();
    remove(formulary.cwd, 'a');
    expect((await formulary('push formulas')).err).toContain(
      'note: 1 folder of the lock file no longer exists: formulas/a; to delete its formula, pass --prune',
    );
    expect(await prune(formulary)).toMatchObject({
      code: 0,
      items: [
        ['formulas/b', 'unchanged', undefined],
        ['formulas/a', 'deleted', undefined],
      ],
    });
  });

  it.each(['../elsewhere', '../ignored'])('keeps the formula of a folder that was moved to %s', async (place) => {
    const formulary = await ab();
    const before = await list(formulary);
    writeFileSync(join(formulary.cwd, '.gitignore'), 'ignored\n');
    mkdirSync(join(formulary.cwd, 'formulas', place));
    move(formulary, 'a', `${place}/a`);
    expect(await formulary('push formulas --prune --yes')).toMatchObject(
      exitsWith(0, `note: formulas/a was moved to ${place.slice(3)}/a; its formula is not deleted`),
    );
    expect(await list(formulary)).toEqual(before);
  });

  it('deletes nothing if a manifest of the repository cannot be read', async () => {
    const formulary = await ab();
    remove(formulary.cwd, 'a');
    mkdirSync(join(formulary.cwd, 'broken'));
    writeFileSync(join(formulary.cwd, 'broken/manifest.json'), '{"name": "a",');
    writeFileSync(join(formulary.cwd, 'broken/code.js'), '');
    expectExit(await prune(formulary), 3, 'broken');
    expect(Object.keys(await list(formulary)).sort()).toEqual(['a', 'b']);
  });
});

describe('pull', () => {
  it('follows a folder that was moved, so that nothing is in the old one', async () => {
    const formulary = await ab();
    const before = await list(formulary);
    move(formulary, 'a', 'c');
    expect(await formulary('pull')).toMatchObject({ code: 0, out: expect.stringMatching(/unchanged\tformulas\/c/) });
    expect(existsSync(join(formulary.cwd, 'formulas/a'))).toBe(false);
    expect(readLock(formulary)).toEqual({ b: { id: before['b'] }, c: { id: before['a'] } });
    expect(await push(formulary)).toMatchObject({ code: 0 });
  });

  it('follows folders that were swapped, and never writes into one that may be another formula', async () => {
    const formulary = await ab();
    const before = await list(formulary);
    move(formulary, 'a', 'x');
    move(formulary, 'b', 'a');
    move(formulary, 'x', 'b');
    // Also if only one of them is pulled.
    expectExit(await formulary('pull b --force'), 0, '1 up to date');
    expect(readLock(formulary)).toEqual({ a: { id: before['b'] }, b: { id: before['a'] } });
    remove(formulary.cwd, 'b');
    writeFormula(formulary.cwd, 'a', '// mine\n', 'c');
    move(formulary, 'a', 'b');
    const { code, err } = await formulary('pull --force');
    expectExit({ code, err }, 6, 'link formulas/b');
    expect(readFileSync(join(formulary.cwd, 'formulas/b/code.js'), 'utf8')).toContain('// b');
  });

  it('writes nothing where the code does not tell which of two swapped folders a formula is', async () => {
    const formulary = await ab();
    for (const name of ['a', 'b']) writeFormula(formulary.cwd, name, '// same\n');
    await formulary('push formulas');
    writeFormula(formulary.cwd, 'a', '// same\n', 'b');
    writeFormula(formulary.cwd, 'b', '// edited\n', 'a');
    for (const name of ['a', 'b']) expect((await formulary(`pull ${name} --force`)).code).toBe(6);
    expect(readFileSync(join(formulary.cwd, 'formulas/a/code.js'), 'utf8')).toContain('// edited');
  });

  it('links a folder that has the name of another formula by the command that push and pull print', async () => {
    const formulary = await ab();
    const { a = '' } = await list(formulary);
    writeFormula(formulary.cwd, 'r', '// a\n', 'a');
    await formulary('push formulas');
    await formulary.elsewhere('push a', 'a');
    writeFormula(formulary.cwd, 'a', '// mine\n');
    const { a: other } = await list(formulary);
    const commands = [];
    for (const words of ['push formulas', `pull ${a} --force`]) {
      const { code, err } = await formulary(words);
      commands.push([code, /formulary formula (link .*)/.exec(err)?.[1]]);
    }
    expect(commands).toEqual(Array(2).fill([6, `link formulas/a ${other}`]));
    expect((await formulary(`link formulas/a ${other}`)).code).toBe(0);
    expect((await formulary('pull a --force')).code).toBe(0);
  });

  it.each(['.github/workflows', 'node_modules/a'])('writes nothing through an entry for %s', async (folder) => {
    const formulary = await ab();
    const file = join(formulary.cwd, 'formulas/formulas.lock.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"a"', JSON.stringify(folder)));
    remove(formulary.cwd, 'a');
    const { code, err } = await formulary('pull --force');
    expectExit({ code, err }, 3, 'formulas.lock.json:5:7: ');
    expect(existsSync(join(formulary.cwd, 'formulas', folder))).toBe(false);
  });

  it('never replaces a folder that is another formula', async () => {
    const formulary = await ab();
    writeFormula(formulary.cwd, 'new', '// the only copy\n', '../out/a');
    expect((await formulary('pull a --dir out --force')).code).toBe(0);
    expect(readFileSync(join(formulary.cwd, 'out/a/code.js'), 'utf8')).toContain('the only copy');
  });
});

it('neither update nor restore gives a formula the name of another', async () => {
  const formulary = await ab();
  writeFormula(formulary.cwd, 'c', '// a\n', 'a');
  await formulary('push formulas/a');
  expectExit(await formulary('update c formulas/b'), 6, 'named "b" already exists');
  writeFormula(formulary.cwd, 'a', '// new\n', 'd');
  await formulary('push formulas/d --no-lock');
  expectExit(await formulary('restore a --yes'), 6, 'named "a" already exists');
});
