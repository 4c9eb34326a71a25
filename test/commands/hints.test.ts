import { openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_BODY, cardFiles, folderWith, formulas, formulaTree, inFolder } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

const ID = '0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d11';
/** A service that rejects each request with a status. */
const rejecting = async (status: number) => (await loopback((_, response) => json(response, status, {}))).env;

describe('the hint for a rejected key', () => {
  it('proposes to unset the variable, which takes precedence over a saved key', async () => {
    expect(await run(['formula', 'list'], { env: await rejecting(401) })).toMatchObject(
      exitsWith(4, /unset FORMULARY_API_KEY and run: formulary auth login\n/),
    );
  });

  it('does not propose auth login while it runs', async () => {
    const { FORMULARY_BASE_URL = '' } = await rejecting(401);
    const env = { FORMULARY_BASE_URL, XDG_CONFIG_HOME: folderWith() };
    const { code, err } = await run(['auth', 'login'], { env, stdin: 'key-from-standard-input' });
    expect(code).toBe(4);
    expect(err).toContain('Check the key');
    expect(err).not.toContain('run: formulary auth login');
    expect(err).not.toContain('--no-check');
  });

  it('does not propose auth status while it runs', async () => {
    const ended = await run(['auth', 'status'], { env: await rejecting(403) });
    expectExit(ended, 4, 'requires the permission reactor:read');
    expect(ended.err).not.toContain('auth status');
  });
});

it('does not propose --debug to a command that has it', async () => {
  const env = await rejecting(405);
  expect((await run(['formula', 'list'], { env })).err).toContain('hint: Run the command again with --debug');
  expect((await run(['formula', 'list', '--debug'], { env })).err).toContain("hint: Send this output to the service's");
});

describe('a key', () => {
  it('that is missing on standard input of auth login is not read from a variable', async () => {
    const env = { XDG_CONFIG_HOME: folderWith() };
    const ended = await run(['auth', 'login', '--base-url', 'https://api.example.com'], { env, stdin: '' });
    expectExit(ended, 4, 'Write the key to standard input, or pass --api-key-file FILE.');
    expect(ended.err).not.toContain('FORMULARY_API_KEY');
  });

  it.each(['"key-in-quotes"', "'key-in-quotes'"])('in quotes is rejected before any request: %s', async (key) => {
    const { env, requests } = await loopback((_, response) => json(response, 200, { data: [] }));
    const ended = await run(['formula', 'list'], { env: { ...env, FORMULARY_API_KEY: key } });
    expectExit(ended, 2, 'FORMULARY_API_KEY has quotes around its value');
    expect(ended.err).not.toContain('key-in-quotes');
    expect(requests).toEqual([]);
  });
});

it.each(['create', 'update'])('formula %s of a folder of formulas proposes push', async (verb) => {
  const cwd = folderWith(inFolder('all', formulas('a', 'b')));
  const { code, err } = await run(['formula', verb, 'all', '--local'], { cwd });
  expect(code).toBe(3);
  expect(err).toContain('all contains formulas, but is not one itself');
  expect(err).toContain('run: formulary formula push all\n');
  expect(err).not.toContain('formula init');
});

it('a diff without differences prints nothing on stdout', async () => {
  const { url, env } = await loopback((_, response) => json(response, 200, { data: [{ id: ID, ...CARD_BODY }] }));
  const cwd = folderWith(inFolder('card', cardFiles()));
  const err = `Service: ${url}\nnothing to do: 1 up to date\n`;
  expect(await run(['formula', 'diff', 'card'], { cwd, env })).toEqual({ code: 0, out: '', err });
});

