/** The routes to a service over real sockets: proxies, certificates, reused connections, and their failures. */
import { lookup } from 'node:dns/promises';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith } from '../../helpers/folders.ts';
import { AUTHORITY, type Certificate, json, listening, loopback, type Respond } from '../../helpers/loopback.ts';
import { forwardProxy } from '../../helpers/proxy.ts';
import { exitsWith, expectExit, run } from '../../helpers/test-host.ts';

const KEY = 'key_of_the_roads';
const ID = '33333333-3333-4333-8333-333333333333';
const LIST = ['permissions', 'list'];
const TRUST = ['--ca-file', AUTHORITY];
const PERMISSION = [{ type: 'reactor:read', description: 'Read', application_types: ['management'] }];
const answer: Respond = (_, response) => json(response, 200, PERMISSION);
const OK = { code: 0, err: '', out: expect.stringContaining('reactor:read') };

/** Sends a request to a service, with the proxy variables of the environment. */
const ask = (url: string, env: Record<string, string> = {}, words: string[] = []) =>
  run([...LIST, '--base-url', url, ...words], { env: { FORMULARY_API_KEY: KEY, ...env } });

describe('an https service behind a proxy', () => {
  it('is reached through a tunnel that gets the host but no key', async () => {
    const { url, requests } = await loopback(answer, '127.0.0.1', 'loopback');
    const { host, asked } = await forwardProxy();
    expect(await ask(url, { HTTPS_PROXY: `http://${host}` }, TRUST)).toEqual(OK);
    expect(requests[0]?.headers).toMatchObject({ 'svc-api-key': KEY });
    expect(asked.map(({ method, target }) => `${method} ${target}`)).toEqual([`CONNECT ${new URL(url).host}`]);
    expect(JSON.stringify(asked)).not.toContain(KEY);
  });

  it('needs no DNS on this computer, and is verified by its own name', async () => {
    const { url } = await loopback(answer, '127.0.0.1', 'other-host');
    const { host, asked } = await forwardProxy();
    const named = url.replace('127.0.0.1', 'other.test');
    expect(await ask(named, { https_proxy: host }, TRUST)).toEqual(OK);
    expect(asked[0]).toMatchObject({ target: new URL(named).host, headers: { host: new URL(named).host } });
  });

  it.each([
    [407, 1, 'authentication required (407)', 'HTTPS_PROXY'],
    [403, 1, 'connection not allowed (403)', 'NO_PROXY'],
    [502, 3, 'the service is not reachable (502)', 'NO_PROXY'],
  ])('is not reached if the proxy returns %d', async (status, times, words, hint) => {
    const { host, asked } = await forwardProxy({ status });
    const { code, out, err } = await ask('https://api.example.com', { HTTPS_PROXY: host });
    expect({ code, out }).toEqual({ code: 8, out: '' });
    expect(err).toContain(words);
    expect(err).toContain(`(through the proxy ${host} from HTTPS_PROXY) failed`);
    expect(err).toMatch(new RegExp(`hint: .*${hint}`));
    expect(asked).toHaveLength(times);
    expect(asked[0]?.target).toBe('api.example.com:443');
  });
});

