/** Commands where the state folder cannot be read or written, as in containers whose user has no HOME of its own. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CARD_CODE, cardFiles, editCode, folderWith, inFolder, writeFiles } from '../helpers/folders.ts';
import { created, machine } from '../helpers/machine.ts';
import { ordinaryUser } from '../helpers/ordinary-user.ts';
import { exitsWith, expectExit, type HostOptions, type RunResult, run } from '../helpers/test-host.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');

/** What a command is run with; no XDG variable counts. */
type Situation = () => HostOptions;

const HOMELESS: Record<string, Situation> = {
  'HOME is not set': () => ({}),
  'HOME is a file': () => ({ home: join(folderWith({ home: '' }), 'home') }),
  'HOME is a file, and XDG_STATE_HOME is relative': () => ({
    home: join(folderWith({ home: '' }), 'home'),
    env: { XDG_STATE_HOME: 'state', XDG_CONFIG_HOME: 'config' },
  }),
  'the state folder is a file': () => ({ env: { XDG_STATE_HOME: folderWith({ formulary: '' }) } }),
};

const CHANGED = cardFiles({}, { 'code.js': `${CARD_CODE}// changed\n` });

/** A project with an unchanged formula, a changed one, and a new one; and the words of commands about it. */
async function project({ home, env }: HostOptions) {
  const data = join(folderWith(), 'local.db');
  const elsewhere = machine({ data });
  const [id = ''] = await created(elsewhere, 'Tokenize a card');
  const cwd = folderWith({
    ...inFolder('same', cardFiles()),
    ...inFolder('changed', CHANGED),
    ...inFolder('fresh', cardFiles({ name: 'New' })),
  });
  const local = { XDG_STATE_HOME: '', ...env, FORMULARY_LOCAL_DATA: data, FORMULARY_PROFILE: 'local' };
  const formulary = (words: string) =>
    run(['formula', ...words.split(' ')], { cwd, env: local, ...(home !== undefined && { home }) });
  const names = async () => JSON.parse((await elsewhere('list --json')).out).map(({ name }: { name: string }) => name);
  const code = async () => (await elsewhere(`get ${id} --code`)).out;
  return { formulary, names, code, id, cwd };
}

/** The warnings, but for that of a remote version without a baseline. */
const warningsIn = ({ err }: RunResult) =>
  err.split('\n').filter((line) => line.startsWith('warning: ') && !line.includes('overwrites a remote version'));

/** Warned of the state folder at most once, and of nothing else. */
function expectOneWarning(ended: RunResult): void {
  expect(warningsIn(ended)).toEqual([expect.stringMatching(/state folder/)]);
}

describe.each(Object.entries(HOMELESS))('if %s', (title, situation) => {
  it('a command that reads works', async () => {
    const { formulary, cwd } = await project(situation());
    expectExit(await formulary('validate same'), 0, '');
    expect((await formulary('list')).out).toContain('Tokenize a card');
    const same = await formulary('diff same');
    const differs = await formulary('diff changed');
    expect({ same: same.code, differs: differs.code }).toEqual({ same: 0, differs: 10 });
    // Without a HOME nothing was ever saved, so nothing is lost either.
    for (const ended of [same, differs]) expect(warningsIn(ended)).toHaveLength(title === 'HOME is not set' ? 0 : 1);
    expect(readdirSync(cwd).sort()).toEqual(['changed', 'fresh', 'same']);
  });

  it('a command that creates continues with one warning', async () => {
    const { formulary, names, cwd } = await project(situation());
    const pushed = await formulary('push fresh same');
    expect(pushed).toMatchObject({ code: 0 });
    expectOneWarning(pushed);
    const made = await formulary('create fresh --allow-duplicate');
    expect(made).toMatchObject({ code: 0 });
    expectOneWarning(made);
    expect((await names()).sort()).toEqual(['New', 'New', 'Tokenize a card']);
    expect(readdirSync(cwd).sort()).toEqual(['changed', 'fresh', 'same']);
  });

  it.each(['push fresh changed', 'update changed', 'delete ID --yes'])(
    '%s changes nothing, and continues with --no-history',
    async (line) => {
      const { formulary, names, code, id } = await project(situation());
      const words = line.replace('ID', id);
      expectExit(await formulary(words), 2, '--no-history');
      expect(await names()).toEqual(['Tokenize a card']);
      expect(await code()).toBe(CARD_CODE);
      const done = await formulary(`${words} --no-history`);
      expect(done.code).toBe(0);
      expectOneWarning(done);
      if (!line.startsWith('delete')) expect(await code()).toContain('// changed');
    },
  );

  it('history does not report that nothing is saved, and restore reports why it fails', async () => {
    const { formulary } = await project(situation());
    const listed = await formulary('history');
    expect(listed.code).toBe(title === 'HOME is not set' ? 0 : 2);
    expect(listed.err).toMatch(/state folder/);
    expect(listed.err).not.toContain('no copies');
    expect(await formulary('restore 0123456789abcdef-1 --yes')).toMatchObject(
      exitsWith(2, /the history cannot be read: .*state folder.*\nhint: Set XDG_STATE_HOME/),
    );
  });

  it('link and unlink do not claim what they could not save', async () => {
    const { formulary, id } = await project(situation());
    for (const words of [`link same ${id}`, 'unlink same']) {
      expectExit(await formulary(words), 2, 'state folder', '');
    }
  });

  it('pull writes its folders, with at most one warning', async () => {
    const { formulary, cwd } = await project(situation());
    const pulled = await formulary('pull --dir pulled');
    expect(pulled.code).toBe(0);
    expect(warningsIn(pulled).length).toBeLessThanOrEqual(1);
    expect(existsSync(join(cwd, 'pulled/tokenize-a-card/manifest.json'))).toBe(true);
  });

  it('completion and doctor work', async () => {
    const hostOptions = { ...situation(), cwd: folderWith() };
    const local = { FORMULARY_PROFILE: 'local', FORMULARY_LOCAL_DATA: '/dev/null' };
    const env = { XDG_STATE_HOME: '', ...local, ...hostOptions.env };
    const words = ['completion', 'bash', '--', 'formula', 'restore', ''];
    expectExit(await run(words, { ...hostOptions, env }), 0, '');
    const { out } = await run(['doctor', '--json'], { ...hostOptions, env });
    expect(JSON.parse(out).items).toContainEqual(expect.objectContaining({ check: 'own folders', status: 'warning' }));
  });
});

