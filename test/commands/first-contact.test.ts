/** The first commands of a new user: wrong words get the right suggestion. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, formulas, inFolder } from '../helpers/folders.ts';
import { machine } from '../helpers/machine.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

function project() {
  const { cwd, env } = machine({ cwd: folderWith(inFolder('formulas', formulas('f1-js'))) });
  return (...words: string[]) => run(words, { cwd, env });
}

describe('a formula', () => {
  it('that is created is reported with its id', async () => {
    const { err } = await project()('formula', 'create', 'formulas/f1-js');
    expect(err).toMatch(/^Created formula "f1-js" \([0-9a-f-]{36}\)$/m);
  });

  it('with a name in another letter case is suggested', async () => {
    const formulary = project();
    await formulary('formula', 'create', 'formulas/f1-js');
    expectExit(await formulary('formula', 'get', 'F1-JS'), 5, 'no formula is named "F1-JS"; did you mean "f1-js"?');
  });

  it('passed as the beginning of its id is found by nobody, with the id in the hint', async () => {
    const formulary = project();
    const id = /[0-9a-f-]{36}/.exec((await formulary('formula', 'create', 'formulas/f1-js')).err)?.[0] ?? '';
    for (const word of [id.slice(0, 8), id.slice(0, 12).toUpperCase()]) {
      const { code, err } = await formulary('formula', 'get', word);
      expect([code, err]).toEqual([5, expect.stringContaining(`hint: Use the whole id: ${id} ("f1-js")`)]);
    }
    expect((await formulary('formula', 'get', id.slice(0, 7))).err).not.toContain(id);
  });

  it.each(['get', 'delete'])('passed to %s as a folder is explained', async (verb) => {
    const formulary = project();
    await formulary('formula', 'create', 'formulas/f1-js');
    const flags = verb === 'delete' ? ['--yes'] : [];
    const words = /formulas\/f1-js is a folder[\s\S]*Use the name of its formula: "f1-js"/;
    expectExit(await formulary('formula', verb, 'formulas/f1-js', ...flags), 5, words);
  });

  it('that is unchanged has no request in a dry run', async () => {
    const formulary = project();
    await formulary('formula', 'create', 'formulas/f1-js');
    const words = ['formula', 'update', 'formulas/f1-js', '--dry-run'];
    expect(await formulary(...words)).toMatchObject({ code: 0, out: '' });
    expect(await formulary(...words, '--json')).toMatchObject({ code: 0, out: '{}\n' });
  });
});

describe('auth', () => {
  it('login prompts for the base URL on a terminal', async () => {
    const env = { XDG_CONFIG_HOME: folderWith() };
    const hostOptions = { env, answers: ['https://api.example.com'], typed: ['key-of-the-test'] };
    const { code, err } = await run(['auth', 'login', '--no-check'], hostOptions);
    expect(code).toBe(0);
    expect(err).toContain('Base URL of the service (https://…): ');
    expect(err).toContain('Logged in to https://api.example.com.');
  });

  it('status without a login reports that, and how to log in', async () => {
    expect(await run(['auth', 'status'], { env: { XDG_CONFIG_HOME: folderWith() } })).toMatchObject(
      exitsWith(2, /^error: not logged in.*\nhint: To log in, run: formulary auth login/),
    );
  });
});

describe('an application of the embedded service', () => {
  const create = (env: Record<string, string>) =>
    run(['service', 'application', 'create', '--name', 'shop', '--type', 'public', '--permission', 'token:create'], {
      env,
    });
  const remove = (env: Record<string, string>) => run(['service', 'application', 'delete', 'shop', '--yes'], { env });

  it('is deleted by its name, unless the name is ambiguous', async () => {
    const env = { FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db') };
    await create(env);
    expect((await remove(env)).code).toBe(0);
    expect((await remove(env)).code).toBe(5);
    await create(env);
    await create(env);
    expectExit(await remove(env), 6, 'matches 2 applications');
  });
});
