/** doctor: the evaluation of facts, and runs against real servers, certificates, proxies, and files. */
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NetworkError, type NetworkErrorKind } from '../../src/api/http/http.ts';
import { decideOutcome } from '../../src/doctor/check.ts';
import { evaluateLockfiles } from '../../src/doctor/lockfile.ts';
import { evaluateConnection, evaluateDns } from '../../src/doctor/network.ts';
import { evaluateConfig, evaluateOwnFolders, evaluateStateFolder } from '../../src/doctor/own-folders.ts';
import { evaluateTls } from '../../src/doctor/tls.ts';
import { evaluateFormulaNode, evaluatePackage } from '../../src/doctor/tools.ts';
import { CliError } from '../../src/errors.ts';
import { main } from '../../src/main.ts';
import type { HttpProxy } from '../../src/settings/resolve-target.ts';
import type { CheckResult, NamedCheckResult } from '../../src/views/doctor-view.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { AUTHORITY, type Certificate, json, listening, loopback, type Respond } from '../helpers/loopback.ts';
import { forwardProxy } from '../helpers/proxy.ts';
import { type HostOptions, run, testHost } from '../helpers/test-host.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const fault = (kind: NetworkErrorKind, code = 'E') =>
  new NetworkError({ kind, code, mayHaveArrived: false, limitMs: 2000 });

/** A result in one line. */
const line = (finding: CheckResult | undefined) =>
  finding && [finding.status, finding.code, finding.found, finding.advice].filter(Boolean).join(' | ');