describe.runIf(process.platform !== 'win32')('a HOME of another user', () => {
  const closed = { mode: 0o000, title: 'that cannot be entered' };
  const readOnly = { mode: 0o555, title: 'that cannot be written' };

  /** An ordinary user whose HOME has this mode, and a service at which a formula is. */
  async function userWith(mode: number) {
    const user = ordinaryUser();
    const home = join(user.folder, 'home');
    const project = join(user.folder, 'project');
    for (const folder of [home, project]) mkdirSync(folder);
    writeFileSync(join(project, 'key'), 'key_of-the-test');
    for (const path of [project, join(project, 'key')]) user.own(path);
    chmodSync(home, mode);
    onTestFinished(() => chmodSync(home, 0o755));
    const env = { HOME: home, FORMULARY_PROFILE: 'local', FORMULARY_LOCAL_DATA: join(project, 'local.db') };
    const formulary = (words: string) => user.formulary(words.replaceAll('PROJECT', project).split(' '), env);
    return { formulary, project, home };
  }

  it.each([closed, readOnly])('$title does not stop a command', async ({ mode }) => {
    const { formulary, home } = await userWith(mode);
    const steps = [
      'formula init PROJECT/card --name Card --no-input',
      'formula push PROJECT/card',
      'formula push PROJECT/card',
      'formula list',
      'formula delete Card --yes',
      'formula history',
      'formula delete Card --yes --no-history',
      'auth login --profile work --base-url https://api.example.test --no-check --api-key-file PROJECT/key',
    ].map((words) => ({ words, ...formulary(words) }));
    expect(steps.map(({ words, status }) => [words, status])).toEqual(
      [0, 0, 0, 0, 2, mode === 0 ? 2 : 0, 0, 2].map((status, i) => [steps[i]?.words, status]),
    );
    const [, pushed, again, listed, refused, history, , login] = steps;
    for (const step of [pushed, again]) expect(step?.stderr.match(/^warning: /gm)).toHaveLength(1);
    expect(listed?.stderr).toBe('');
    expect(refused?.stderr).toMatch(/state folder .*permission denied.*\nhint: .*\n +To skip .*--no-history/);
    expect(login?.stderr).toMatch(/XDG_CONFIG_HOME/);
    if (mode === 0) expect(history?.stderr).toContain(`cannot read the state folder ${home}`);
  });
});

describe.runIf(process.platform !== 'win32')('a state folder that became read-only', () => {
  it('still shows conflicts, and a push with --force needs --no-history', async () => {
    const user = ordinaryUser();
    const [card, theirs] = ['card', 'theirs'].map((name) => join(user.folder, name));
    writeFiles(user.folder, { ...inFolder('card', cardFiles()), ...inFolder('theirs', cardFiles()) });
    editCode(`${theirs}`, 'theirs');
    const state = join(user.folder, 'state');
    const env = {
      FORMULARY_PROFILE: 'local',
      FORMULARY_LOCAL_DATA: join(user.folder, 'local.db'),
      XDG_STATE_HOME: state,
    };
    const push = (...flags: string[]) => user.formulary(['formula', 'push', `${card}`, ...flags], env);
    const elsewhere = { ...env, XDG_STATE_HOME: join(user.folder, 'state of another') };
    expect((await run(['formula', 'push', `${card}`], { env })).code).toBe(0);
    expect((await run(['formula', 'update', 'Tokenize a card', `${theirs}`], { env: elsewhere })).code).toBe(0);
    for (const path of readdirSync(user.folder, { recursive: true, encoding: 'utf8' }))
      user.own(join(user.folder, path));
    editCode(`${card}`, 'mine');
    const folders = ['', ...readdirSync(state, { recursive: true, encoding: 'utf8' })].map((name) => join(state, name));
    const setModes = (isWritable: boolean) => {
      for (const path of folders)
        chmodSync(path, (isWritable ? 0o200 : 0) | (statSync(path).isDirectory() ? 0o555 : 0o444));
    };
    setModes(false);
    onTestFinished(() => setModes(true));
    const conflict = push();
    expect([conflict.status, conflict.stderr.match(/^warning: /gm)]).toEqual([6, ['warning: ']]);
    expect(push('--force')).toMatchObject({ status: 2, stderr: expect.stringContaining('--no-history') });
    expect(push('--force', '--no-history').status).toBe(0);
  });
});

describe.runIf(process.platform !== 'win32')('a HOME that is not an absolute path', () => {
  it.each(['', 'home'])('for example %j counts as none', (home) => {
    const cwd = folderWith();
    const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, 'formula', 'history'], {
      encoding: 'utf8',
      cwd,
      env: { HOME: home },
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toContain('HOME is not set');
    expect(readdirSync(cwd)).toEqual([]);
  });
});
