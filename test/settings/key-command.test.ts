import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withRedaction } from '../../src/host/host.ts';
import { parseKeyCommand, runKeyCommand } from '../../src/settings/key-command.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { exitsWith, expectExit, run, testHost } from '../helpers/test-host.ts';

const KEY = 'key_0123456789abcdef';

describe('a key command', () => {
  it.each<[string, string, string[]]>([
    ['op read op://team/formulary/key', 'linux', ['op', 'read', 'op://team/formulary/key']],
    [`a 'b c'  "d \\"e\\" \\$f" g\\ h ''`, 'linux', ['a', 'b c', 'd "e" $f', 'g h', '']],
    [`sh -c 'echo "$HOME" | x'`, 'darwin', ['sh', '-c', 'echo "$HOME" | x']],
    [`C:\\op\\op.exe read "a b\\c"`, 'win32', ['C:\\op\\op.exe', 'read', 'a b\\c']],
    ['cmd /c key.cmd', 'win32', ['cmd', '/c', 'key.cmd']],
  ])('%s is split as on %s', (command, platform, words) => {
    expect(parseKeyCommand(command, platform)).toEqual(words);
  });

  it.each([
    ['', 'linux', 'must be a command'],
    [`op 'read`, 'linux', 'a quote that is not closed'],
    ['C:\\tools\\key.CMD', 'win32', 'must not be a batch file'],
  ])('%j is rejected on %s', (command, platform, message) => {
    expect(() => parseKeyCommand(command, platform)).toThrow(message);
  });
});

describe.runIf(process.platform !== 'win32')('the key of a command', () => {
  const read = async (command: string, timeoutMs?: number) => {
    const { host, texts } = testHost({ env: { PATH: process.env['PATH'] ?? '', FORMULARY_API_KEY: 'key_of-another' } });
    const find = async () => runKeyCommand(command, 'prod', withRedaction(host), timeoutMs);
    const key = await find().catch((error: unknown) => error);
    return { key, err: texts.err };
  };

  it('is its trimmed output; what it prints on stderr is shown without the key', async () => {
    const { key, err } = await read(`sh -c 'echo "unlocked ${KEY}" >&2; echo "  ${KEY}  "'`);
    expect(key).toMatchObject({ source: 'the key command of the profile "prod"' });
    expect(err).toBe('unlocked [hidden]\n');
  });

  it('is missing (4) if the command does not end within its time', async () => {
    const { key } = await read('sleep 60', 100);
    expect(key).toMatchObject({ outcome: 'denied', message: expect.stringContaining('did not finish within 0.1 s') });
  });

  it.each([
    ['no-such-program-here', 'no-such-program-here was not found'],
    [`sh -c 'echo ${KEY}; exit 3'`, 'sh exited with code 3'],
    [`sh -c 'echo ${KEY}; kill $$'`, 'sh was ended by SIGTERM'],
    ['true', 'true printed nothing'],
    [`printf '${KEY}\\nsecond'`, 'printf printed more than one line, or characters that no key has'],
    ['yes', 'yes printed too much'],
  ])('is missing (4) if %s fails, without its output', async (command, reason) => {
    const { key, err } = await read(command);
    expect(key).toMatchObject({
      outcome: 'denied',
      message: `the key command of the profile "prod" failed: ${reason}`,
    });
    expect(err).toBe('');
  });

  it('does not get the keys of the environment, and runs outside of the project', async () => {
    const out = join(folderWith(), 'out');
    await read(`sh -c 'echo "$FORMULARY_API_KEY:$(pwd)" > ${out}'`);
    expect(readFileSync(out, 'utf8')).toBe(':/\n');
  });
});

describe.runIf(process.platform !== 'win32')('auth login --key-command', () => {
  it('saves the command, which then runs once per command, and no key', async () => {
    const sent = new Set<unknown>();
    const { url } = await loopback(({ headers }, response) => {
      sent.add(headers['svc-api-key']);
      json(response, 200, { data: [] });
    });
    const [config, runs] = [folderWith(), join(folderWith(), 'runs')];
    // A project with a program of the same name.
    const cwd = folderWith({ ...cardFiles(), sh: 'echo key_of-the-project' });
    const env = { XDG_CONFIG_HOME: config, PATH: `.:${process.env['PATH']}` };
    const keyCommand = `sh -c 'echo run >> ${runs}; echo ${KEY}'`;
    const login = ['auth', 'login', '--base-url', url, '--key-command', keyCommand, '--json'];
    const saved = await run(login, { cwd, env });
    expect(JSON.parse(saved.out)).toMatchObject({ key: '…cdef', key_source: 'command', accepted: true });
    const file = readFileSync(join(config, 'formulary/profiles/default.json'), 'utf8');
    const profile = { version: 1, base_url: url, api_key_header: 'SVC-API-KEY', key_command: keyCommand };
    expect(JSON.parse(file)).toEqual(profile);
    writeFileSync(runs, '');
    const pushed = await run(['formula', 'push', '.', '--debug', '--no-history'], { cwd, env });
    expect(readFileSync(runs, 'utf8')).toBe('run\n');
    expect([...sent]).toEqual([KEY]);
    expect(saved.err + pushed.out + pushed.err).not.toContain(KEY);
    const status = await run(['auth', 'status'], { cwd, env });
    expect(status.out).toContain('key command saved by auth login');
  });

  it('cannot be combined with a key', async () => {
    const login = 'auth login --base-url https://a.test --key-command x --api-key-stdin'.split(' ');
    expect(await run(login, { env: { XDG_CONFIG_HOME: folderWith() } })).toMatchObject(
      exitsWith(2, '--key-command and --api-key-stdin cannot be used together'),
    );
  });
});

describe('FORMULARY_API_KEY_FILE', () => {
  it('is the file of the key, and cannot be combined with FORMULARY_API_KEY', async () => {
    const { url, requests } = await loopback((_request, response) => json(response, 200, { data: [] }));
    const file = join(folderWith({ key: `${KEY}\n` }), 'key');
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY_FILE: file };
    expectExit(await run(['formula', 'list', '--json'], { env }), 0, '');
    expect(requests[0]?.headers['svc-api-key']).toBe(KEY);
    const status = await run(['auth', 'status', '--json'], { env });
    expect(JSON.parse(status.out)).toMatchObject({ key: '…cdef', key_source: 'environment_file' });
    expect(await run(['formula', 'list'], { env: { ...env, FORMULARY_API_KEY: 'key_of-mine' } })).toMatchObject(
      exitsWith(2, 'cannot be used together'),
    );
    expect(await run(['formula', 'list'], { env: { ...env, FORMULARY_API_KEY_FILE: '/nowhere/key' } })).toMatchObject(
      exitsWith(2, 'FORMULARY_API_KEY_FILE /nowhere/key'),
    );
    expect(requests).toHaveLength(2);
  });
});
