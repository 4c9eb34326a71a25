/** Folders of the tool that another user of the computer can change: what is planted there is neither read nor written. */
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shortHash } from '../../src/state/xdg-paths.ts';
import { BARE, CARD_CODE, cardFiles, editCode, folderWith, inFolder, writeFiles } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { created, machine } from '../helpers/machine.ts';
import { exitsWith, expectExit, type HostOptions, type RunResult, run } from '../helpers/test-host.ts';

const isRoot = process.geteuid?.() === 0;
/** A user other than the one who runs the tests. */
const OTHER = Number(process.geteuid?.()) + 54_321;

/** Gives a path to another user: as root really; otherwise the tool is run as a user whose neither the path is, nor HOME. */
function giveAway(path: string): HostOptions {
  if (isRoot) chownSync(path, OTHER, OTHER);
  return isRoot ? {} : { user: OTHER, home: undefined };
}

/** How a folder `…/formulary` below HOME is made one that others can change. */
const OPENINGS: Record<string, (home: string, folder: string) => HostOptions> = {
  'that anybody can write to': (_, folder) => {
    chmodSync(folder, 0o777);
    return {};
  },
  'below a folder of HOME that anybody can write to': (home) => {
    chmodSync(join(home, 'below'), 0o777);
    return {};
  },
  'of another user': (_, folder) => giveAway(folder),
};

const PLANTED = 'module.exports = () => "planted";\n';
/** The warnings, but for that of a remote version without a baseline. */
const warningsIn = ({ err }: RunResult) =>
  err.split('\n').filter((line) => line.startsWith('warning: ') && !line.includes('overwrites a remote version'));

/** A home with the folders of the tool below `below`, none of which others can change. */
function shared() {
  const home = folderWith();
  const place = (name: string) => join(home, 'below', name);
  for (const name of ['state', 'config', 'data']) mkdirSync(join(place(name), 'formulary'), { recursive: true });
  for (const name of ['', 'state', 'state/formulary', 'config', 'config/formulary', 'data', 'data/formulary'])
    chmodSync(place(name), 0o755);
  const env = { XDG_STATE_HOME: place('state'), XDG_CONFIG_HOME: place('config'), XDG_DATA_HOME: place('data') };
  const own = (name: string) => join(place(name), 'formulary');
  return { home, env, state: own('state'), config: own('config'), data: own('data') };
}

/** A service with a formula, and a project whose folder of it was changed. */
async function project() {
  const { home, env, state } = shared();
  const data = join(folderWith(), 'local.db');
  const elsewhere = machine({ data });
  const [id = ''] = await created(elsewhere, 'Tokenize a card');
  const cwd = folderWith({ ...inFolder('changed', cardFiles()), ...inFolder('fresh', cardFiles({ name: 'New' })) });
  editCode(join(cwd, 'changed'), 'mine');
  const local = { ...env, FORMULARY_LOCAL_DATA: data, FORMULARY_PROFILE: 'local' };
  const formulary = (words: string, hostOptions: HostOptions) =>
    run(['formula', ...words.split(' ')], { cwd, home, env: local, ...hostOptions });
  const code = async () => (await elsewhere(`get ${id} --code`)).out;
  return { home, state, formulary, code, id, target: `local:${data}` };
}

/** Puts a history entry where the tool would look for one. */
function plant(state: string, target: string, id: string): string {
  const entry = shortHash(target, id).slice(0, 10);
  const content = { name: 'Tokenize a card', type: 'private', code: PLANTED, ...BARE };
  const version = { entry, at: '2026-01-01T00:00:00.000Z', operation: 'update', target, id, name: content.name };
  const formula = { id, ...content };
  writeFiles(join(state, 'history'), { [`${entry}.json`]: JSON.stringify({ ...version, formula }) });
  return entry;
}

