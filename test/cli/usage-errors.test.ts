/** Usage errors in addition to the common ones in fixtures/errors.txt: one clear line, the right code, nothing on stdout. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

describe('a usage error', () => {
  it.each([
    ['formla list', ['formla', 'formula']],
    ['list', ['formula list']],
    ['start --port 1', ['service start']],
    ['login', ['auth login']],
    ['application list', ['service application']],
    ['service application crate', ['crate', 'create']],
    ['service application list --dtaa x', ['--dtaa', '--data', 'service application list --help']],
    ['formula list --naem x', ['--naem', '--name']],
    ['formula get', ['id|name']],
    ['formula get My formula', ['too many', '"formula"', 'Quote']],
    ['formula list x', ['formula list', '"x"']],
    ['formula remove x', ['remove', 'formula delete']],
    ['formula deploy x', ['formula push']],
    ['deploy x', ['formula push']],
    ['ls', ['list']],
    ['service application lst', ['service application list']],
    ['service application paint', ['create, list, delete']],
    ['paint', ['permissions, formula', 'Help topics: exit-codes, environment']],
    ['help enviroment', ['did you mean help environment?']],
    ['formula delete x -y', ['-y', 'did you mean --yes?']],
    ['formula val x', ["unknown command 'val'; did you mean formula validate?"]],
    ['formula push x --dry', ["unknown option '--dry'; did you mean --dry-run?"]],
    ['formula push x --conc=2', ['did you mean --concurrency?']],
    ['formula list -o yaml', ['yaml', 'json']],
    ['formula list --json -o table', ['--json']],
    ['formula list --type x --local', ['official', 'private']],
    ['formula get "" --local', ['empty']],
    ['formula delete "" --yes --local', ['empty']],
    ['formula list --name "" --local', ['invalid value "" for --name']],
    ['permissions list --application-type "" --local', ['invalid value "" for --application-type']],
    ['formula validate ""', ['empty']],
    ['formula validate /no/such/folder', ['/no/such/folder']],
    ['formula init /tmp/x --template cobol', ['cobol', 'js']],
    ['formula init /tmp/x --name \t --no-input', ['only whitespace', '1 to 200 characters']],
    ['formula list --target "" --local', ['--target must be a name (got an empty string)']],
    ['formula list --base-url http://[::1]:9 --api-key-file ""', ['--api-key-file must be a file', 'an empty string']],
    ['service start --port x', ['"x" for --port', '65535']],
    ['service start --port ""', ['"" for --port', '65535']],
    // Wrong words of a new user.
    ['version', ['--version']],
    ['-v', ['--version']],
    ['exitcodes', ['help exit-codes']],
    ['help exitcodes', ['help exit-codes']],
    ['--json formula list', ['formulary formula list']],
    ['--base-url https://api.example.com formula get x', ['formulary formula get']],
  ])('of %s exits with 2 and proposes a correction', async (line, words) => {
    const { code, out, err } = await run(
      line.split(' ').map((word) => word.replace('""', '')),
      { env: { FORMULARY_LOCAL_DATA: '/no/such/file' } },
    );
    expect({ code, out }).toEqual({ code: 2, out: '' });
    for (const word of words) expect(err).toContain(word);
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  it('proposes no flag that the command does not have', async () => {
    expect((await run(['formula', 'list', '-y'])).err).toMatch(
      /^error: unknown option '-y'\nhint: Run 'formulary formula list/,
    );
    expect((await run(['formula', 'list', '-f'])).err).not.toContain('--force');
  });

  it.each(['--api-key=secret-value', '--api-key secret-value', '--token=secret-value'])(
    'does not repeat a key that was passed as %s',
    async (flags) => {
      const { code, out, err } = await run(['formula', 'list', ...flags.split(' ')]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).not.toContain('secret-value');
    },
  );

  it('is one JSON line on stderr with --json', async () => {
    const { code, out, err } = await run(['formula', 'lst', '--json']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toMatchObject({
      error: { code: 'usage', exit_code: 2, message: expect.stringContaining('lst') },
    });
  });

  it.each([[[]], [['formula']], [['auth']], [['service']], [['service', 'application']]])(
    'for %j alone is its help on stderr, and exit code 2',
    async (argv) => {
      expectExit(await run(argv), 2, 'Usage:', '');
    },
  );

  it('without arguments is the help with examples', async () => {
    expect((await run([])).err).toBe((await run(['--help'])).out);
  });
});

describe('a command that a hint proposes', () => {
  it.each<[string[], string]>([
    [['--local'], 'formulary formula list --local\n'],
    [['--profile', 'local'], 'formulary formula list --profile local\n'],
    [['--base-url', 'URL'], 'formulary formula list --base-url URL\n'],
    [[], 'formulary formula list\n'],
  ])('uses the service of %j', async (flags, words) => {
    const { url } = await loopback((_, response) => json(response, 200, { data: [] }));
    const env = {
      FORMULARY_BASE_URL: url,
      FORMULARY_API_KEY: 'k',
      FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db'),
    };
    const typed = flags.map((flag) => flag.replace('URL', url));
    expectExit(await run(['formula', 'get', 'Missing', ...typed], { env }), 5, words.replace('URL', url));
  });
});

describe('help and version', () => {
  it.each([
    [['--help'], 'Usage: formulary'],
    [['help'], 'Usage: formulary'],
    [['formula', '--help'], 'Usage: formulary formula'],
    [['help', 'formula', 'create'], 'Usage: formulary formula create'],
    [['formula', 'help', 'create'], 'Usage: formulary formula create'],
    [['help', 'service', 'application'], 'Usage: formulary service application'],
    [['service', 'application', 'help', 'list'], 'Usage: formulary service application list'],
    [['formula', 'create', '--help'], 'Examples:'],
    [['--version'], '0.0.0-test\n'],
  ])('%j go to stdout with 0', async (argv, text) => {
    const { code, out, err } = await run(argv);
    expectExit({ code, err }, 0, '');
    expect(out).toContain(text);
  });

  it.each([
    ['permissions', 'list'],
    ['formula', 'init'],
    ['formula', 'validate'],
    ['formula', 'create'],
    ['formula', 'list'],
    ['formula', 'get'],
    ['formula', 'update'],
    ['formula', 'delete'],
    ['auth', 'login'],
    ['auth', 'logout'],
    ['auth', 'status'],
    ['service', 'start'],
    ['service application', 'create'],
    ['service application', 'list'],
    ['service application', 'delete'],
  ])('of %s %s has a description and examples that begin with its name', async (noun, verb) => {
    const { out } = await run([...noun.split(' '), verb, '--help']);
    expect(out).toContain(`formulary ${noun} ${verb}`);
    expect(out).toMatch(/Examples:\n( {2}| {2}\w+=\S+ )formulary/);
  });
});

describe('help on a narrow terminal', () => {
  it.each([40, 60, 80])('of %d columns wraps descriptions at words', async (columns) => {
    const lines = [
      '--help',
      'formula list --help',
      'formula push --help',
      ...(columns < 80 ? [] : ['formula edit --help']),
    ];
    for (const argv of lines.map((words) => words.split(' '))) {
      const { out } = await run(argv, { columns });
      // Examples stay as they are typed.
      const [items = ''] = out.slice(out.indexOf('\n\n')).split('\nExamples:');
      for (const line of items.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
    }
  });
});

describe('settings', () => {
  const list = ['formula', 'list'];

  it.each<[string, string, Record<string, string>, string]>([
    ['a key without a base URL', '', { FORMULARY_BASE_URL: '' }, '--local'],
    ['a key with a line break', '', { FORMULARY_API_KEY: 'sec\nret' }, 'line break'],
    ['a key outside ASCII', '', { FORMULARY_API_KEY: 'secrét' }, 'ASCII'],
    ['http on another host', '', { FORMULARY_BASE_URL: 'http://api.example.test' }, 'unencrypted'],
    ['another protocol', '', { FORMULARY_BASE_URL: 'ftp://x' }, 'https://'],
    ['a URL without a scheme', '', { FORMULARY_BASE_URL: 'example' }, 'https://'],
    ['a password in the URL', '', { FORMULARY_BASE_URL: 'https://u:p@x.test' }, 'password'],
    ['a query in the URL', '', { FORMULARY_BASE_URL: 'https://x.test?a=1' }, 'query'],
    ['an empty query', '', { FORMULARY_BASE_URL: 'http://127.0.0.1:1?' }, 'query'],
    ['an empty fragment', '', { FORMULARY_BASE_URL: 'http://127.0.0.1:1#' }, 'query'],
    ['an empty query after a path', '', { FORMULARY_BASE_URL: 'http://127.0.0.1:1/v1?' }, 'query'],
    ['an empty query and fragment', '', { FORMULARY_BASE_URL: 'http://127.0.0.1:1?#' }, 'query'],
    ['a quoted URL', '', { FORMULARY_BASE_URL: '"https://x.test"' }, 'FORMULARY_BASE_URL has quotes around its value'],
    ['a URL in single quotes', '', { FORMULARY_BASE_URL: "'http://x.test'" }, 'FORMULARY_BASE_URL has quotes around'],
    ['a proxy in quotes', '', { HTTP_PROXY: '"http://127.0.0.1:9"' }, 'HTTP_PROXY has quotes around its value'],
    ['--local with a base URL', '--local --base-url https://x.test', {}, '--local'],
    ['an unknown profile', '', { FORMULARY_PROFILE: 'prod', FORMULARY_BASE_URL: '' }, 'prod'],
    ['a time limit of 0', '--timeout 0', {}, '--timeout'],
    ['a time limit that is not a number', '', { FORMULARY_TIMEOUT: 'x' }, 'FORMULARY_TIMEOUT'],
    ['an invalid header name', '--api-key-header a=b', {}, 'header'],
    ['a missing key file', '--api-key-file /no/such', {}, '/no/such'],
    ['two sources of the key', '--api-key-file x --api-key-stdin', {}, '--api-key-stdin'],
  ])('%s ends before any request', async (_, flags, more, words) => {
    const env = { FORMULARY_BASE_URL: 'http://127.0.0.1:1', FORMULARY_API_KEY: 'k', ...more };
    const ended = await run([...list, ...flags.split(' ').filter(Boolean)], { env });
    expect(ended).toMatchObject({ code: 2, out: '', err: expect.stringContaining(words) });
    expect(ended.err).not.toMatch(/sec.?r[eé]t/);
    if (words.includes('quotes')) expect(ended.err).not.toContain('--insecure-http');
  });

  it('end with 4 for a key of whitespace', async () => {
    const env = { FORMULARY_BASE_URL: 'http://127.0.0.1:1', FORMULARY_API_KEY: ' \n' };
    expectExit(await run(list, { env }), 4, 'FORMULARY_API_KEY', '');
  });

  it.each([
    'https://u:S3cret@x y',
    'u:S3cret@x.test',
    'htps://x.test?key=S3cret',
    'https://u:S3c@ret@x.test:99999',
    'key_S3cretS3cretS3cret',
  ])('explain the error in the URL %j without its secrets', async (url) => {
    const ended = await run(list, { env: { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'k' } });
    expectExit(ended, 2, /FORMULARY_BASE_URL must be/, '');
    expect(ended.err).not.toMatch(/S3c|ret@/);
  });

  it.each(
    'Host connection Keep-Alive upgrade expect TE trailer transfer-encoding content-length content-type proxy-authorization accept-encoding'.split(
      ' ',
    ),
  )('reject the key header %s, also for the embedded service', async (name) => {
    for (const argv of [list, ['service', 'start']]) {
      const env = { FORMULARY_BASE_URL: 'http://127.0.0.1:1' };
      expectExit(await run([...argv, '--api-key-header', name], { env }), 2, `"${name}"`, '');
    }
  });

  it.each([
    'key_0123456789abcdefghijABCDEFGHIJ01',
    'c2VjcmV0/c2VjcmV0+c2VjcmV0MQ==',
    'eyJhbGciOiJ9.eyJzdWIi0.c2ln0c2ln0',
  ])('do not repeat a key that was passed as its file: %s', async (key) => {
    const ended = await run([...list, '--api-key-file', key], { env: { FORMULARY_BASE_URL: 'http://127.0.0.1:1' } });
    expectExit(ended, 2, 'ENOENT', '');
    expect(ended.err).not.toContain(key);
  });

  it.each<[string, string[], Record<string, string>, string]>([
    ['the environment', [], { FORMULARY_API_KEY: ' key-env\n' }, 'key-env'],
    ['standard input', ['--api-key-stdin'], { FORMULARY_API_KEY: 'key-env' }, 'key-stdin'],
    ['a file', ['--api-key-file', 'FILE'], { FORMULARY_API_KEY: 'key-env' }, 'key-file'],
  ])('read the key from %s, a flag before the environment', async (_, flags, env, key) => {
    const { url, requests } = await loopback((_request, response) => json(response, 200, []));
    const file = join(folderWith({ key: 'key-file\n' }), 'key');
    const words = flags.map((flag) => (flag === 'FILE' ? file : flag));
    const other = { ...env, FORMULARY_BASE_URL: 'https://other.test' };
    const argv = ['permissions', 'list', '--base-url', url, ...words];
    expect((await run(argv, { env: other, stdin: 'key-stdin\r\n' })).code).toBe(0);
    expect(requests[0]?.headers['svc-api-key']).toBe(key);
  });

  it('send the key in a custom header', async () => {
    const { env, requests } = await loopback((_, response) => json(response, 200, []));
    await run(['permissions', 'list'], { env: { ...env, FORMULARY_API_KEY: 'k', FORMULARY_API_KEY_HEADER: 'X-Key' } });
    expect(requests[0]?.headers).toMatchObject({ 'x-key': 'k' });
    expect(requests[0]?.headers).not.toHaveProperty('svc-api-key');
  });

  it('allow http to another computer only with a flag, and a warning', async () => {
    const env = { FORMULARY_BASE_URL: 'http://formulary.invalid', FORMULARY_API_KEY: 'k' };
    expect(await run(['permissions', 'list', '--insecure-http', '--retry-timeout', '0.1'], { env })).toMatchObject(
      exitsWith(8, 'warning: the API key is sent unencrypted to formulary.invalid'),
    );
  });

  it('of a project do not decide where the key is sent', async () => {
    const { url, requests } = await loopback((_, response) => json(response, 200, []));
    const cwd = folderWith({
      ...cardFiles(),
      '.env': `FORMULARY_BASE_URL=${url}`,
      '.npmrc': `base-url=${url}`,
      'package.json': JSON.stringify({ formulary: { baseUrl: url } }),
    });
    expect(await run(['formula', 'create', '.'], { cwd, env: { FORMULARY_API_KEY: 'k' } })).toMatchObject({ code: 2 });
    expect(requests).toEqual([]);
  });
});

describe('hostile names', () => {
  it('are escaped on a terminal and in a log, and preserved in JSON', async () => {
    const name = '\x1b[2J\u202e\u009b::error::x\r\n';
    const { url } = await loopback((_, response) => json(response, 200, { data: [{ id: '::error::1', name }] }));
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'k' };
    for (const columns of [undefined, 80]) {
      const { out } = await run(['formula', 'list'], { env, ...(columns && { columns }) });
      expect(out.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(/[\p{Cc}\u202e]/u);
      expect(out).not.toMatch(/^::/m);
    }
    expect(JSON.parse((await run(['formula', 'list', '--json'], { env })).out)[0].name).toBe(name);
  });
});