describe('an http service behind a proxy', () => {
  it('is requested by the proxy with the complete URL', async () => {
    const { url, requests } = await loopback(answer);
    const { host, asked } = await forwardProxy();
    expect(await ask(`${url}/v1`, { HTTP_PROXY: host })).toEqual(OK);
    expect(requests[0]).toMatchObject({ url: '/v1/permissions', headers: { 'svc-api-key': KEY, host: url.slice(7) } });
    expect(asked).toMatchObject([{ method: 'GET', target: `${url}/v1/permissions`, headers: { host: url.slice(7) } }]);
  });

  it('distinguishes a login of the proxy from one of the service', async () => {
    const { host } = await forwardProxy({ status: 407 });
    expectExit(await ask('http://127.0.0.1:1', { HTTP_PROXY: host }), 8, 'authentication required (407)');
    const { url } = await loopback((_, response) => json(response, 407, { title: 'Odd' }));
    expectExit(await ask(url), 1, 'Odd');
  });

  it('on this computer is not reached through another computer, unless that is allowed', async () => {
    const env = { HTTP_PROXY: 'http://user:s3cretword@proxy.invalid:3128' };
    const refused = await ask('http://127.0.0.1:1', env);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(/unencrypted to the proxy proxy\.invalid:3128\nhint: .*NO_PROXY=127\.0\.0\.1/);
    const allowed = await ask('http://127.0.0.1:1', env, ['--insecure-http']);
    expect(allowed).toMatchObject({ code: 8 });
    expect(allowed.err).toContain('warning: the API key is sent unencrypted to proxy.invalid:3128\n');
    expect(refused.err + allowed.err).not.toContain('s3cretword');
  });
});

describe('a proxy', () => {
  const kinds: [certificate: Certificate | undefined, secure: boolean][] = [
    [undefined, true],
    [undefined, false],
    ['loopback', true],
    ['loopback', false],
  ];
  it.each(kinds)(
    'with the certificate %s and https to the service: %s gets the login, but neither the service nor the output does',
    async (certificate, isSecure) => {
      const { url, requests } = await loopback(answer, '127.0.0.1', isSecure ? 'loopback' : undefined);
      const { host, asked } = await forwardProxy(certificate ? { certificate } : {});
      const proxy = `${certificate ? 'https' : 'http'}://us%40er:s3cret%23word@${host}`;
      const { code, out, err } = await ask(url, { ALL_PROXY: proxy }, [...TRUST, '--debug', '--json']);
      expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: PERMISSION });
      const basic = Buffer.from('us@er:s3cret#word').toString('base64');
      expect(asked[0]?.headers['proxy-authorization']).toBe(`Basic ${basic}`);
      expect(err).toContain(`requests go to ${url} (through the proxy ${host} from ALL_PROXY)\n`);
      expect(err + JSON.stringify(requests.map(({ headers }) => (isSecure ? headers : {})))).not.toMatch(
        /s3cret|Basic/,
      );
    },
  );

  it.each<[Certificate, string]>([
    ['other-host', 'the certificate is for another host (DNS:other.test) (ERR_TLS_CERT_ALTNAME_INVALID)'],
    ['expired', 'the certificate has expired (CERT_HAS_EXPIRED)'],
  ])('with an invalid certificate (%s) gets nothing', async (certificate, words) => {
    const { host, asked } = await forwardProxy({ certificate });
    for (const url of ['https://127.0.0.1:1', 'http://127.0.0.1:1']) {
      expectExit(await ask(url, { ALL_PROXY: `https://${host}` }, TRUST), 8, `failed at the proxy: ${words}`);
    }
    expect(asked).toEqual([]);
  });

  it.each([
    ['127.0.0.1:1', 'failed after 3 attempts at the proxy: connection refused (ECONNREFUSED)'],
    ['proxy.invalid', 'failed after 3 attempts at the proxy: host not found (ENOTFOUND)'],
  ])('that does not exist (%s) is the reported cause', async (proxy, words) => {
    const { code, err } = await ask('https://api.example.com', { HTTPS_PROXY: proxy });
    expect(code).toBe(8);
    expect(err).toContain(words);
    expect(err).toMatch(/hint: .*HTTPS_PROXY/);
  });

  it('that does not use HTTP is the reported cause', async () => {
    const host = await listening(createServer((socket) => socket.end('SSH-2.0-x\r\n')));
    const { code, err } = await ask('https://api.example.com', { HTTPS_PROXY: host });
    expect({ code, named: err.includes('failed at the proxy: the response is not HTTP') }).toEqual({
      code: 8,
      named: true,
    });
  });

  it.each<[string, (socket: Socket) => void]>([
    ['at once', (socket) => socket.end()],
    ['with a reset at once', (socket) => socket.resetAndDestroy()],
    ['when it was asked', (socket) => socket.once('data', () => socket.end())],
    ['with a reset when it was asked', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['within its response', (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 Conn'))],
  ])('that closes the connection %s is the reported cause, after three attempts', async (_, close) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      close(socket.on('error', () => undefined));
    });
    const { code, out, err } = await ask('https://api.example.com', { HTTPS_PROXY: await listening(server) });
    expect({ code, out, connections }).toEqual({ code: 8, out: '', connections: 3 });
    expect(err).toMatch(
      /failed after 3 attempts at the proxy: the connection was closed during the TLS handshake \(\w+\)/,
    );
    expect(err).toMatch(/hint: .*HTTPS_PROXY/);
  });

  it('that never responds is awaited within the time limit', async () => {
    const host = await listening(createServer((socket) => socket.on('error', () => undefined).resume()));
    expect(await ask('https://api.example.com', { HTTPS_PROXY: host }, ['--timeout', '0.05'])).toMatchObject(
      exitsWith(8, 'timed out after 0.05 s waiting for the connection'),
    );
  });

  it('is bypassed if NO_PROXY exempts the service', async () => {
    const { url } = await loopback(answer);
    const { host, asked } = await forwardProxy();
    expect(await ask(url, { HTTP_PROXY: host, NO_PROXY: '127.0.0.0/8' })).toEqual(OK);
    expect(asked).toEqual([]);
  });

  it('of an unsupported kind is a usage error before any request', async () => {
    const ended = await ask('https://api.example.com', { ALL_PROXY: 'socks5://u:s3cretword@127.0.0.1:1080' });
    expectExit(ended, 2, 'ALL_PROXY must be a proxy with http:// or https:// (got a SOCKS proxy', '');
    expect(ended.err).not.toContain('s3cretword');
  });
});

