import { appendFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CARD_BODY,
  cardFiles,
  editCode,
  folderWith,
  formulas,
  formulaTree,
  inFolder,
  writeFiles,
} from '../helpers/folders.ts';
import { commit, git } from '../helpers/git.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { changedElsewhere, created, type Machine, machine } from '../helpers/machine.ts';
import { publishedRepository } from '../helpers/published-repository.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

const edit = (cwd: string, folder: string, text: string) => editCode(join(cwd, folder), text);

/** The state of each folder, as in the last column of a pipe. */
async function readStates(formulary: Machine, words = 'status'): Promise<Record<string, string | undefined>> {
  const { code, out, err } = await formulary(words);
  expect({ code, err }).toMatchObject({ code: 0, err: expect.not.stringMatching(/error/) });
  return Object.fromEntries(
    out
      .trimEnd()
      .split('\n')
      .map((line) => [line.split('\t')[0], line.split('\t').at(-1)]),
  );
}

describe('status', () => {
  it('tells the commit, its tag, and how many commits later changed the folder', async () => {
    const { cwd, author, runner, ids } = await publishedRepository(formulas('a', 'b', 'c'));
    const published = git(cwd, 'rev-parse', 'HEAD');
    for (const text of ['two', 'three']) {
      edit(cwd, 'a', text);
      commit(cwd, text);
    }
    edit(cwd, 'b', 'uncommitted');
    await changedElsewhere(author, ids.get('c') ?? '', { name: 'c' });
    writeFiles(cwd, formulas('d'));
    for (const formulary of [author, runner()]) {
      expect(await readStates(formulary)).toEqual({
        a: `${published.slice(0, 7)} (published), 2 behind`,
        b: `${published.slice(0, 7)} (published), uncommitted changes`,
        c: expect.stringMatching(/^changed 20\S+ by \S+$/),
        d: 'missing',
      });
    }
    const { items, summary } = JSON.parse((await author('status --json')).out);
    expect(summary).toEqual({ total: 4, changed: 1, behind: 2, conflict: 0, unknown: 0, missing: 1, current: 0 });
    expect(items[0]).toMatchObject({
      folder: 'a',
      targets: [{ profile: null, target: 'test', state: 'behind', commit: published, behind: 2 }],
    });
  });

  it('shows what is behind or changed first on a terminal, within its width', async () => {
    const { cwd, author } = await publishedRepository(inFolder('formulas', formulas('a', 'b')));
    edit(cwd, 'formulas/b', 'two');
    const { out } = await author('status', { columns: 80 });
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual(['FOLDER', 'formulas/b', 'formulas/a', '']);
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('finds a version in a hundred commits, also before its folder was moved', async () => {
    const { cwd, author } = await publishedRepository(inFolder('a', cardFiles({ name: 'A' })));
    const published = git(cwd, 'rev-parse', '--short=7', 'HEAD');
    renameSync(join(cwd, 'a'), join(cwd, 'b'));
    edit(cwd, 'b', 'moved');
    commit(cwd, 'move');
    for (let i = 0; i < 30; i++) {
      appendFileSync(join(cwd, 'b/code.js'), `// ${i}\n`);
      git(cwd, 'commit', '-q', '-a', '-m', 'more');
    }
    expect(await readStates(author)).toEqual({ b: `${published} (published), 31 behind` });
  });

  it('tells outside git only what is equal, changed, or missing', async () => {
    const cwd = formulaTree('a', 'b');
    const formulary = machine({ cwd, more: { PATH: '/nowhere' } });
    await formulary('push a');
    expect(await readStates(formulary)).toEqual({ a: 'current', b: 'missing' });
    edit(cwd, 'a', 'local');
    expect(await readStates(formulary)).toMatchObject({ a: expect.stringMatching(/^changed /) });
  });

  it('is in conflict where several formulas have the name, and unknown where a folder is invalid', async () => {
    const cwd = folderWith({ ...inFolder('a', cardFiles({ name: 'A' })), ...inFolder('b', { 'manifest.json': '{' }) });
    const formulary = machine({ cwd });
    await created(formulary, 'A', 'A');
    expect(await readStates(formulary)).toEqual({ a: 'conflict', b: 'unknown' });
    expect((await formulary('status')).err).toContain('warning: b is not compared, because it is invalid\n');
  });

  it('accuses nobody in a shallow clone that lacks the commit', async () => {
    const { cwd, runner } = await publishedRepository(inFolder('a', cardFiles({ name: 'A' })));
    edit(cwd, 'a', 'two');
    commit(cwd, 'two');
    const clone = join(folderWith(), 'clone');
    git(cwd, 'clone', '-q', '--depth', '1', `file://${cwd}`, clone);
    const formulary = runner(clone);
    expect(await readStates(formulary)).toEqual({ a: 'unknown' });
    expect((await formulary('status')).err).toContain('fetch-depth: 0');
  });

  it('writes nothing, in read-only mode too', async () => {
    const { author } = await publishedRepository(inFolder('a', cardFiles({ name: 'A' })));
    const env = { ...author.env, FORMULARY_READ_ONLY: '1', XDG_STATE_HOME: '/dev/null/state' };
    expect(await author('status', { env })).toMatchObject({ code: 0, out: 'a\tA\tcurrent\n' });
  });

  it('sends nothing if no folder is selected', async () => {
    const { author } = await publishedRepository(inFolder('a', cardFiles({ name: 'A' })));
    expect(await author('status --since published')).toEqual({ code: 0, out: '', err: 'nothing to do\n' });
  });
});

describe('status of several profiles', () => {
  /** Two services; the second has no formulas. */
  async function twoProfiles(status = 200) {
    const cwd = folderWith(inFolder('a', cardFiles({ name: 'A' })));
    const formula = { id: '0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d11', ...CARD_BODY, name: 'A' };
    const pagination = { total_items: 1, page_number: 1, page_size: 100, total_pages: 1 };
    const services = [
      await loopback((_, response) => json(response, 200, { pagination, data: [formula] })),
      await loopback((_, response) => json(response, status, status === 200 ? { data: [] } : {})),
    ];
    const env = { XDG_CONFIG_HOME: folderWith(), XDG_STATE_HOME: folderWith() };
    const formulary = (words: string) => run(words.split(' '), { cwd, env, stdin: 'key_0123456789abcdef' });
    for (const [i, { url }] of services.entries())
      await formulary(`auth login --no-check --base-url ${url} --profile p${i} --target t${i}`);
    return { formulary, services };
  }

  it('has a column for each, from one list request', async () => {
    const { formulary, services } = await twoProfiles();
    const { code, out, err } = await formulary('formula status --profile p0 --profile p1');
    expect({ code, out }).toEqual({ code: 0, out: 'a\tA\tcurrent\tmissing\n' });
    expect(err).toMatch(
      /^Service: \S+ \(profile p0, target t0\)\nService: \S+ \(profile p1, target t1\)\np0: 1 current\np1: 1 missing\n$/,
    );
    expect(services.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  it('is unknown for one that cannot be read, whose failure is the exit code', async () => {
    const { formulary } = await twoProfiles(403);
    const { code, out, err } = await formulary('formula status --profile p0 --profile p1 --json');
    expect(code).toBe(4);
    expect(err).toContain('403');
    expect(JSON.parse(out).items[0].targets).toMatchObject([
      { profile: 'p0', target: 't0', state: 'current' },
      { profile: 'p1', target: 't1', id: null, state: 'unknown' },
    ]);
  });

  it('is rejected with settings of one service; other commands take one profile', async () => {
    const { formulary, services } = await twoProfiles();
    for (const flag of ['--target x', '--base-url http://127.0.0.1:1'])
      expect(await formulary(`formula status --profile p0 --profile p1 ${flag}`)).toMatchObject(
        exitsWith(2, 'cannot be used with several profiles'),
      );
    expectExit(await formulary('formula status --profile p0 --profile nobody'), 2, 'not found');
    expectExit(await formulary('formula list --profile p0 --profile p1'), 2, 'passed twice');
    expect(services.map(({ requests }) => requests.length)).toEqual([0, 0]);
  });
});
