/** Keys that are kept, and what commands make of them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { exitsWith, expectExit, type HostOptions, run } from '../helpers/test-host.ts';

const KEY = 'key_0123456789abcdef';

/** A user with a configuration folder of their own. */
function user(env: Record<string, string> = {}) {
  const config = folderWith();
  const profiles = join(config, 'formulary', 'profiles');
  const formulary = (words: readonly string[], hostOptions: HostOptions = {}) =>
    run(words, { ...hostOptions, env: { XDG_CONFIG_HOME: config, ...env, ...hostOptions.env } });
  return { formulary, config, profiles, kept: () => readdirSync(profiles).sort() };
}

/** A service that takes one key for reading; another is known but may not read. */
const service = (key = KEY) =>
  loopback(({ headers }, response) => {
    const sent = headers['svc-api-key'] ?? headers['x-key'];
    if (sent === key) return json(response, 200, { data: [] });
    return json(response, sent === 'key_without-permission' ? 403 : 401, { title: 'no' });
  });

const login = (url: string, ...more: string[]) => ['auth', 'login', '--base-url', url, ...more];

describe('auth login', () => {
  it('saves a key from a pipe after the service accepts it, and later commands use it', async () => {
    const { url, requests } = await service();
    const { formulary } = user();
    const ended = await formulary(login(`${url}/`, '--json'), { stdin: `${KEY}\n` });
    expectExit(ended, 0, '');
    expect(JSON.parse(ended.out)).toEqual({
      base_url: url,
      base_url_source: 'profile',
      key: '…cdef',
      key_source: 'profile',
      key_header: 'SVC-API-KEY',
      profile: 'default',
      accepted: true,
      profiles: ['default'],
    });
    expect(await formulary(['formula', 'list', '--json'])).toMatchObject({ code: 0, out: '[]\n' });
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  it.each([
    ['the default profile', [], []],
    ['--profile', ['--profile', 'test'], ['--profile', 'test']],
  ])('lets create --dry-run check the name on the service of %s', async (_, loginFlags, flags) => {
    const card = { id: '0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d11', name: 'Tokenize a card', type: 'private' };
    const { url } = await loopback((_request, response) => json(response, 200, { data: [card] }));
    const { formulary } = user();
    await formulary(login(url, ...loginFlags), { stdin: KEY });
    const { code, err } = await formulary(['formula', 'create', folderWith(cardFiles()), '--dry-run', ...flags]);
    expectExit({ code, err }, 6, card.id);
  });

  it('prompts for the key on a terminal, with hidden input', async () => {
    const { url } = await service();
    const { formulary } = user();
    const { code, out, err } = await formulary(login(url), { answers: [], typed: [KEY] });
    expect(code).toBe(0);
    expect(err).toContain(`API key for ${url} (input hidden): `);
    expect(out + err).not.toContain(KEY);
  });

  it('reads the key from a file, or from a terminal with --api-key-stdin and --no-input', async () => {
    const { url } = await service();
    const file = join(folderWith({ key: `${KEY}\r\n` }), 'key');
    const ways: [string[], HostOptions][] = [
      [['--api-key-file', file], {}],
      [['--api-key-stdin', '--no-input'], { answers: [], typed: [KEY] }],
      [['--api-key-stdin'], { stdin: KEY }],
    ];
    for (const [flags, hostOptions] of ways)
      expect(await user().formulary(login(url, ...flags), hostOptions)).toMatchObject({ code: 0 });
  });

  it('does not wait for a key with --no-input', async () => {
    const { formulary } = user();
    for (const [flags, hostOptions] of [
      [['--no-input'], { answers: [] }],
      [[], { typed: ['x'] }],
    ] as [string[], HostOptions][]) {
      expectExit(await formulary(login('http://127.0.0.1:1', ...flags), hostOptions), 2, '--api-key-stdin', '');
    }
  });

  it.each<[string, string, number, string]>([
    ['an unknown key', 'key_unknown', 4, '401'],
    ['a key that may not read', 'key_without-permission', 4, 'reactor:read'],
    ['nothing', ' \n', 4, 'standard input'],
    ['a key of two lines', 'key_one\nkey_two', 2, 'line break'],
  ])('with %s saves nothing', async (_, stdin, code, words) => {
    const { url } = await service();
    const { formulary, config } = user();
    const ended = await formulary(login(url), { stdin });
    expect(ended).toMatchObject({ code, out: '', err: expect.stringContaining(words) });
    expect(ended.err).not.toMatch(/key_(unknown|one)/);
    expect(readdirSync(config)).toEqual([]);
  });

  it('saves an unchecked key only with --no-check, which the hint proposes', async () => {
    const { formulary, config } = user();
    const unreachable = login('http://127.0.0.1:1', '--retry-timeout', '0.1');
    expectExit(await formulary(unreachable, { stdin: KEY }), 8, /the key was not saved: .*refused[\s\S]*--no-check/);
    expect(readdirSync(config)).toEqual([]);
    const { code, out } = await formulary([...unreachable, '--no-check', '--json'], { stdin: KEY });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ accepted: null });
  });

  it('names a key command that was saved without running it as the source of the key', async () => {
    const { formulary } = user();
    const { out } = await formulary(login('https://a.example.test', '--no-check', '--key-command', 'print-key'));
    expect(out).toContain('not read (key command saved by auth login)');
  });

  it('saves no key of the environment, and reports if the environment takes precedence over the saved key', async () => {
    const { url, requests } = await service();
    const { formulary } = user({ FORMULARY_API_KEY: 'key_of-the-environment', FORMULARY_BASE_URL: url });
    expect(await formulary(['auth', 'login'], { stdin: KEY })).toMatchObject(
      exitsWith(0, 'Saved, but FORMULARY_API_KEY is set and takes precedence'),
    );
    expect(requests.map(({ headers }) => headers['svc-api-key'])).toEqual([KEY]);
  });

  it('replaces the key of a profile with its base URL and header', async () => {
    const { url, requests } = await service();
    const { formulary } = user();
    await formulary(login(url, '--profile', 'test', '--no-check', '--api-key-header', 'X-Key'), { stdin: 'key_old' });
    expect(await formulary(['auth', 'login', '--profile', 'test'], { stdin: KEY })).toMatchObject({ code: 0 });
    expect(requests.map(({ headers }) => headers['x-key'])).toEqual([KEY]);
  });

  it('does not guess which of two base URLs a key is for', async () => {
    const { url, requests } = await service();
    const { formulary } = user({ FORMULARY_BASE_URL: url });
    await formulary(login('https://other.example.test', '--profile', 'test', '--no-check'), { stdin: KEY });
    expect(await formulary(['auth', 'login', '--profile', 'test'], { stdin: KEY })).toMatchObject(
      exitsWith(2, /FORMULARY_BASE_URL is [\s\S]*other\.example\.test[\s\S]*--base-url/),
    );
    expect(requests).toEqual([]);
  });

  it.each<[string[], string]>([
    [['--local'], '--local'],
    [['--profile', 'local'], 'local'],
    [['--profile', ''], '--profile'],
    [['--profile', '../x'], '--profile'],
    [[], '--base-url'],
    [['--base-url', 'http://api.example.test'], 'unencrypted'],
    [['--base-url', 'https://u:p@api.example.test'], 'password'],
    [['--base-url', 'https://x.test', '--api-key-header', 'a b'], 'header'],
  ])('%j is rejected before a key is read', async (flags, words) => {
    const { formulary, config } = user();
    expectExit(await formulary(['auth', 'login', ...flags], { stdin: KEY }), 2, words, '');
    expect(readdirSync(config)).toEqual([]);
  });

  it('does not overwrite a file that it cannot read', async () => {
    const { formulary, profiles } = user();
    mkdirSync(profiles, { recursive: true, mode: 0o700 });
    writeFileSync(join(profiles, 'default.json'), '{"version": 9}', { mode: 0o600 });
    expectExit(await formulary(login('https://x.test', '--no-check'), { stdin: KEY }), 2, 'is damaged');
    expect(readFileSync(join(profiles, 'default.json'), 'utf8')).toBe('{"version": 9}');
    expect(await formulary(['auth', 'logout'])).toMatchObject({ code: 0 });
    expect(await formulary(login('https://x.test', '--no-check'), { stdin: KEY })).toMatchObject({ code: 0 });
  });

  it('is rejected without a folder for keys, before one is read', async () => {
    expectExit(await run(login('https://x.test'), { stdin: KEY }), 2, 'XDG_CONFIG_HOME', '');
  });
});