describe('a certificate', () => {
  it.each<[Certificate, string[], string, string]>([
    ['loopback', [], 'is from an unknown certificate authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE)', '--ca-file'],
    ['self-signed', [], 'is self-signed and not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)', 'NODE_EXTRA_CA_CERTS'],
    ['expired', TRUST, 'has expired (CERT_HAS_EXPIRED)', 'clock'],
    ['other-host', TRUST, 'is for another host (DNS:other.test) (ERR_TLS_CERT_ALTNAME_INVALID)', 'base URL'],
  ])(
    'that is invalid (%s, %j) stops the command at once, and gets no key',
    async (certificate, words, problem, hint) => {
      const { url, requests } = await loopback(answer, '127.0.0.1', certificate);
      const { code, out, err } = await ask(url, {}, words);
      expect({ code, out }).toEqual({ code: 8, out: '' });
      expect(err).toContain(` failed: the certificate ${problem}\n`);
      expect(err).toMatch(new RegExp(`hint: .*${hint}`));
      expect(requests).toEqual([]);
    },
  );

  it('is trusted by --ca-file, in addition to NODE_EXTRA_CA_CERTS', async () => {
    const { url } = await loopback(answer, '127.0.0.1', 'loopback');
    const selfSigned = AUTHORITY.replace('authority', 'self-signed');
    const both = await ask(url, { NODE_EXTRA_CA_CERTS: AUTHORITY }, ['--ca-file', selfSigned]);
    expect(both).toEqual(OK);
    const other = await loopback(answer, '127.0.0.1', 'self-signed');
    expect(await ask(other.url, {}, ['--ca-file', selfSigned])).toEqual(OK);
    expect(await ask(other.url, { NODE_EXTRA_CA_CERTS: '/no/such' }, TRUST)).toMatchObject({ code: 8 });
  });

  it.each([
    ['missing.pem', 'cannot be read: it does not exist (ENOENT)'],
    ['.', 'cannot be read: it is a folder (EISDIR)'],
    ['key.pem', 'contains no certificate'],
    ['empty.pem', 'contains no certificate'],
    ['broken.pem', 'certificate 2 of 2 is invalid'],
  ])('file that cannot be used (%s) is a usage error with its name', async (name, problem) => {
    const { readFileSync } = await import('node:fs');
    const good = readFileSync(AUTHORITY, 'utf8');
    const folder = folderWith({
      'key.pem': readFileSync(AUTHORITY.replace('authority.pem', 'test-only.key')),
      'empty.pem': '',
      'broken.pem': good + good.replace(/MII.{20}/, 'MIIaaaa'),
    });
    const ended = await ask('https://127.0.0.1:1', {}, ['--ca-file', `${folder}/${name}`]);
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain(`--ca-file ${folder}/${name}`);
    expect(ended.err).toContain(problem);
  });

  it('file of unlimited size is not read', async () => {
    const ended = await ask('https://127.0.0.1:1', {}, ['--ca-file', '/dev/zero']);
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain('--ca-file /dev/zero cannot be read: it is a pipe, socket, or device (EFTYPE)');
  });
});

