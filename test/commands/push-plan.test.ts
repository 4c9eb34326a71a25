/** push --plan FILE: what was reviewed is applied, or nothing is sent. */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, writeFiles } from '../helpers/folders.ts';
import { commit, git } from '../helpers/git.ts';
import { killingService } from '../helpers/killing.ts';
import { planned, type Repository, remove, repository, writeFormula } from '../helpers/planned.ts';
import { exitsWith, expectExit, type RunResult, run } from '../helpers/test-host.ts';

const outcomes = ({ out }: RunResult) =>
  Object.fromEntries(
    JSON.parse(out).items.map(({ name, outcome }: { name: string; outcome: string }) => [name, outcome]),
  );
const APPLY = 'push --plan plan.json';

describe('push --plan', () => {
  it('applies exactly the plan, in any folder of the repository and on another computer, and prompts for nothing', async () => {
    const formulary = await planned();
    const env = { ...formulary.env, XDG_STATE_HOME: folderWith() };
    const cwd = join(formulary.cwd, 'formulas/b');
    const applied = formulary('push --plan ../../plan.json --json', { cwd, env });
    expect((await formulary.writes(applied)).sort()).toEqual([0, 'DELETE', 'POST', 'PUT']);
    expect(outcomes(await applied)).toEqual({ a: 'updated', c: 'deleted', d: 'created' });
    expect(await formulary('diff formulas --prune --unmanaged')).toMatchObject({ code: 0, out: '' });
    const lock = JSON.parse(readFileSync(join(formulary.cwd, 'formulas/formulas.lock.json'), 'utf8')).targets.staging;
    expect(Object.keys(lock)).toEqual(['a', 'b', 'd']);
  });

  it('has nothing to do when it was applied before', async () => {
    const formulary = await planned();
    await formulary(APPLY);
    expect(await formulary.writes(formulary(APPLY))).toEqual([0]);
    expect(outcomes(await formulary(`${APPLY} --json`))).toEqual({ a: 'unchanged', c: 'unchanged', d: 'unchanged' });
  });

  it('has nothing to do where others completed each step, and links what they created', async () => {
    const formulary = await planned();
    const [clone, env] = [folderWith(), { ...formulary.env, XDG_STATE_HOME: folderWith() }];
    cpSync(formulary.cwd, clone, { recursive: true });
    expect((await formulary('push formulas --prune --yes', { cwd: clone, env })).code).toBe(0);
    expect(await formulary.writes(formulary(APPLY))).toEqual([0]);
    expect(await formulary('diff formulas')).toMatchObject({ code: 0 });
  });

  it('does not touch formulas outside the plan, and counts those that differ', async () => {
    const formulary = await planned();
    writeFormula(formulary.cwd, 'b', '// later\n');
    writeFormula(formulary.cwd, 'e');
    writeFileSync(join(formulary.cwd, 'formulas/b/formula.txt'), '');
    const applied = formulary(APPLY);
    expect((await formulary.writes(applied)).sort()).toEqual([0, 'DELETE', 'POST', 'PUT']);
    expect((await applied).err).toContain('note: 2 formulas outside the plan differ');
  });

  it('is not stopped by mistakes and changes outside the plan', async () => {
    const formulary = await planned();
    writeFileSync(join(formulary.cwd, 'formulas/b/code.js'), 'not javascript (');
    await formulary.elsewhere('update b b', 'b');
    expect((await formulary(APPLY)).code).toBe(0);
  });

  it('ends with 0 for an empty plan, without a request', async () => {
    const formulary = await repository('a');
    expect((await formulary('diff formulas --out plan.json')).code).toBe(0);
    const env = { ...formulary.env, FORMULARY_API_KEY: 'another' };
    expectExit(await formulary(APPLY, { env }), 0, 'nothing to do: 0 up to date on ', '');
  });

  it('overwrites what diff --force planned, once', async () => {
    const formulary = await repository('a');
    writeFormula(formulary.cwd, 'a', '// new\n');
    await formulary.elsewhere('update a a', 'a');
    expect((await formulary('diff formulas --force --out plan.json')).code).toBe(10);
    expect(await formulary(`${APPLY} --json`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('"overwrites": true'),
    });
    expect(JSON.parse((await formulary(`${APPLY} --json`)).out).items).toEqual([
      expect.not.objectContaining({ overwrites: true }),
    ]);
  });

  it('ends with 6 for a plan with conflicts, without a request', async () => {
    const formulary = await repository('ab');
    for (const name of ['a', 'b']) writeFormula(formulary.cwd, name, '// new\n');
    await formulary.elsewhere('update a a', 'a');
    expect((await formulary('diff formulas --out plan.json')).code).toBe(10);
    const refused = formulary(`${APPLY} --json`);
    expect(await formulary.writes(refused)).toEqual([6]);
    expect(outcomes(await refused)).toEqual({ a: 'conflict', b: 'not_started' });
    expect((await refused).err).toMatch(
      /^error: the plan has a conflict for "a" \(formulas\/a\): the remote version changed[\s\S]*hint: To see how to resolve the conflict, run: formulary formula diff formulas --out plan.json\n/,
    );
  });

  it.each([
    ['formulas', 'a path'],
    ['--paths-from x', '--paths-from'],
    ['--prune', '--prune'],
    ['--force', '--force'],
    ['--exclude x', '--exclude'],
    ['--dry-run', '--dry-run'],
    ['--yes', '--yes'],
  ])('cannot be combined with %s', async (words, name) => {
    expect(await run(['formula', 'push', '--plan', 'plan.json', ...words.split(' ')])).toMatchObject(
      exitsWith(2, `--plan cannot be combined with ${name}`),
    );
  });

  it('deletes no more than --max-deletes', async () => {
    const formulary = await planned();
    const refused = formulary(`${APPLY} --max-deletes 0`);
    expect(await formulary.writes(refused)).toEqual([2]);
    expect((await refused).err).toContain('the plan would delete 1 formula, more than --max-deletes 0');
  });

  it('names the repository where it is run elsewhere', async () => {
    const formulary = await repository('');
    writeFormula(formulary.cwd, 'a');
    await formulary('diff formulas --out plan.json');
    expect(await formulary(`push --plan ${join(formulary.cwd, 'plan.json')}`, { cwd: folderWith() })).toMatchObject(
      exitsWith(3, /its folder no longer exists[\s\S]*hint: Run the command in the repository of the plan\./),
    );
  });

  it('ignores lock files with --no-lock, and deletes nothing then', async () => {
    const formulary = await planned();
    expect(await formulary.writes(formulary(`${APPLY} --no-lock`))).toEqual([2]);
    await formulary('diff formulas --out plan.json');
    expect((await formulary.writes(formulary(`${APPLY} --no-lock`))).sort()).toEqual([0, 'POST', 'PUT']);
  });

  it.each([
    ['base URL', 'FORMULARY_BASE_URL', 'http://127.0.0.1:9'],
    ['target', 'FORMULARY_TARGET', 'production'],
  ])('is refused for another %s', async (what, name, value) => {
    const formulary = await planned();
    const refused = formulary(APPLY, { env: { ...formulary.env, [name]: value } });
    expect(await formulary.writes(refused)).toEqual([2]);
    expect((await refused).err).toContain(`the plan plan.json is for another ${what}: `);
  });

  it('finishes the rest after kill -9, with exactly the requests that are left', async () => {
    const { machine, kill, methods } = await killingService();
    const cwd = folderWith();
    git(cwd, 'init', '-q');
    const env = machine();
    const names = Array.from({ length: 10 }, (_, i) => `f${i}`);
    for (const name of names) writeFormula(cwd, name);
    const formulary = (words: string) => run(['formula', ...words.split(' ')], { cwd, env });
    expect((await formulary('push formulas')).code).toBe(0);
    for (const name of names) writeFormula(cwd, name, '// new\n');
    expect((await formulary('diff formulas --out plan.json')).code).toBe(10);
    const words = `formula ${APPLY} --concurrency 1`.split(' ');
    await kill(env, words, { request: 5, isDone: false }, cwd);
    expect(methods).toEqual(['GET', 'PUT', 'PUT', 'PUT', 'PUT']);
    methods.length = 0;
    expect((await formulary(APPLY)).code).toBe(0);
    expect(methods).toEqual(['GET', ...names.slice(3).map(() => 'PUT')]);
    expect((await formulary('diff formulas')).code).toBe(0);
  });

  it('finishes the rest after a partial failure', async () => {
    const formulary = await planned();
    formulary.faults.respond = ({ method }) => (method === 'POST' ? 422 : undefined);
    const failed = formulary(`${APPLY} --report junit=report.xml --json`);
    expect((await formulary.writes(failed)).sort()).toEqual([7, 'DELETE', 'POST', 'PUT']);
    expect(outcomes(await failed)).toEqual({ a: 'updated', c: 'deleted', d: 'failed' });
    expect(readFileSync(join(formulary.cwd, 'report.xml'), 'utf8')).toContain('tests="3" failures="1"');
    formulary.faults.respond = () => undefined;
    expect(await formulary.writes(formulary(APPLY))).toEqual([0, 'POST']);
  });

  it('finishes the rest after Ctrl-C', async () => {
    const formulary = await planned();
    const stopping = new AbortController();
    formulary.faults.respond = ({ method }) => {
      if (method === 'PUT') stopping.abort('SIGINT');
      return undefined;
    };
    const interrupted = formulary(`${APPLY} --concurrency 1`, { stopping: stopping.signal });
    expect(await formulary.writes(interrupted)).toEqual([130, 'PUT']);
    formulary.faults.respond = () => undefined;
    expect((await formulary.writes(formulary(APPLY))).sort()).toEqual([0, 'DELETE', 'POST']);
  });
});

