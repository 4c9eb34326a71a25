/** The key is never printed or stored: every command of the tool against every way to leak it. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCommandPaths } from '../src/cli/command-table.ts';
import { EXIT_CODES } from '../src/errors.ts';
import { main } from '../src/main.ts';
import { folderWith } from './helpers/folders.ts';
import { ANSWERS, holding } from './helpers/key-answers.ts';
import { ID, type KeyComputer, keyComputer, ROWS } from './helpers/key-computer.ts';
import { type Certificate, loopback } from './helpers/loopback.ts';
import { MARKED_KEYS, searchFor } from './helpers/marked-key.ts';
import { forwardProxy } from './helpers/proxy.ts';
import { testHost } from './helpers/test-host.ts';

const [PLAIN_KEY, KEY, CI_KEY] = MARKED_KEYS;
const KNOWN_CODES: readonly number[] = Object.values(EXIT_CODES).filter((code) => code !== EXIT_CODES.bug);
const PATHS = Object.keys(ROWS);
const ASKING = PATHS.filter((path) => ROWS[path]?.('').asks);
/** Commands that fail in different ways before a response. */
const FEW = ['formula list', 'formula create', 'formula push', 'auth status', 'auth login', 'doctor'];
const SILENT = PATHS.filter((path) => !ASKING.includes(path));

describe('the rows of the commands', () => {
  it('are those of the command tree', () => {
    const paths = listCommandPaths().map((path) => path.join(' '));
    expect([...PATHS].sort()).toEqual(paths.sort());
  });
});

/** Runs commands, every second one as scripts read it; each ends with a code that means something. */
async function runAll(hostOptions: KeyComputer, paths: readonly string[], isJsonFirst = false): Promise<void> {
  for (const [i, path] of paths.entries()) {
    const flags = (i % 2 === 0) === isJsonFirst && ASKING.includes(path) ? ['--json'] : [];
    expect(KNOWN_CODES, `${path} ${flags}`).toContain(await hostOptions.command(path, ...flags));
  }
}

