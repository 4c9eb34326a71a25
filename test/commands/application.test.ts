import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../src/service/app.ts';
import { listen } from '../../src/service/listen.ts';
import { openStore } from '../../src/service/store/store.ts';
import { folderWith } from '../helpers/folders.ts';
import { expectExit, type HostOptions, run } from '../helpers/test-host.ts';

/** The commands about one data file. */
function applications() {
  const file = join(folderWith(), 'data', 'local.db');
  const formulary = (words: readonly string[], hostOptions: HostOptions = {}) =>
    run(['service', 'application', ...words], { ...hostOptions, env: { FORMULARY_LOCAL_DATA: file } });
  return { file, formulary };
}

const READER = ['create', '--name', 'reader', '--type', 'management', '--permission', 'reactor:read'];

describe('an application', () => {
  it('is created with a key that a running service accepts at once, and rejects after the deletion', async () => {
    const { file, formulary } = applications();
    const store = await openStore(file);
    onTestFinished(() => store.close());
    const service = await listen(createApp(store), 0);
    onTestFinished(() => service.close());
    const made = await formulary([...READER, '--json']);
    expectExit(made, 0, '');
    const { id, key, ...application } = JSON.parse(made.out);
    expect(application).toMatchObject({ name: 'reader', type: 'management', permissions: ['reactor:read'] });
    const env = { FORMULARY_BASE_URL: service.baseUrl, FORMULARY_API_KEY: key };
    expect(await run(['formula', 'list', '--json'], { env })).toMatchObject({ code: 0, out: '[]\n' });
    expect(await formulary(['delete', id.toUpperCase(), '--yes', '--json'])).toMatchObject({ code: 0 });
    expect(await run(['formula', 'list'], { env })).toMatchObject({ code: 4 });
  });

  it('is listed without its key, which no file contains', async () => {
    const { file, formulary } = applications();
    const { id, key, ...rest } = JSON.parse((await formulary([...READER, '--json'])).out);
    const listed = await formulary(['list', '--json']);
    expect(JSON.parse(listed.out)).toEqual([{ id, ...rest }]);
    expect(listed.out).not.toContain(key);
    expect(readFileSync(file, 'latin1')).not.toContain(key);
    expect((await formulary(['list'], { columns: 120 })).out).toMatch(/^ID +NAME +TYPE +PERMISSIONS +CREATED\n/);
  });

  it('shows its key once as a table too, with a note', async () => {
    const { formulary } = applications();
    const { code, out, err } = await formulary(READER, { columns: 100 });
    expect(code).toBe(0);
    expect(out).toMatch(/^key +key_[0-9A-Za-z]{32}$/m);
    const narrow = await formulary(['create', ...READER.slice(1)], { columns: 40 });
    expect(narrow.out).toMatch(/^ *(key +)?key_[0-9A-Za-z]{32}$/m);
    expect(err).toMatch(/^Created application "\w+" \([\da-f-]{36}\)\nSave the key now: it is shown only once\.\n$/);
  });

  it('may have several permissions, in any notation of the flag', async () => {
    const { formulary } = applications();
    const words = 'create --name n --type private --permission token:read token:use,token:search';
    const { out } = await formulary([...words.split(' '), '--permission', 'token:read', '--json']);
    expect(JSON.parse(out).permissions).toEqual(['token:read', 'token:use', 'token:search']);
  });

  it.each<[string, string, string[]]>([
    ['a permission of other types', '--type=public --permission=reactor:read', ['management', 'token:create']],
    ['a permission like no other', '--type=expiring --permission=x', ['"x"', 'token:read']],
    ['a misspelled permission', '--type=management --permission=reactor:raed', ['did you mean reactor:read?']],
    ['a misspelled type', '--type=managment --permission=reactor:read', ['did you mean management?', 'public']],
    ['an empty name', '--name=\t --type=public --permission=token:create', ['--name']],
    ['no permission', '--type=public', ['--permission']],
    ['an empty data file', '--type=public --permission=token:create --data=', ['--data']],
  ])('is rejected with %s, and not created', async (_, flags, words) => {
    const { file, formulary } = applications();
    const { code, out, err } = await formulary(['create', '--name', 'n', ...flags.split(' ')]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    for (const word of words) expect(err).toContain(word);
    expect(JSON.parse((await formulary(['list', '--json'])).out)).toEqual([]);
    if (flags.endsWith('--data=')) expect(existsSync(file)).toBe(false);
  });
});

describe('deleting an application', () => {
  it('prompts on a terminal, and requires --yes elsewhere', async () => {
    const { formulary } = applications();
    const { id } = JSON.parse((await formulary([...READER, '--json'])).out);
    expectExit(await formulary(['delete', id]), 2, '--yes');
    expect(await formulary(['delete', id, '--no-input'], { answers: ['y'] })).toMatchObject({ code: 2 });
    expectExit(await formulary(['delete', id], { answers: ['n'] }), 2, 'Delete the management application "reader"?');
    expect(await formulary(['delete', id], { answers: ['y'] })).toMatchObject({
      code: 0,
      out: `deleted\t${id}\treader\n`,
    });
  });

  it.each([['00000000-0000-4000-8000-000000000000'], ['reader']])(
    'that does not exist (%s) exits with 5, and creates no data file',
    async (id) => {
      const { file, formulary } = applications();
      expect(await formulary(['delete', id, '--yes', '--json'])).toMatchObject({ code: 5, out: '' });
      expect(await formulary(['delete', '', '--yes'])).toMatchObject({ code: 2 });
      expect(existsSync(join(file, '..'))).toBe(false);
    },
  );
});

describe('without a data file', () => {
  it.each([
    [['service', 'application', 'list', '--json'], '[]\n'],
    [['formula', 'list', '--local', '--json'], '[]\n'],
    [['auth', 'status', '--local', '--json'], /"accepted": true/],
  ])('%j works, and creates none', async (words, out) => {
    const folder = join(folderWith(), 'data');
    const env = { XDG_DATA_HOME: folder };
    const ended = await run(words, { env });
    expect(ended.code).toBe(0);
    expect(ended.out).toMatch(out);
    expect(existsSync(folder)).toBe(false);
  });

  it('looking for a missing formula creates none either', async () => {
    const folder = join(folderWith(), 'data');
    const env = { XDG_DATA_HOME: folder };
    for (const words of ['get x', 'delete x --yes'])
      expect(await run(['formula', ...words.split(' '), '--local'], { env })).toMatchObject({ code: 5 });
    expect(existsSync(folder)).toBe(false);
  });
});