describe('a plan that was just saved', () => {
  it.each<[string, string, string, string[]]>([
    ['above a repository', '.', 'repo/r', ['repo/.git']],
    ['beside the formulas, without git', 'w', '../r', ['w']],
    ['in the formula, without git', 'r/a', '.', []],
    ['in the home folder, without git', '.', 'r', []],
    ['above a repository in a repository', '.', 'sub', ['.git', 'sub/.git']],
    ['next to a copy that diff excluded', '.', 'r --exclude wip', ['.git', 'r/wip']],
  ])('can be applied %s', async (_, folder, words, folders) => {
    const formulary = await repository('');
    const home = folderWith();
    for (const path of folders) mkdirSync(join(home, path), { recursive: true });
    const formula = { 'repo/r': 'repo/r/a', sub: 'sub/r/a' }[words] ?? 'r/a';
    for (const path of [formula, ...folders.filter((one) => one.endsWith('wip'))])
      writeFiles(join(home, path), cardFiles({ name: 'a' }));
    const hostOptions = { cwd: join(home, folder), env: { ...formulary.env, HOME: home }, home };
    expect((await formulary(`diff ${words} --out ${home}/plan.json`, hostOptions)).code).toBe(10);
    expect(await formulary.writes(formulary(`push --plan ${home}/plan.json`, hostOptions))).toEqual([0, 'POST']);
  });

  it('records that a folder was only moved, and push writes the lock file', async () => {
    const formulary = await repository('a');
    renameSync(join(formulary.cwd, 'formulas/a'), join(formulary.cwd, 'formulas/moved'));
    const shown = await formulary('diff formulas --out plan.json --json');
    expect([shown.code, JSON.parse(shown.out).items]).toEqual([
      10,
      [expect.objectContaining({ action: 'keep', moved_from: 'formulas/a' })],
    ]);
    expect(formulary.plan().steps).toMatchObject([{ action: 'keep', moved_from: 'formulas/a' }]);
    expect(await formulary.writes(formulary(APPLY))).toEqual([0]);
    const lock = JSON.parse(readFileSync(join(formulary.cwd, 'formulas/formulas.lock.json'), 'utf8')).targets.staging;
    expect(Object.keys(lock)).toEqual(['moved']);
    expect((await formulary('diff formulas')).code).toBe(0);
  });

  it('creates nothing again that somebody deleted since', async () => {
    const formulary = await planned();
    await formulary(APPLY);
    await formulary.elsewhere('delete d --yes');
    const refused = formulary(APPLY);
    expect(await formulary.writes(refused)).toEqual([6]);
    expect((await refused).err).toMatch(/stale for "d" \(formulas\/d\): its formula \S+ was deleted on the service/);
  });
});