describe('the key is never printed or stored', () => {
  it.each(ANSWERS)('if the response to every command is %s', async (name, answer) => {
    const { url } = await loopback((request, response) => answer(response, KEY, request));
    const hostOptions = keyComputer(KEY, url);
    await runAll(hostOptions, ASKING);
    if (name.startsWith('formulas')) await runAll(hostOptions, ASKING, true);
    expect(hostOptions.leaks()).toEqual([]);
  });

  it.each([PLAIN_KEY, CI_KEY])('if it is %s', async (key) => {
    for (const [name, answer] of ANSWERS.filter(([name]) => /^(401|formulas that hold it)$/.test(name))) {
      const { url } = await loopback((request, response) => answer(response, key, request));
      const hostOptions = keyComputer(key, url);
      await runAll(hostOptions, ASKING, name === '401');
      expect(hostOptions.leaks()).toEqual([]);
    }
  });

  it.each(MARKED_KEYS)('if local formulas contain it, in commands without requests too: %s', async (key) => {
    const { url } = await loopback((request, response) => holding(() => ID)(response, key, request));
    const hostOptions = keyComputer(key, url);
    await runAll(hostOptions, SILENT);
    for (const words of ['push keyed card', 'push broken', 'diff keyed', 'create keyed', 'create broken --dry-run'])
      await hostOptions.line(['formula', ...words.split(' '), '--verbose', '--debug']);
    expect(hostOptions.leaks()).toEqual([]);
  });

  it('if it is passed in the wrong place', async () => {
    const hostOptions = keyComputer(KEY, 'http://127.0.0.1:1');
    const flags = ['output', 'fields', 'limit', 'type', 'timeout', 'retry-timeout', 'profile', 'base-url', 'target'];
    const files = ['api-key-file', 'api-key-header', 'ca-file', 'report', KEY];
    for (const flag of [...flags, ...files]) await hostOptions.line(['formula', 'list', `--${flag}`, KEY]);
    for (const words of [
      [],
      ['formula'],
      ['formula', 'get'],
      ['help'],
      ['formula', 'push'],
      ['formula', 'link', 'card'],
      ['formula', 'run', 'card', '--args'],
    ]) {
      for (const more of [[], ['--json']]) expect(await hostOptions.line([...words, KEY, ...more])).not.toBe(0);
    }
    await hostOptions.line(['formula', 'push', 'card', '--report', `junit=${KEY}/x`]);
    expect(hostOptions.leaks()).toEqual([]);
  });

  it.each<[string, string, (key: string) => Record<string, string>]>([
    ['no key at all', '', () => ({ FORMULARY_API_KEY: '' })],
    ['a line break in it', 'line break', (key) => ({ FORMULARY_API_KEY: `${key}\n${key}` })],
    ['a C1 character in it', 'outside ASCII', (key) => ({ FORMULARY_API_KEY: `${key}\u0085` })],
    ['its header as the name of a header', 'no header name', (key) => ({ FORMULARY_API_KEY_HEADER: key })],
    ['it as an address', '', (key) => ({ FORMULARY_BASE_URL: `https://${key}@api.invalid/` })],
    ['a state folder that cannot be written', '', () => ({ XDG_STATE_HOME: '/dev/null/state' })],
    ['a proxy with its password', '', (key) => ({ HTTP_PROXY: `http://user:${encodeURIComponent(key)}@127.0.0.1:1` })],
  ])('with invalid settings: %s', async (_, __, env) => {
    const { url } = await loopback((request, response) => holding(() => ID)(response, KEY, request));
    const hostOptions = keyComputer(KEY, url, env(KEY));
    await runAll(hostOptions, FEW);
    expect(hostOptions.leaks()).toEqual([]);
  });

  it.each<Certificate>(['self-signed', 'expired', 'other-host'])(
    'when the certificate is wrong: %s',
    async (certificate) => {
      const { url } = await loopback((_, response) => response.end(), '127.0.0.1', certificate);
      const hostOptions = keyComputer(KEY, url);
      await runAll(hostOptions, FEW);
      expect(hostOptions.leaks()).toEqual([]);
    },
  );

  it.each([401, 403, 407, 502])('if a proxy rejects with %d', async (status) => {
    const { host } = await forwardProxy({ status });
    const proxy = `http://user:${encodeURIComponent(KEY)}@${host}`;
    for (const base of ['http://127.0.0.1:1', 'https://api.invalid']) {
      const hostOptions = keyComputer(KEY, base, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy });
      await runAll(hostOptions, ['formula list', 'formula create', 'auth status']);
      expect(hostOptions.leaks()).toEqual([]);
    }
  });

  it('if nothing listens, or the response is too late', async () => {
    const { url } = await loopback(() => undefined);
    for (const base of ['http://127.0.0.1:1', 'https://api.invalid', url]) {
      const hostOptions = keyComputer(KEY, base, { FORMULARY_TIMEOUT: '0.02' });
      await runAll(hostOptions, ['formula list', 'formula create']);
      expect(hostOptions.leaks()).toEqual([]);
    }
  });

  it('if the tool itself fails, or is interrupted', async () => {
    const { url } = await loopback((request, response) => holding(() => ID)(response, KEY, request));
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: KEY, XDG_STATE_HOME: join(folderWith(), 'state') };
    const broken = () => {
      throw new TypeError(`no method of ${KEY}, nor of ${JSON.stringify({ KEY })}`);
    };
    const stopping = AbortSignal.abort('SIGINT');
    for (const [part, code] of [
      [{ cwd: broken }, 70],
      [{ now: broken }, 70],
      [{ stopping }, 130],
    ] as const) {
      for (const words of [
        ['formula', 'push', 'card', '--debug'],
        ['formula', 'list', '--json'],
        ['formula', 'history'],
      ]) {
        const { host, texts } = testHost({ env });
        const ended = await main(words, { ...host, ...part });
        expect([0, 2, code]).toContain(ended);
        expect(searchFor(KEY)(texts.out + texts.err)).toEqual([]);
      }
    }
  });
});
