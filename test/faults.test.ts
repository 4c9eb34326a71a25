/** What goes wrong around the tool while it works: the clock, the disk, the folders of its state. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withRedaction } from '../src/host/host.ts';
import { main } from '../src/main.ts';
import { openHistory } from '../src/state/history.ts';
import { readHistory } from '../src/state/history-entries.ts';
import { cardFiles, folderWith, inFolder } from './helpers/folders.ts';
import { json, loopback, type Respond } from './helpers/loopback.ts';
import { expectExit, run, testHost } from './helpers/test-host.ts';

const ID = '33333333-3333-4333-8333-333333333333';
const HOUR_MS = 60 * 60 * 1000;

/** A service that stores one formula; `before` may respond instead. */
function holding(before: (count: number, ...asked: Parameters<Respond>) => boolean = () => false): Respond {
  let held: object[] = [];
  let count = 0;
  return (request, response) => {
    count += 1;
    if (before(count, request, response)) return;
    const { method, body } = request;
    if (method === 'DELETE') held = [];
    else if (method !== 'GET') held = [{ ...JSON.parse(body), id: ID }];
    const answer = request.url.includes('?') ? { data: held } : held[0];
    json(response, { GET: 200, PUT: 200, POST: 201 }[method] ?? 204, answer);
  };
}

describe('a clock that repeatedly changes by an hour', () => {
  it('makes no wait longer, and ends no retry too soon', async () => {
    const { url, requests } = await loopback(
      holding((count, { method }, response) => {
        if (count % 3 === 0) return false;
        json(response, count % 3 === 1 || method !== 'GET' ? 429 : 503, {}, { 'retry-after': '1' });
        return true;
      }),
    );
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_1', XDG_STATE_HOME: folderWith() };
    const files = inFolder('card', cardFiles());
    const { host, texts } = testHost({ env, cwd: folderWith(files) });
    let looks = 0;
    const now = () => new Date(Date.now() + (looks++ % 2 === 0 ? -HOUR_MS : HOUR_MS));
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    expect(await main(['formula', 'push', 'card', '--target', 'test', '--json'], { ...host, now, sleep })).toBe(0);
    expect(JSON.parse(texts.out).items[0].outcome).toBe('created');
    expect(Math.max(...waits)).toBeLessThan(10_000);
    expect(requests.map(({ method }) => method)).toContain('POST');
  });

  it('lists no saved version as an older one', () => {
    const state = folderWith();
    let entries: string[] = [];
    for (let count = 0; count < 22; count += 1) {
      // Each is kept by another command; the first were kept when the clock was an hour ahead.
      const now = () => new Date(Date.UTC(2026, 0, 1, count < 20 ? 1 : 0, 0, count));
      const host = withRedaction({ ...testHost({ env: { XDG_STATE_HOME: state } }).host, now });
      const history = openHistory(host, 'https://api.example.test', null);
      history.save('update', { id: ID, name: `copy ${count}` });
      history.close();
      entries = readHistory(host, expect.unreachable).map(({ name }) => name);
    }
    expect(entries).toHaveLength(20);
    expect(entries).toEqual(expect.arrayContaining(['copy 20', 'copy 21']));
  });
});

describe('a state folder that is lost while a command works', () => {
  it.each([
    ['create', (folder: string) => ['create', folder]],
    ['push', (folder: string) => ['push', folder, '--no-lock']],
    ['delete', () => ['delete', ID, '--yes', '--no-history']],
  ])('does not hide the results of %s', async (name, words) => {
    const state = folderWith();
    const lose = () => {
      if (existsSync(join(state, 'formulary'))) renameSync(join(state, 'formulary'), join(state, 'gone'));
      writeFileSync(join(state, 'formulary'), '');
    };
    const { url } = await loopback(
      holding((_, { method }) => {
        if (method === 'POST' || method === 'DELETE') lose();
        return false;
      }),
    );
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_1', XDG_STATE_HOME: state };
    if (name === 'delete') {
      await run(['formula', 'create', folderWith(cardFiles())], { env });
      rmSync(state, { recursive: true });
    }
    const { code, out, err } = await run(['formula', ...words(folderWith(cardFiles())), '--json'], { env });
    expectExit({ code, err }, 0, /^(warning: cannot write the state folder .*\nhint: Set XDG_STATE_HOME .*\n)?$/);
    expect(out).toContain(ID);
  });
});

describe('a lock file that can no longer be written', () => {
  it.each([
    ['push', ['push', 'card', '--target', 'test'], 'created'],
    ['delete', ['delete', ID, '--yes', '--target', 'test'], 'deleted'],
  ])('is reported after the results of %s, which exits with 7', async (name, words, outcome) => {
    const files = inFolder('card', cardFiles());
    const cwd = folderWith(files);
    const lock = join(cwd, 'formulas.lock.json');
    const { url } = await loopback(
      holding((_, { method }) => {
        // A folder with something in it cannot be replaced by a file, whoever one is.
        if (method !== 'GET' && name === words[0] && armed) {
          rmSync(lock, { recursive: true, force: true });
          mkdirSync(join(lock, 'x'), { recursive: true });
        }
        return false;
      }),
    );
    let armed = name === 'push';
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_1', XDG_STATE_HOME: folderWith() };
    if (name === 'delete') {
      await run(['formula', 'push', 'card', '--target', 'test'], { env, cwd });
      armed = true;
    }
    const { code, out, err } = await run(['formula', ...words, '--json'], { env, cwd });
    expect(code).toBe(7);
    expect(JSON.parse(out).items).toEqual([expect.objectContaining({ id: ID, outcome })]);
    expect(JSON.parse(err.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({ code: 'partial' });
  });

  it.each(['create', 'update'])('ends %s with an error that has the id, and nothing on stdout', async (name) => {
    const cwd = folderWith(inFolder('card', cardFiles()));
    const lock = join(cwd, 'formulas.lock.json');
    let armed = false;
    const { url } = await loopback(
      holding((_, { method }) => {
        if (method !== 'GET' && armed) {
          rmSync(lock, { recursive: true, force: true });
          mkdirSync(join(lock, 'x'), { recursive: true });
        }
        return false;
      }),
    );
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_1', XDG_STATE_HOME: folderWith() };
    const send = (...words: string[]) => run(['formula', ...words, 'card', '--target', 'test', '--json'], { env, cwd });
    if (name === 'update') expect(await send('create')).toMatchObject({ code: 0 });
    writeFileSync(lock, '{"version":1,"targets":{}}');
    armed = true;
    writeFileSync(join(cwd, 'card/manifest.json'), cardFiles({ name: 'Renamed' })['manifest.json'] ?? '');
    const { code, out, err } = await (name === 'create' ? send('create') : send('update', ID));
    expect({ code, out }).toEqual({ code: 7, out: '' });
    expect(JSON.parse(err.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({
      message: expect.stringContaining(`"Renamed" (${ID})`),
      details: { ids: [ID] },
    });
  });
});