describe('the result of a check', () => {
  const name = (facts: object) =>
    evaluateDns({ host: 'a.test', proxiedHost: undefined, addresses: [], code: undefined, ...facts });
  const connection = (reached: string | NetworkError) =>
    evaluateConnection({ endpoint: 'the service, a.test port 443', result: reached });
  const shown = (until: string) => ({
    protocol: 'TLSv1.3',
    subject: 'a.test',
    issuer: 'Some CA',
    validFrom: new Date('2026-01-01'),
    validUntil: new Date(until),
  });
  const tls = (facts: object) =>
    evaluateTls({ scheme: 'https', certificate: undefined, error: undefined, now: NOW, ...facts });
  const config = (facts: object) =>
    evaluateConfig({ folder: '/c', profiles: [], exposed: [], errors: [], ...facts }, 'linux');
  const folder = (facts: object) => evaluateStateFolder({ folder: '/s', exists: true, problem: undefined, ...facts });
  const entries = new Map([['t', new Map([['a', '1']])]]);

  it.each<[string, CheckResult | undefined, RegExp]>([
    ['a host with addresses', name({ addresses: ['1.2.3.4', '::1'] }), /^ok \| a\.test resolves to 1\.2\.3\.4, ::1$/],
    ['an IP address', name({}), /^ok \| a\.test is an IP address$/],
    [
      'a host without an address',
      name({ code: 'ENOTFOUND' }),
      /^failed \| unavailable \| .*\(ENOTFOUND\) \| Check the spelling of the base/,
    ],
    [
      'a proxy without an address',
      name({ code: 'ENOTFOUND', proxiedHost: 'b' }),
      /Check the spelling of the proxy URL/,
    ],
    ['a host behind a proxy', name({ proxiedHost: 'b.test' }), /; the proxy resolves b\.test$/],
    ['a connection', connection('1.2.3.4'), /^ok \| connected to the service, a\.test port 443 \(1\.2\.3\.4\)$/],
    [
      'a refused connection',
      connection(fault('refused')),
      /^failed \| unavailable \| .*refused \(E\) \| Check that the service is running/,
    ],
    [
      'a connection that timed out',
      connection(fault('timeout')),
      /^failed .*timed out after 2 s waiting for the connection/,
    ],
    ['no connection, because DNS failed', connection(fault('host-not-found')), /^unknown/],
    [
      'a certificate',
      tls({ certificate: shown('2026-05-01') }),
      /^ok \| TLSv1\.3, .* 2026-01-01 to 2026-05-01, 60 days left$/,
    ],
    [
      'a certificate that expires soon',
      tls({ certificate: shown('2026-03-10') }),
      /^warning .* 8 days left \| .*renew it\.$/,
    ],
    [
      'an expired certificate',
      tls({ error: fault('certificate', 'CERT_HAS_EXPIRED'), certificate: shown('2026-02-01') }),
      /^failed .*has expired .* to 2026-02-01 \| Check this computer's clock/,
    ],
    [
      'a handshake that timed out',
      tls({ error: fault('timeout') }),
      /^failed .*no TLS handshake within 2 s .*--timeout/,
    ],
    ['no handshake, because the connection failed', tls({ error: fault('refused') }), /^unknown/],
    ['http:// to loopback', tls({ scheme: 'http to loopback' }), /^ok/],
    ['http:// to another host', tls({ scheme: 'http' }), /^warning .*unencrypted/],
    [
      'a package that cannot be loaded',
      evaluatePackage(new CliError('usage', 'could not load it', { hint: 'Run: npm ci' })),
      /^warning \| could not load it \| Run: npm ci$/,
    ],
    [
      'a Node.js 16 for formula code',
      evaluateFormulaNode({ path: '/n/node16', isFallback: false, exists: true, nodeVersion: '20.20.2' }),
      /^ok \| \/n\/node16$/,
    ],
    [
      'no Node.js 16 for formula code',
      evaluateFormulaNode({ path: '/n/node', isFallback: true, exists: true, nodeVersion: '20.20.2' }),
      /^warning \| not found; formula code runs on Node\.js 20\.20\.2 \| .*set FORMULARY_NODE/,
    ],
    [
      'a FORMULARY_NODE that does not exist',
      evaluateFormulaNode({ path: '/n/gone', isFallback: false, exists: false, nodeVersion: '20.20.2' }),
      /^failed \| usage \| FORMULARY_NODE: \/n\/gone does not exist \| /,
    ],
    ['no HOME for saved keys', config({ folder: undefined }), /^warning .*XDG_CONFIG_HOME/],
    [
      'a file that other users can access',
      config({ exposed: [{ path: '/c/a b', mode: 0o644, expectedMode: '600' }] }),
      /^warning .*644.*chmod 600 '\/c\/a b'/,
    ],
    [
      'a broken profile',
      config({ errors: [new CliError('usage', 'it is damaged', { hint: 'Fix it.' })] }),
      /^warning \| it is damaged \| Fix it\.$/,
    ],
    ['no HOME for the state folder', folder({ folder: undefined }), /^warning .*XDG_STATE_HOME/],
    ['a state folder that is not writable', folder({ problem: '/s: no rights' }), /^warning .*--no-history/],
    [
      'folders that cannot be checked',
      evaluateOwnFolders({ untrusted: [], unreadable: ['/root/x: no rights'] }),
      /^unknown \| \/root\/x: no rights/,
    ],
    [
      'a folder with a file of another user',
      evaluateOwnFolders({
        untrusted: [{ folder: '/s', found: { path: '/s/a', distrust: 'owner', mode: 0o600, isContent: true } }],
        unreadable: [],
      }),
      /^warning \| \/s is not used: \/s\/a belongs to another user \| .*rm -r \/s\/a/,
    ],
    ['no lock file', evaluateLockfiles({ lockfiles: [], target: 't' }), /^ok .*matched by name/],
    [
      'a lock',
      evaluateLockfiles({ lockfiles: [{ file: '/l', lockfile: entries, missingFolders: [] }], target: 't' }),
      /^ok \| \/l: 1 entry for 1 target; the settings select the target t$/,
    ],
    [
      'a lock file with folders that do not exist',
      evaluateLockfiles({
        lockfiles: [{ file: '/l', lockfile: entries, missingFolders: [...'abcdefg'] }],
        target: undefined,
      }),
      /^warning .* in a, b, c, d, e, and 2 more \| [\s\S]*--prune/,
    ],
  ])('%s', (_, finding, words) => {
    expect(line(finding)).toMatch(words);
  });

  it('reports the proxy if the error is from the proxy', () => {
    const proxy: HttpProxy = { url: new URL('http://p.test'), credentials: undefined, source: 'HTTPS_PROXY' };
    const denied = new NetworkError({ kind: 'proxy-denied', code: '403', mayHaveArrived: false, limitMs: 1, proxy });
    expect(line(tls({ error: denied }))).toMatch(
      /^failed \| unavailable \| at the proxy: .*\(403\) \| Ask the administrator/,
    );
  });
});

describe('the exit code', () => {
  const failed = (code: NamedCheckResult['code']): NamedCheckResult => ({
    check: 'x',
    status: 'failed',
    found: '',
    ...(code && { code }),
  });

  it.each<[string, NamedCheckResult[], string]>([
    ['ok without results', [], 'ok'],
    [
      'ok with warnings and unknown results',
      [
        { check: 'x', status: 'warning', found: '' },
        { check: 'x', status: 'unknown', found: '' },
      ],
      'ok',
    ],
    ['of the only failure', [failed('unavailable')], 'unavailable'],
    ['of settings before the key', [failed('denied'), failed('usage')], 'usage'],
    ['of the key before the network', [failed('unavailable'), failed('denied')], 'denied'],
    ['of the network before the lock file', [failed('invalid'), failed('unavailable')], 'unavailable'],
    ['of any other failure', [failed('failed')], 'failed'],
  ])('is %s', (_, items, outcome) => {
    expect(decideOutcome(items)).toBe(outcome);
  });
});