describe('auth logout', () => {
  it('removes the key', async () => {
    const { url } = await service();
    const { formulary, kept } = user();
    await formulary(login(url), { stdin: KEY });
    expect(await formulary(['auth', 'logout'])).toMatchObject({ code: 0, out: 'profile\tdefault\noutcome\tremoved\n' });
    expect(kept()).toEqual([]);
    expect(await formulary(['formula', 'list'])).toMatchObject({ code: 2 });
    expect(await formulary(['auth', 'logout', '--json'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('"not_kept"'),
    });
  });

  it.each([[['--profile', 'tset']], [[]]])('with %j lists the profiles if it does not exist', async (flags) => {
    const { formulary, kept } = user();
    await formulary(login('https://x.test', '--profile', 'test', '--no-check'), { stdin: KEY });
    expectExit(await formulary(['auth', 'logout', ...flags]), 2, /profile "(tset|default)" not found[\s\S]*test/);
    expect(kept()).toEqual(['test.json']);
  });
});

describe('auth status', () => {
  const status = async (
    formulary: ReturnType<typeof user>['formulary'],
    words: string[] = [],
    hostOptions: HostOptions = {},
  ) => {
    const ended = await formulary(['auth', 'status', '--json', ...words], hostOptions);
    return { ...ended, access: JSON.parse(ended.out) };
  };

  it('shows which key is used, its source, and that it is accepted', async () => {
    const { url } = await service();
    const file = join(folderWith({ key: KEY }), 'key');
    const { formulary } = user({ FORMULARY_BASE_URL: url });
    const accepted = { base_url: url, base_url_source: 'environment', key: '…cdef', profile: null, accepted: true };
    for (const [words, hostOptions, key_source] of [
      [['--api-key-file', file], {}, 'flag'],
      [['--api-key-stdin'], { stdin: KEY }, 'stdin'],
      [[], { env: { FORMULARY_API_KEY: KEY } }, 'environment'],
    ] as [string[], HostOptions, string][]) {
      expect(await status(formulary, words, hostOptions)).toMatchObject({
        code: 0,
        err: '',
        access: { ...accepted, key_source },
      });
    }
  });

  it('prints its result also if the key is rejected, and exits with 4', async () => {
    const { url } = await service();
    const { formulary } = user({ FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_unknown' });
    const { code, access, err } = await status(formulary);
    // Too short for its end to be told.
    expect({ code, access }).toMatchObject({ code: 4, access: { key: '[hidden]', accepted: false } });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'denied', status: 401 } });
  });

  it('prints its result without a key or a service, with the unknown values marked', async () => {
    const { formulary } = user({ FORMULARY_BASE_URL: 'http://127.0.0.1:1' });
    expect(await status(formulary)).toMatchObject({
      code: 4,
      access: { key: null, key_source: null, accepted: false },
    });
    const env = { FORMULARY_API_KEY: KEY };
    expect(await status(formulary, ['--retry-timeout', '0.1'], { env })).toMatchObject({
      code: 8,
      access: { key: '…cdef', accepted: null },
    });
  });

  it('prints one value per line on a terminal, without the key', async () => {
    const { url } = await service();
    const { formulary } = user();
    await formulary(login(url, '--profile', 'test'), { stdin: KEY });
    const { code, out, err } = await formulary(['auth', 'status', '--profile', 'test'], { columns: 80 });
    expectExit({ code, err }, 0, '');
    expect(out).toBe(
      `${[
        `base URL              ${url} (saved by auth login)`,
        'key                   …cdef (saved by auth login)',
        'header                SVC-API-KEY',
        'profile               test',
        'accepted for reading  yes',
        'saved profiles        test',
      ].join('\n')}\n`,
    );
  });
});