it('a command in a message ends its line, so that a terminal can show it unbroken', () => {
  const src = join(import.meta.dirname, '../../src');
  const lines = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      readFileSync(join(src, file), 'utf8')
        .split('\n')
        .flatMap((line) => line.match(/(?:,|and) run: (?!async)(?:\$\{[^}]*\}|\\(?!n)|[^\\'`])*/g) ?? [])
        .map((text) => `${file}: ${text}`),
    );
  expect(lines.length).toBeGreaterThan(40);
  expect(lines.filter((line) => /run: .*([.;] [A-Z]| \()/.test(line))).toEqual([]);
});

describe('a push of several formulas', () => {
  const rejecting422 = () =>
    loopback(({ method }, response) =>
      method === 'GET'
        ? json(response, 200, { data: [] })
        : json(response, 422, { detail: 'no', errors: { request_parameters: ['not allowed'] } }),
    );

  it('shows each rejected field on a line of its own, and one hint', async () => {
    const { env } = await rejecting422();
    const cwd = formulaTree('a', 'b');
    const { code, err } = await run(['formula', 'push', '.', '--no-lock'], { cwd, env });
    expect(code).toBe(1);
    expect(err).toMatch(/^ {2}a\/manifest\.json:\d+:\d+ request_parameters: not allowed$/m);
    expect(err).toMatch(/^ {2}b\/manifest\.json:\d+:\d+ request_parameters: not allowed$/m);
    expect(err.match(/^hint: .*run the command again/gm)).toHaveLength(1);
    expect(err).toMatch(/\n2 failed on http:\S+\nhint: .*\n$/);
  });

  it('contains the name of each formula whose update failed', async () => {
    const formula = { id: ID, ...CARD_BODY };
    const { env } = await loopback(({ method }, response) =>
      method === 'GET' ? json(response, 200, { data: [formula] }) : json(response, 400, { title: 'no' }),
    );
    const cwd = folderWith(inFolder('card', cardFiles({ description: 'Changed' })));
    const { err } = await run(['formula', 'push', 'card', '--no-lock'], { cwd, env });
    expect(err).toContain('error: could not update the formula "Tokenize a card": PUT');
  });

  it('names the commands that were not started', async () => {
    const { env } = await rejecting422();
    const cwd = formulaTree('a', 'b');
    const words = ['formula', 'push', '.', '--no-lock', '--fail-fast', '--concurrency', '1'];
    expect((await run(words, { cwd, env })).err).toMatch(
      /\n1 failed, 1 not started on http:\S+\nhint: .*\nnext: fix the errors above/,
    );
  });

  it('without a path shows how to publish the current folder', async () => {
    const hint = 'Pass folders of formulas. For the formulas in the current folder, pass a dot (.).';
    const err = `error: missing required argument 'path'\nhint: ${hint}\n`;
    expect(await run(['formula', 'push', '--local'])).toMatchObject({ code: 2, err });
  });
});

it('a misspelled folder gets the name of the similar one', async () => {
  const cwd = folderWith(inFolder('formulas/card', cardFiles()));
  const misspelled = async (path: string) => (await run(['formula', 'validate', path], { cwd })).err;
  expect(await misspelled('formulsa')).toBe('error: no such directory: formulsa; did you mean formulas?\n');
  expect(await misspelled('formulas/crad')).toContain('did you mean formulas/card?');
  expect(await misspelled('other')).toContain('To create it, run: formulary formula init other\n');
});

describe('auth', () => {
  it('login is proposed with a profile of its own if it would replace another login', async () => {
    const env = { XDG_CONFIG_HOME: folderWith() };
    const words = ['formula', 'list', '--base-url', 'https://b.example.com'];
    expect((await run(words, { env })).err).toMatch(
      /run: formulary auth login --base-url https:\/\/b\.example\.com\n$/,
    );
    const login = ['auth', 'login', '--no-check', '--base-url', 'https://a.example.com'];
    await run(login, { env, stdin: 'key-from-standard-input' });
    expect((await run(words, { env })).err).toMatch(/--base-url https:\/\/b\.example\.com --profile NAME\n$/);
  });

  it('login shows which login it replaced, and logout which one it removed', async () => {
    const { url } = await loopback((_, response) => json(response, 200, { data: [] }));
    const env = { XDG_CONFIG_HOME: folderWith() };
    const login = (baseUrl: string) =>
      run(['auth', 'login', '--no-check', '--base-url', baseUrl], { env, stdin: 'key-from-standard-input' });
    expect((await login(url)).err).toBe(`Logged in to ${url}.\n`);
    expect((await login(url)).err).toBe(`Logged in to ${url}.\n`);
    expect((await login('https://api.example.com')).err).toBe(
      `Logged in to https://api.example.com.\nThis replaced the login to ${url}. To save several, pass --profile NAME.\n`,
    );
    expect((await run(['auth', 'logout'], { env })).err).toBe('Removed the saved login default.\n');
    expect((await run(['auth', 'logout'], { env })).err).toBe('No login was saved.\n');
  });
});

describe('a folder that is not valid', () => {
  const invalid = (name: string) => inFolder(name, { ...cardFiles({ name }), 'code.js': 'module.exports = {' });
  const newFolder = () => folderWith({ ...invalid('a'), ...invalid('b') });

  it.each(['push --dry-run --json a', 'create --json a', 'diff --json a', 'diff --json .'])(
    'has no hint that refers to findings above with --json: %s',
    async (words) => {
      const { code, err } = await run(['formula', ...words.split(' '), '--local'], { cwd: newFolder() });
      expect(code).toBe(3);
      expect(err).not.toContain('above');
    },
  );

  it('is named by diff', async () => {
    const cwd = newFolder();
    const diff = async (path: string) => (await run(['formula', 'diff', path, '--local'], { cwd })).err;
    expect(await diff('a')).toMatch(
      /\nerror: a is not a valid formula; nothing was compared\nhint: Fix the errors, then run: formulary formula validate a\n$/,
    );
    expect(await diff('.')).toMatch(/\nerror: 2 formulas are invalid: a, b; nothing was compared\n/);
  });
});

it.each([
  ['validate ', 'PATH'],
  ['push ', 'PATH'],
  ['create ', 'DIR'],
])('an empty argument of %sis named as in the usage', async (words, name) => {
  const { code, err } = await run(['formula', ...words.split(' ')]);
  expect({ code, err }).toEqual({
    code: 2,
    err: `error: ${name} must be the path of a formula folder (got an empty string)\n`,
  });
});

it.runIf(process.platform !== 'win32')(
  'a pipe of the shell is not repeated, as no other command can read it',
  async () => {
    const pipe = `/dev/fd/${openSync(join(folderWith({ key: '' }), 'key'), 'r')}`;
    const { code, err } = await run(['formula', 'list', '--base-url', 'http://127.0.0.1:1', '--api-key-file', pipe]);
    expectExit({ code, err }, 4, 'hint: Write the key to the pipe of --api-key-file, or pass another');
    expect(err).not.toContain(pipe);
  },
);