describe('a plan of diff --since', () => {
  /** On a branch: a and b changed, c removed with the lock file; main has newer commits. */
  const branch = () =>
    repository('abc', ({ cwd }) => {
      commit(cwd, 'first');
      git(cwd, 'checkout', '-q', '-b', 'topic');
      writeFormula(cwd, 'a', '// new\n');
      writeFormula(cwd, 'b', '// new\n');
      remove(cwd, 'c');
      rmSync(join(cwd, 'formulas/formulas.lock.json'));
      commit(cwd, 'changed');
      git(cwd, 'checkout', '-q', 'main');
      writeFileSync(join(cwd, 'later'), '');
      commit(cwd, 'later');
      git(cwd, 'checkout', '-q', 'topic');
    });

  it('deletes what a lock file listed at the commit, after the merge too, and has nothing to do then', async () => {
    const formulary = await branch();
    const { cwd, env } = formulary;
    expect((await formulary('diff formulas --since main --prune --out plan.json')).code).toBe(10);
    expect(formulary.plan()).toMatchObject({
      since: git(cwd, 'merge-base', 'main', 'topic'),
      steps: [
        { action: 'update', name: 'a' },
        { action: 'update', name: 'b' },
        { action: 'delete', name: 'c' },
      ],
    });
    git(cwd, 'checkout', '-q', 'main');
    git(cwd, 'merge', '-q', '--no-ff', '-m', 'merge', 'topic');
    const fresh = { env: { ...env, XDG_STATE_HOME: folderWith() } };
    expect((await formulary.writes(formulary(APPLY, fresh))).sort()).toEqual([0, 'DELETE', 'PUT', 'PUT']);
    expect(await formulary.writes(formulary(APPLY, fresh))).toEqual([0]);
  });

  it('is stale after a PUT by others, and names the commit in the next command', async () => {
    const formulary = await branch();
    await formulary('diff formulas --since main --prune --out plan.json');
    await formulary.elsewhere('update a a', 'a');
    const refused = formulary(APPLY);
    expect(await formulary.writes(refused)).toEqual([6]);
    expect((await refused).err).toMatch(/formula diff formulas --prune --since [0-9a-f]{40} --out plan.json/);
  });

  it.each<[string, number, string, (formulary: Repository) => string]>([
    ['on another branch', 3, 'is not an ancestor of HEAD', ({ cwd }) => git(cwd, 'rev-parse', 'main')],
    ['that does not exist', 2, 'has no commit', () => 'a'.repeat(40)],
    ['without the lock entry', 3, 'no lock file has the id', ({ cwd }) => git(cwd, 'rev-parse', 'topic')],
  ])('sends nothing for a commit %s', async (_, code, problem, findCommit) => {
    const formulary = await branch();
    await formulary('diff formulas --since main --prune --out plan.json');
    const plan = { ...formulary.plan(), since: findCommit(formulary) };
    writeFileSync(join(formulary.cwd, 'plan.json'), JSON.stringify(plan));
    const refused = formulary(APPLY);
    expect(await formulary.writes(refused)).toEqual([code]);
    expect((await refused).err).toContain(problem);
  });

  it('is empty, and made without a request, where nothing changed', async () => {
    const formulary = await repository('a');
    commit(formulary.cwd, 'first');
    const env = { ...formulary.env, FORMULARY_BASE_URL: 'http://127.0.0.1:9' };
    expect((await formulary('diff formulas --since HEAD --out plan.json', { env })).code).toBe(0);
    expect(formulary.plan()).toMatchObject({ since: git(formulary.cwd, 'rev-parse', 'HEAD'), steps: [] });
  });
});