describe.runIf(process.platform !== 'win32')('a state folder', () => {
  it.each(Object.entries(OPENINGS))('%s is neither read nor written', async (_, open) => {
    const { home, state, formulary, code, id, target } = await project();
    const entry = plant(state, target, id);
    const hostOptions = open(home, state);
    expect(await formulary(`restore ${entry} --yes`, hostOptions)).toMatchObject(
      exitsWith(2, /the history cannot be read: the state folder is not used: .*\nhint: /, ''),
    );
    expect(await formulary('history', hostOptions)).toMatchObject({ code: 2, out: '' });
    expectExit(await formulary('push fresh changed', hostOptions), 2, '--no-history');
    expect(await code()).toBe(CARD_CODE);
    const differs = await formulary('diff changed', hostOptions);
    expect(differs.code).toBe(10);
    const forced = await formulary('push fresh changed --no-history', hostOptions);
    expect(forced.code).toBe(0);
    for (const ended of [differs, forced]) expect(warningsIn(ended)).toEqual([expect.stringContaining('is not used')]);
    expect(await code()).toContain('// mine');
    expect(readdirSync(state)).toEqual(['history']);
    expect(readdirSync(join(state, 'history'))).toEqual([`${entry}.json`]);
  });

  it('does not use files that others put there before it was closed', async () => {
    const { state, formulary, code, id, target } = await project();
    const entry = plant(state, target, id);
    const file = join(state, 'history', `${entry}.json`);
    if (isRoot) chownSync(file, OTHER, OTHER);
    else chmodSync(file, 0o666);
    const refused = await formulary(`restore ${entry} --yes`, {});
    expect(refused.code).toBe(5);
    expect(warningsIn(refused)).toEqual([expect.stringContaining(file)]);
    expect(await code()).toBe(CARD_CODE);
  });

  it('is used if only the user’s own group can write to it, or if it does not exist yet in a sticky folder', async () => {
    const { home, state, formulary } = await project();
    chmodSync(state, 0o775);
    const own = await formulary('push fresh changed', {});
    expect(own).toMatchObject({ code: 0 });
    expect(warningsIn(own)).toEqual([]);
    chmodSync(home, 0o1777);
    const fresh = await formulary('push fresh changed', { env: {}, home });
    expect(warningsIn(fresh)).toEqual([]);
  });
});

describe.runIf(process.platform !== 'win32')('a configuration folder', () => {
  it.each(Object.entries(OPENINGS))('%s decides neither where a key is sent nor which one', async (_, open) => {
    const { home, env, config } = shared();
    const thief = await loopback((_request, response) => json(response, 200, { data: [] }));
    const profile = { version: 1, base_url: thief.url, api_key_header: 'X-Key', api_key: 'key_of-somebody' };
    mkdirSync(join(config, 'profiles'), { mode: 0o755 });
    writeFileSync(join(config, 'profiles/default.json'), JSON.stringify(profile), { mode: 0o600 });
    const hostOptions = { home, env, ...open(home, config) };
    const refusal = {
      code: 2,
      out: '',
      err: expect.stringMatching(/, so no key and no base URL is taken from it\nhint: /),
    };
    for (const words of [
      'formula list',
      'formula list --profile default',
      'auth logout',
      'auth login --base-url https://a.test --no-check',
    ]) {
      expect(await run(words.split(' '), { ...hostOptions, stdin: 'key_of-mine' }), words).toMatchObject(refusal);
    }
    expect(thief.requests).toEqual([]);
    const given = { ...env, FORMULARY_BASE_URL: thief.url, FORMULARY_API_KEY: 'key_of-mine' };
    expectExit(await run(['formula', 'list', '--json'], { ...hostOptions, env: given }), 0, '');
    const status = await run(['auth', 'status'], { ...hostOptions, env: given });
    expect(status.code).toBe(0);
    expect(warningsIn(status)).toHaveLength(1);
    expect(status.out).not.toContain('default');
    expect(readdirSync(join(config, 'profiles'))).toEqual(['default.json']);
  });
});

describe.runIf(process.platform !== 'win32')('a data folder', () => {
  it.each(Object.entries(OPENINGS))('%s is not used, and another one can be set', async (_, open) => {
    const { home, env, data } = shared();
    await created(Object.assign(machine({ data: join(data, 'local.db') })), 'Planted');
    const hostOptions = { home, env, ...open(home, data) };
    const refusal = { code: 2, out: '', err: expect.stringContaining('the data of the embedded service is not used') };
    for (const words of ['formula list --local', 'service application list', 'service start', 'auth status --local'])
      expect(await run(words.split(' '), hostOptions), words).toMatchObject(refusal);
    const named = { ...env, FORMULARY_LOCAL_DATA: join(data, 'local.db') };
    expect((await run(['formula', 'list', '--local'], { ...hostOptions, env: named })).out).toContain('Planted');
  });
});

describe.runIf(process.platform !== 'win32')('doctor', () => {
  it('reports folders that others can change, and how to close them', async () => {
    const { home, env, state, config } = shared();
    const check = async () => {
      const { out } = await run(['doctor', '--local', '--json'], { home, env });
      return JSON.parse(out).items.find((item: { check: string }) => item.check === 'own folders');
    };
    expect(await check()).toMatchObject({ status: 'ok' });
    chmodSync(state, 0o777);
    chmodSync(config, 0o757);
    expect(await check()).toEqual({
      check: 'own folders',
      status: 'warning',
      found: `${config} is not used: other users can write to ${config} (mode 757); ${state} is not used: other users can write to ${state} (mode 777)`,
      advice: `To fix it, run: chmod go-w ${config}\nTo fix it, run: chmod go-w ${state}`,
    });
  });
});