const KEY = 'key_of_the_doctor_0123';
const NO_FORMULAS: Respond = (_, response) => json(response, 200, { data: [], pagination: { total_items: 0 } });

const LOCAL = { FORMULARY_LOCAL_DATA: '/nowhere/local.db' };

/** Runs doctor; returns the exit code, and the results by check. */
async function doctor(words: readonly string[], hostOptions: HostOptions = {}) {
  const state = folderWith();
  const env = {
    FORMULARY_API_KEY: KEY,
    XDG_CONFIG_HOME: folderWith(),
    XDG_STATE_HOME: state,
    ...LOCAL,
    ...hostOptions.env,
  };
  const { code, out, err } = await run(['doctor', '--json', ...words], { cwd: folderWith(), ...hostOptions, env });
  expect(out + err).not.toContain(KEY);
  expect(readdirSync(state)).toEqual([]);
  const { items = [], summary = {} } = out === '' ? {} : JSON.parse(out);
  const found: Record<string, string> = Object.fromEntries(
    items.map((item: NamedCheckResult) => [item.check, line(item) ?? '']),
  );
  return { code, found, summary, err };
}

describe('doctor', () => {
  it('--json has a result document: each check with what was found and advice, and the number per status', async () => {
    const env = { XDG_CONFIG_HOME: folderWith(), XDG_STATE_HOME: folderWith(), PATH: folderWith() };
    const { code, out } = await run(
      ['doctor', '--json', '--base-url', 'http://127.0.0.1:1', '--retry-timeout', '0.1'],
      {
        cwd: folderWith(),
        env,
      },
    );
    const { schema_version, items, summary, ...others } = JSON.parse(out);
    expect({ code, schema_version, others }).toEqual({ code: 4, schema_version: 1, others: {} });
    for (const item of items) {
      const { check, status, found, advice, code: outcome, ...unknown } = item;
      expect({ check, status, found, unknown }).toEqual({
        check: expect.any(String),
        status: expect.stringMatching(/^(ok|warning|failed|unknown)$/),
        found: expect.any(String),
        unknown: {},
      });
      expect([typeof advice, typeof outcome]).toEqual([
        status === 'failed' || status === 'warning' ? 'string' : 'undefined',
        status === 'failed' ? 'string' : 'undefined',
      ]);
    }
    const count = (status: string) => items.filter((item: NamedCheckResult) => item.status === status).length;
    expect(summary).toEqual({
      total: items.length,
      ok: count('ok'),
      warning: count('warning'),
      failed: count('failed'),
      unknown: count('unknown'),
    });
  });

  it('reports a service without problems', async () => {
    const { url, requests } = await loopback(NO_FORMULAS, '127.0.0.1', 'loopback');
    const { code, found, summary } = await doctor(['--base-url', url, '--ca-file', AUTHORITY]);
    expect(found).toMatchObject({
      'base URL': `ok | ${url} (--base-url)`,
      proxy: expect.stringMatching(/^ok \| none/),
      TLS: expect.stringMatching(/^ok \| TLSv1\.\d, certificate for .* valid from 20.* days left$/),
      service: 'ok | reachable (status 200)',
      key: 'ok | …0123 (FORMULARY_API_KEY), accepted for reading',
      esbuild: expect.stringMatching(/^ok \| \d/),
      libsql: expect.stringMatching(/^ok \| SQLite 3/),
    });
    expect(code).toBe(0);
    expect(summary).toMatchObject({ total: 16, failed: 0, unknown: 0 });
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each<[Certificate, string[], RegExp]>([
    ['expired', ['--ca-file', AUTHORITY], /^failed \| unavailable \| the certificate has expired .* to 2021-/],
    ['other-host', ['--ca-file', AUTHORITY], /^failed .* is for another host/],
    ['loopback', [], /^failed .* is from an unknown certificate authority .*--ca-file/],
    ['self-signed', [], /^failed .* is self-signed/],
  ])('reports the problem of a certificate: %s', async (certificate, words, tls) => {
    const { url, requests } = await loopback(NO_FORMULAS, '127.0.0.1', certificate);
    const { code, found } = await doctor(['--base-url', url, ...words]);
    expect(found['TLS']).toMatch(tls);
    expect(found['connection']).toMatch(/^ok/);
    expect(found['service']).toMatch(/^failed \| unavailable \| not reachable: the certificate/);
    expect(found['key']).toMatch(/^unknown/);
    expect([code, requests]).toEqual([8, []]);
  });

  it('uses the proxy, and reports it', async () => {
    const { url } = await loopback(NO_FORMULAS, '127.0.0.1', 'loopback');
    const { host, asked } = await forwardProxy();
    const words = ['--base-url', url, '--ca-file', AUTHORITY];
    const { code, found } = await doctor(words, { env: { HTTPS_PROXY: host } });
    expect(found).toMatchObject({
      proxy: `ok | http://${host} (HTTPS_PROXY)`,
      connection: expect.stringMatching(/^ok \| connected to the proxy/),
      TLS: expect.stringMatching(/^ok/),
      key: expect.stringMatching(/^ok/),
    });
    expect(code).toBe(0);
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['CONNECT']));
  });

  it('reports a proxy that is not reachable', async () => {
    const env = { HTTP_PROXY: '127.0.0.1:1' };
    const { code, found } = await doctor(['--base-url', 'http://127.0.0.1:2', '--retry-timeout', '0.1'], { env });
    const words = /^failed .*the proxy, .* \| Check the proxy URL in HTTP_PROXY/;
    expect([code, found['connection']]).toEqual([8, expect.stringMatching(words)]);
    expect(found['service']).toBe('failed | unavailable | not reachable: connection refused');
  });

  it.each<[number, RegExp]>([
    [407, /^failed .* at the proxy: authentication required \(407\)/],
    [403, /^failed .* at the proxy: connection not allowed \(403\)/],
  ])('explains a proxy that returns %d', async (status, words) => {
    const { host } = await forwardProxy({ status });
    const { code, found } = await doctor(['--base-url', 'https://api.example.com'], { env: { HTTPS_PROXY: host } });
    expect([code, found['TLS']]).toEqual([8, expect.stringMatching(words)]);
    expect(found['DNS']).toContain('the proxy resolves api.example.com');
  });

  it.each<[string, Respond, number, string, RegExp]>([
    ['a rejected key', (_, response) => json(response, 401, { title: 'No' }), 4, 'key', /^failed \| denied .*401/],
    [
      'a key without permission to read',
      (_, response) => json(response, 403, { title: 'No' }),
      4,
      'key',
      /^failed .*reactor:read/,
    ],
    [
      'a web page',
      (_, response) => void response.setHeader('content-type', 'text/html').end('<p>'),
      8,
      'service',
      /^failed \| unavailable .*text\/html/,
    ],
    [
      'a path that does not exist',
      (_, response) => json(response, 404, { title: 'No' }),
      5,
      'service',
      /^failed \| not_found .*Check the base/,
    ],
  ])('finds %s', async (_, respond, code, check, words) => {
    const { url } = await loopback(respond);
    const ended = await doctor(['--base-url', url, '--retry-timeout', '1']);
    expect([ended.code, ended.found[check]]).toEqual([code, expect.stringMatching(words)]);
  });

  it('ends in time when the service does not respond', async () => {
    const silent = await listening(createServer((socket) => void socket.on('error', () => undefined)));
    const { code, found } = await doctor(['--base-url', `https://${silent}`, '--timeout', '1']);
    expect([code, found['connection']]).toEqual([8, expect.stringMatching(/^ok/)]);
    expect(found['TLS']).toMatch(/^failed \| unavailable .*no TLS handshake within 1 s/);
    expect(found['service']).toMatch(/^failed \| unavailable .*timed out after 1 s/);
  });

  it.each<[string, string[], Record<string, string>, number, string, RegExp]>([
    ['no base URL', [], {}, 2, 'base URL', /^failed \| usage .*--base-url URL/],
    ['an invalid base URL', ['--base-url', 'nowhere'], {}, 2, 'base URL', /^failed \| usage/],
    [
      'no key',
      ['--base-url', 'http://127.0.0.1:1'],
      { FORMULARY_API_KEY: '' },
      4,
      'key',
      /^failed \| denied [\s\S]*auth login/,
    ],
    [
      'a refused connection',
      ['--base-url', 'http://127.0.0.1:1', '--retry-timeout', '0.1'],
      {},
      8,
      'connection',
      /^failed \| unavailable .*refused/,
    ],
    [
      'an unsupported proxy',
      ['--base-url', 'https://a.test'],
      { HTTPS_PROXY: 'socks5://x' },
      2,
      'proxy',
      /^failed \| usage .*SOCKS/,
    ],
    [
      'a missing file of certificates',
      ['--base-url', 'https://a.test', '--ca-file', '/nowhere.pem'],
      {},
      2,
      'proxy',
      /^failed \| usage .*--ca-file/,
    ],
  ])('advises on %s', async (_, words, env, code, check, expected) => {
    const ended = await doctor(words, { env });
    expect([ended.code, ended.found[check]]).toEqual([code, expect.stringMatching(expected)]);
  });

  it('checks the embedded service', async () => {
    const data = join(folderWith(), 'local.db');
    const { code, found } = await doctor(['--local'], { env: { FORMULARY_LOCAL_DATA: data } });
    expect(Object.keys(found).slice(0, 3)).toEqual(['base URL', 'service', 'Node.js']);
    expect([code, found['service'], existsSync(data)]).toEqual([0, 'ok | reachable', false]);
  });

  it('reports saved keys that are damaged, or that other users can access', async () => {
    const config = folderWith({ 'formulary/profiles/default.json': '{}' });
    chmodSync(join(config, 'formulary/profiles/default.json'), 0o600);
    for (const folder of ['formulary', 'formulary/profiles']) chmodSync(join(config, folder), 0o700);
    const env = { XDG_CONFIG_HOME: config };
    expect((await doctor(['--local'], { env })).found['saved keys']).toMatch(/^warning .*damaged.*auth logout/);
    const kept = { version: 1, base_url: 'http://127.0.0.1:1', api_key_header: 'X', api_key: KEY };
    writeFileSync(join(config, 'formulary/profiles/default.json'), JSON.stringify(kept));
    expect((await doctor(['--local'], { env })).found['saved keys']).toMatch(/^ok \| default in /);
    chmodSync(join(config, 'formulary'), 0o755);
    expect((await doctor(['--local'], { env })).found['saved keys']).toMatch(/^warning .*mode 755.*chmod 700/);
  });

  it('reports folders of the lock file that do not exist, and an invalid lock file', async () => {
    const lock = { version: 1, targets: { t: { here: { id: '1' }, gone: { id: '2' } } } };
    const cwd = folderWith({
      ...Object.fromEntries(Object.entries(cardFiles()).map(([file, text]) => [`here/${file}`, text])),
      'formulas.lock.json': JSON.stringify(lock),
    });
    const { code, found } = await doctor(['--local'], { cwd });
    expect(found['lock file']).toMatch(/^warning .*2 entries for 1 target; no manifest\.json in gone/);
    expect(code).toBe(0);
    const above = await doctor(['--local', '--target', 'staging'], { cwd: join(cwd, '..') });
    expect(above.found['lock file']).toContain(`${join(cwd, 'formulas.lock.json')}: 2 entries`);
    expect(above.found['lock file']).toContain('the settings select the target staging');
    writeFileSync(join(cwd, 'formulas.lock.json'), '<<<<<<< ours');
    const broken = await doctor(['--local'], { cwd });
    expect([broken.code, broken.found['lock file']]).toEqual([3, expect.stringContaining('conflict markers')]);
  });

  it.runIf(process.platform !== 'win32')('reports a temporary folder that does not exist, as run does', async () => {
    const before = process.env['TMPDIR'];
    const cwd = folderWith(cardFiles());
    const [checked, tested] = [testHost({ cwd }), testHost({ cwd })];
    process.env['TMPDIR'] = '/nowhere';
    try {
      await main(['doctor', '--local'], checked.host);
      expect(checked.texts.out).toMatch(/^temporary folder\twarning\t.*\/nowhere.*TMPDIR/m);
      expect(await main(['formula', 'run', '.', '--args', '{"card":{"number":"4"}}'], tested.host)).toBe(2);
      expect(tested.texts.err).toMatch(/could not create a temporary folder in \/nowhere: .*\nhint: Set TMPDIR /);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });

  it.each([40, 80])('wraps its table to the width of a terminal of %d columns', async (columns) => {
    const env = { FORMULARY_API_KEY: KEY, XDG_CONFIG_HOME: '/nowhere' };
    const words = ['doctor', '--base-url', 'http://127.0.0.1:1', '--retry-timeout', '0.1'];
    const { out, err } = await run(words, { columns, env });
    for (const text of out.split('\n')) {
      // Ids, URLs, and commands are never broken.
      const isUnbroken = !text.trim().includes(' ') || text.trim().startsWith('formulary ');
      expect(isUnbroken ? 0 : text.length).toBeLessThanOrEqual(columns);
    }
    expect(out).toMatch(/^connection +failed/m);
    expect(out.replace(/\s+/g, ' ')).toContain(
      '→ Check that the service is running, and the host and port of the base URL.',
    );
    expect(err).toMatch(/\d+ ok, (1 warning, )?2 failed, 1 unknown/);
  });
});