describe('a plan is stale', () => {
  const WHEN = String.raw`\(at \d{4}-\S+ by first application\)`;
  const others =
    (words: string, ...names: string[]) =>
    ({ elsewhere }: Repository) =>
      elsewhere(words, ...names);
  const moveFolder =
    (place: string) =>
    ({ cwd }: Repository) =>
      renameSync(join(cwd, 'formulas/a'), join(cwd, place));
  it.each<[string, number, string, (formulary: Repository) => unknown]>([
    ['a PUT by others', 6, `"a" \\(formulas/a\\): it changed on the service ${WHEN}`, others('update a a', 'a')],
    [
      'others added an icon that it keeps',
      6,
      `"a" .*: it changed on the service ${WHEN}`,
      ({ elsewhere }) => {
        const place = folderWith();
        writeFormula(place, 'a');
        cpSync('formulas-example/tokenize-card/icon.png', join(place, 'formulas/a/icon.png'));
        return elsewhere(`update a ${join(place, 'formulas/a')}`);
      },
    ],
    ['others deleted what it updates', 6, '"a" .*: it was deleted on the service', others('delete a --yes')],
    [
      'others created what it creates',
      6,
      '"d" .*: a formula of its name was created on the service: [0-9a-f-]{36} \\(at \\S+ by [0-9a-f-]{36}\\)',
      others('create d', 'd'),
    ],
    ['others changed what it deletes', 6, `"c" .*: it changed on the service ${WHEN}`, others('update c c', 'c')],
    ['a folder changed', 3, '"a" .*: its folder changed', ({ cwd }) => writeFormula(cwd, 'a', '// newer\n')],
    ['a folder was removed', 3, '"d" .*: its folder no longer exists', ({ cwd }) => remove(cwd, 'd')],
    ['a folder was moved', 3, '"a" .*: its folder no longer exists', moveFolder('formulas/moved')],
    [
      'a folder became a link',
      3,
      '"a" .*: its folder no longer exists, or is a symbolic link',
      (formulary) => {
        moveFolder('elsewhere')(formulary);
        symlinkSync('../elsewhere', join(formulary.cwd, 'formulas/a'));
      },
    ],
    ['the folder that it deletes is back', 3, '"c" .*: its folder exists again', ({ cwd }) => writeFormula(cwd, 'c')],
    [
      'the formula that it deletes moved to another folder',
      3,
      '"c" .*: push would do nothing now',
      ({ cwd }) => {
        writeFormula(cwd, 'c', '', 'moved');
        const file = join(cwd, 'formulas/formulas.lock.json');
        const lock = JSON.parse(readFileSync(file, 'utf8'));
        lock.targets.staging.moved = lock.targets.staging.c;
        writeFileSync(file, JSON.stringify(lock));
      },
    ],
    [
      'the lock file was removed',
      3,
      '"c" .*: no lock file has the id [0-9a-f-]{36} for it',
      ({ cwd }) => rmSync(join(cwd, 'formulas/formulas.lock.json')),
    ],
  ])('after %s: nothing is sent', async (_, code, problem, change) => {
    const formulary = await planned();
    await change(formulary);
    const refused = formulary(APPLY);
    expect([await formulary.writes(refused), (await refused).err]).toEqual([
      [code],
      expect.stringMatching(
        new RegExp(
          `error: the plan is stale for ${problem}.*\nnothing was sent: .*\nhint: To create a new plan, run: formulary formula diff formulas --prune --out plan.json\n`,
        ),
      ),
    ]);
  });

  it('shows in --json when, and by which application', async () => {
    const formulary = await planned();
    await formulary.elsewhere('update a a', 'a');
    const { items, summary } = JSON.parse((await formulary(`${APPLY} --json`)).out);
    expect(items[0]).toMatchObject({
      folder: 'formulas/a',
      name: 'a',
      outcome: 'conflict',
      error: {
        exit_code: 6,
        details: { changes: [{ where: 'service', modified_at: expect.any(String), modified_by: expect.any(String) }] },
      },
    });
    expect(summary).toMatchObject({ total: 3, conflict: 1, not_started: 2 });
  });

  it('with 3 where a folder and the service changed, and names both', async () => {
    const formulary = await planned();
    await formulary.elsewhere('update a a', 'a');
    writeFormula(formulary.cwd, 'd', '// newer\n');
    expect(await formulary(APPLY)).toMatchObject(
      exitsWith(
        3,
        /"a".*on the service[\s\S]*"d".*its folder changed[\s\S]*nothing was sent: 1 conflict, 1 not started, 1 invalid/,
      ),
    );
  });

  it('and names both versions of formulary if another one created it', async () => {
    const formulary = await planned();
    const plan = { ...formulary.plan(), tool_version: '9.9.9' };
    writeFileSync(join(formulary.cwd, 'plan.json'), JSON.stringify(plan));
    writeFormula(formulary.cwd, 'a', '// newer\n');
    expect((await formulary(APPLY)).err).toContain('note: the plan was created by formulary 9.9.9; this is ');
  });

  it('with 3 and all findings where a folder of it became invalid', async () => {
    const formulary = await planned();
    writeFileSync(join(formulary.cwd, 'formulas/a/code.js'), 'not javascript (');
    const refused = formulary(`${APPLY} --json`);
    expect(await formulary.writes(refused)).toEqual([3]);
    expect(outcomes(await refused)).toEqual({ a: 'invalid', d: 'not_started' });
  });

  it('with 3 where a copy of a folder of it was added, and not where others have one name', async () => {
    const formulary = await planned();
    writeFormula(formulary.cwd, 'b', '', 'copy-of-b');
    expect((await formulary(APPLY)).code).toBe(0);
    writeFormula(formulary.cwd, 'a', '// newer\n');
    rmSync(join(formulary.cwd, 'formulas/copy-of-b'), { recursive: true });
    await formulary('diff formulas --out plan.json');
    writeFormula(formulary.cwd, 'a', '', 'copy-of-a');
    const refused = formulary(APPLY);
    expect(await formulary.writes(refused)).toEqual([3]);
    expect((await refused).err).toContain('a has the same name as formulas/copy-of-a: "a"');
  });
});