describe('a wrong scheme or port', () => {
  it('is reported if the response is not HTTP', async () => {
    const host = await listening(createServer((socket) => socket.end('SSH-2.0-x\r\n')));
    expect(await ask(`http://${host}`)).toMatchObject(
      exitsWith(8, /the response is not HTTP\/1\.1 \(HTTPParserError\)\nhint: .*https:\/\//),
    );
  });

  it('is reported if the server at https:// does not use TLS', async () => {
    const { url } = await loopback(answer);
    expect(await ask(url.replace('http:', 'https:'))).toMatchObject(
      exitsWith(8, /does not use TLS on this port \(ERR_SSL_\w+\)\nhint: .*http:\/\//),
    );
  });

  it('is in the hint if http:// is used for an https:// port', async () => {
    const { url, requests } = await loopback(answer, '127.0.0.1', 'loopback');
    expectExit(await ask(url.replace('https:', 'http:')), 8, /hint: .*https:\/\//);
    expect(requests).toEqual([]);
  });
});

describe('a connection', () => {
  it('to localhost finds a service on any of its addresses', async () => {
    const addresses = (await lookup('localhost', { all: true })).map(({ address }) => address);
    const { url } = await loopback(answer, addresses.at(-1));
    expect(await ask(`http://localhost:${new URL(url).port}`)).toEqual(OK);
  });

  it('that the service closes before it is reused fails no write', async () => {
    const used = new WeakSet<object>();
    const FORMULA = { ...JSON.parse(cardFiles()['manifest.json']), code: cardFiles()['code.js'], id: ID };
    const { url, requests } = await loopback(({ method }, response) => {
      const { socket } = response;
      if (socket && used.has(socket)) socket.resetAndDestroy();
      else if (method === 'GET') json(response, 200, { pagination: { total_pages: 1 }, data: [] });
      else json(response, 201, FORMULA);
      if (socket) used.add(socket);
    });
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: KEY, XDG_STATE_HOME: folderWith() };
    expect(await run(['formula', 'create', '.'], { cwd: folderWith(cardFiles()), env })).toMatchObject(
      exitsWith(0, /^Service: [^\n]*\nCreated formula [^\n]*\n$/),
    );
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('that fails sends nothing, so a write was certainly not applied', async () => {
    const silent = await listening(createServer(() => undefined));
    expect(
      await run(['formula', 'delete', ID, '--yes', '--no-history', '--json'], {
        env: {
          FORMULARY_BASE_URL: `https://${silent}`,
          FORMULARY_API_KEY: KEY,
          FORMULARY_TIMEOUT: '0.05',
          XDG_STATE_HOME: folderWith(),
        },
      }),
    ).toMatchObject(exitsWith(8, 'timed out after 0.05 s waiting for the connection'));
  });
});
