/** doctor: what facts mean, and what is found against real servers, certificates, proxies and files. */
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NetworkError, type NetworkErrorKind } from '../../src/api/http/http.ts';
import { type CheckResult, decideOutcome, type NamedCheckResult } from '../../src/doctor/check.ts';
import { evaluateClock } from '../../src/doctor/clock.ts';
import { evaluateConfig } from '../../src/doctor/config-files.ts';
import { evaluateConnection } from '../../src/doctor/connection.ts';
import { evaluateDns } from '../../src/doctor/dns.ts';
import { evaluateWriteAccess } from '../../src/doctor/key.ts';
import { evaluateLockfile } from '../../src/doctor/lockfile.ts';
import { evaluateOwnFolders } from '../../src/doctor/own-folders.ts';
import {
  evaluateBaselines,
  evaluateHistory,
  evaluateStateFolder,
  evaluateWriteLock,
} from '../../src/doctor/state-files.ts';
import { evaluateTls } from '../../src/doctor/tls.ts';
import { evaluatePackage } from '../../src/doctor/tools.ts';
import { CliError } from '../../src/errors.ts';
import { withRedaction } from '../../src/host/host.ts';
import type { HttpProxy } from '../../src/settings/resolve-target.ts';
import { acquireLock } from '../../src/state/write-lock.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { AUTHORITY, type Certificate, json, listening, loopback, type Respond } from '../helpers/loopback.ts';
import { forwardProxy } from '../helpers/proxy.ts';
import { run, testHost, type World } from '../helpers/test-host.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const fault = (kind: NetworkErrorKind, code = 'E') =>
  new NetworkError({ kind, code, mayHaveArrived: false, limitMs: 2000 });

/** Status, what was found and what to do, in one line. */
const line = (finding: CheckResult | undefined) =>
  finding && [finding.status, finding.code, finding.found, finding.advice].filter(Boolean).join(' | ');

describe('what facts mean', () => {
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
  const clock = (at: string, date: string | undefined = NOW.toUTCString()) =>
    evaluateClock({ date, receivedAt: new Date(at) });
  const config = (facts: object) =>
    evaluateConfig({ folder: '/c', profiles: [], exposed: [], errors: [], ...facts }, 'linux');
  const folder = (facts: object) => evaluateStateFolder({ folder: '/s', exists: true, problem: undefined, ...facts });
  const entries = new Map([['t', new Map([['a', '1']])]]);

  it.each<[string, CheckResult | undefined, RegExp]>([
    ['a name with addresses', name({ addresses: ['1.2.3.4', '::1'] }), /^ok \| a\.test is 1\.2\.3\.4, ::1$/],
    ['an address', name({}), /^ok \| a\.test is an address itself$/],
    [
      'a name without',
      name({ code: 'ENOTFOUND' }),
      /^failed \| unavailable \| .*\(ENOTFOUND\) \| check the spelling of the base/,
    ],
    [
      'a proxy without',
      name({ code: 'ENOTFOUND', proxiedHost: 'b' }),
      /check the spelling of the address of the proxy/,
    ],
    ['a name behind a proxy', name({ proxiedHost: 'b.test' }), /; the proxy looks up b\.test$/],
    ['a connection', connection('1.2.3.4'), /^ok \| made to the service, a\.test port 443 \(1\.2\.3\.4\)$/],
    ['a refusal', connection(fault('refused')), /^failed \| unavailable \| .*refused \(E\) \| is the service running/],
    ['a time limit', connection(fault('time-limit')), /^failed .*no connection within the limit of 2 s/],
    ['no connection, since there is no name', connection(fault('host-not-found')), /^unknown/],
    [
      'a certificate',
      tls({ certificate: shown('2026-05-01') }),
      /^ok \| TLSv1\.3, .* 2026-01-01 to 2026-05-01, 60 days left$/,
    ],
    ['one that ends soon', tls({ certificate: shown('2026-03-10') }), /^warning .* 8 days left \| .*renew it$/],
    [
      'one that has ended',
      tls({ error: fault('certificate', 'CERT_HAS_EXPIRED'), certificate: shown('2026-02-01') }),
      /^failed .*has expired .* to 2026-02-01 \| is the clock/,
    ],
    [
      'a handshake that does not end',
      tls({ error: fault('time-limit') }),
      /^failed .*no handshake within .* 2 s .*--timeout/,
    ],
    ['no handshake, since there is no connection', tls({ error: fault('refused') }), /^unknown/],
    ['http:// here', tls({ scheme: 'http here' }), /^ok/],
    ['http:// elsewhere', tls({ scheme: 'http elsewhere' }), /^warning .*unencrypted/],
    ['a clock that agrees', clock('2026-03-01T12:00:59Z'), /^ok/],
    ['a clock that is ahead', clock('2026-03-01T12:01:40Z'), /^warning \| 100 seconds ahead/],
    ['a clock that is behind', clock('2026-03-01T09:00:00Z'), /^warning \| 3 hours behind/],
    ['a clock of another month', clock('2026-04-01T12:00:00Z'), /^warning \| 31 days ahead/],
    ['a Date that is none', clock('2026-03-01T12:00:00Z', 'soon'), /^unknown/],
    ['a key that only reads', evaluateWriteAccess('remote'), /^unknown .*without a write \| .*reactor:create/],
    [
      'a package that cannot be loaded',
      evaluatePackage(new CliError('usage', 'could not load it', { hint: 'Run: npm ci' })),
      /^warning \| could not load it \| Run: npm ci$/,
    ],
    ['no HOME for keys', config({ folder: undefined }), /^warning .*XDG_CONFIG_HOME/],
    [
      'a file that others reach',
      config({ exposed: [{ path: '/c/a b', mode: 0o644, expectedMode: '600' }] }),
      /^warning .*644.*chmod 600 '\/c\/a b'/,
    ],
    [
      'a broken profile',
      config({ errors: [new CliError('usage', 'it is damaged', { hint: 'mend it' })] }),
      /^warning \| it is damaged \| mend it$/,
    ],
    ['no HOME for state', folder({ folder: undefined }), /^warning .*XDG_STATE_HOME/],
    ['a state folder that cannot be written', folder({ problem: '/s: no rights' }), /^warning .*--no-history/],
    [
      'a turn',
      evaluateWriteLock(
        [{ file: '/s/turns/a/3', processIdentity: '7 1 box', isConfirmedRunning: true, heartbeat: 0 }],
        'linux',
      ),
      /^warning .*process 7 on box \| .*rm \/s\/turns\/a\/3/,
    ],
    ['copies', evaluateHistory({ count: 2, broken: ['x is no copy'] }), /^warning \| 2 copies are kept; x is no copy/],
    ['what was seen', evaluateBaselines({ count: 1, broken: [] }, 'linux'), /^ok \| what 1 service had/],
    [
      'what was seen and cannot be read',
      evaluateBaselines({ count: 0, broken: ['/s/x'] }, 'linux'),
      /^warning .*rm \/s\/x/,
    ],
    [
      'the same on Windows',
      evaluateBaselines({ count: 0, broken: ['C:\\a b\\x'] }, 'win32'),
      /^warning .*del "C:\\a b\\x"/,
    ],
    [
      'folders that cannot be looked at',
      evaluateOwnFolders({ untrusted: [], unreadable: ['/root/x: no rights'] }),
      /^unknown \| \/root\/x: no rights/,
    ],
    [
      'a folder in which somebody else left something',
      evaluateOwnFolders({
        untrusted: [{ folder: '/s', found: { path: '/s/a', distrust: 'owner', mode: 0o600, isContent: true } }],
        unreadable: [],
      }),
      /^warning \| \/s is not used: \/s\/a belongs to another user \| .*rm -r \/s\/a/,
    ],
    [
      'a folder without rights',
      evaluateBaselines('cannot be read: no rights', 'linux'),
      /^warning \| cannot be read: no rights/,
    ],
    ['no lock', evaluateLockfile({ file: '/l', lock: undefined, missingFolders: [] }), /^ok .*found by name/],
    ['a lock', evaluateLockfile({ file: '/l', lock: entries, missingFolders: [] }), /^ok \| \/l: 1 entry of 1 target$/],
    [
      'a lock of folders that are gone',
      evaluateLockfile({ file: '/l', lock: entries, missingFolders: [...'abcdefg'] }),
      /^warning .* in a, b, c, d, e and 2 more \| .*--prune/,
    ],
    [
      'a broken lock',
      evaluateLockfile({ file: '/l', lock: new CliError('invalid', 'it is empty'), missingFolders: [] }),
      /^failed \| invalid/,
    ],
  ])('%s', (_, finding, words) => {
    expect(line(finding)).toMatch(words);
  });

  it('tell a fault of the proxy from one of the service', () => {
    const proxy: HttpProxy = { url: new URL('http://p.test'), credentials: undefined, source: 'HTTPS_PROXY' };
    const denied = new NetworkError({ kind: 'proxy-denied', code: '403', mayHaveArrived: false, limitMs: 1, proxy });
    expect(line(tls({ error: denied }))).toMatch(/^failed \| unavailable \| at the proxy, .*\(403\) \| ask who runs/);
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
    ['ok without any', [], 'ok'],
    [
      'ok with warnings and what is unknown',
      [
        { check: 'x', status: 'warning', found: '' },
        { check: 'x', status: 'unknown', found: '' },
      ],
      'ok',
    ],
    ['that of the only failure', [failed('unavailable')], 'unavailable'],
    ['settings before the key', [failed('denied'), failed('usage')], 'usage'],
    ['the key before the network', [failed('unavailable'), failed('denied')], 'denied'],
    ['the network before the lock', [failed('invalid'), failed('unavailable')], 'unavailable'],
    ['any other', [failed('failed')], 'failed'],
  ])('is %s', (_, items, outcome) => {
    expect(decideOutcome(items)).toBe(outcome);
  });
});

const KEY = 'key_of_the_doctor_0123';
const NO_FORMULAS: Respond = (_, response) => json(response, 200, { data: [], pagination: { total_items: 0 } });

const LOCAL = { FORMULARY_LOCAL_DATA: '/nowhere/local.db' };

/** Runs doctor; gives the exit code and what was found by check. */
async function doctor(words: readonly string[], world: World = {}) {
  const state = folderWith();
  const env = { FORMULARY_API_KEY: KEY, XDG_CONFIG_HOME: folderWith(), XDG_STATE_HOME: state, ...LOCAL, ...world.env };
  const { code, out, err } = await run(['doctor', '--json', ...words], { cwd: folderWith(), ...world, env });
  expect(out + err).not.toContain(KEY);
  expect(readdirSync(state)).toEqual([]);
  const { items = [], summary = {} } = out === '' ? {} : JSON.parse(out);
  const found: Record<string, string> = Object.fromEntries(
    items.map((item: NamedCheckResult) => [item.check, line(item) ?? '']),
  );
  return { code, found, summary, err };
}

describe('doctor', () => {
  it('finds a service in order', async () => {
    const { url, requests } = await loopback(NO_FORMULAS, '127.0.0.1', 'loopback');
    const { code, found, summary } = await doctor(['--base-url', url, '--ca-file', AUTHORITY]);
    expect(found).toMatchObject({
      'base address': `ok | ${url} (--base-url)`,
      proxy: expect.stringMatching(/^ok \| none/),
      TLS: expect.stringMatching(/^ok \| TLSv1\.\d, certificate for .* valid from 20.* days left$/),
      service: 'ok | answers (status 200)',
      clock: 'ok | agrees with that of the service',
      key: 'ok | …0123 (FORMULARY_API_KEY), accepted for reading',
      writing: expect.stringMatching(/^unknown/),
      esbuild: expect.stringMatching(/^ok \| \d/),
      libsql: expect.stringMatching(/^ok \| SQLite 3/),
    });
    expect(code).toBe(0);
    expect(summary).toMatchObject({ total: 19, failed: 0, unknown: 1 });
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each<[Certificate, string[], RegExp]>([
    ['expired', ['--ca-file', AUTHORITY], /^failed \| unavailable \| its certificate has expired .* to 2021-/],
    ['other-host', ['--ca-file', AUTHORITY], /^failed .* is for another host/],
    ['loopback', [], /^failed .* comes from an authority .*--ca-file/],
    ['self-signed', [], /^failed .* is self-signed/],
  ])('names what is wrong with a certificate: %s', async (certificate, words, tls) => {
    const { url, requests } = await loopback(NO_FORMULAS, '127.0.0.1', certificate);
    const { code, found } = await doctor(['--base-url', url, ...words]);
    expect(found['TLS']).toMatch(tls);
    expect(found['connection']).toMatch(/^ok/);
    expect(found['service']).toMatch(/^failed \| unavailable \| could not be asked: its certificate/);
    expect(found['key']).toMatch(/^unknown/);
    expect([code, requests]).toEqual([8, []]);
  });

  it('goes through the proxy, and names it', async () => {
    const { url } = await loopback(NO_FORMULAS, '127.0.0.1', 'loopback');
    const { host, asked } = await forwardProxy();
    const words = ['--base-url', url, '--ca-file', AUTHORITY];
    const { code, found } = await doctor(words, { env: { HTTPS_PROXY: host } });
    expect(found).toMatchObject({
      proxy: `ok | http://${host} (HTTPS_PROXY)`,
      connection: expect.stringMatching(/^ok \| made to the proxy/),
      TLS: expect.stringMatching(/^ok/),
      key: expect.stringMatching(/^ok/),
    });
    expect(code).toBe(0);
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['CONNECT']));
  });

  it('tells a proxy that is not there from the service', async () => {
    const env = { HTTP_PROXY: '127.0.0.1:1' };
    const { code, found } = await doctor(['--base-url', 'http://127.0.0.1:2', '--retry-timeout', '0.1'], { env });
    const words = /^failed .*to the proxy, .* \| check the address of the proxy in HTTP_PROXY/;
    expect([code, found['connection']]).toEqual([8, expect.stringMatching(words)]);
    expect(found['service']).toBe('failed | unavailable | could not be asked: the connection was refused');
  });

  it.each<[number, RegExp]>([
    [407, /^failed .* at the proxy, which wants a user name and password \(407\)/],
    [403, /^failed .* at the proxy, which does not allow the connection \(403\)/],
  ])('tells what a proxy refuses with %d', async (status, words) => {
    const { host } = await forwardProxy({ status });
    const { code, found } = await doctor(['--base-url', 'https://api.example.com'], { env: { HTTPS_PROXY: host } });
    expect([code, found['TLS']]).toEqual([8, expect.stringMatching(words)]);
    expect(found['DNS']).toContain('the proxy looks up api.example.com');
  });

  it.each<[string, Respond, number, string, RegExp]>([
    [
      'a key that is refused',
      (_, response) => json(response, 401, { title: 'No' }),
      4,
      'key',
      /^failed \| denied .*401/,
    ],
    [
      'a key that may not read',
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
      'a path that is not there',
      (_, response) => json(response, 404, { title: 'No' }),
      5,
      'service',
      /^failed \| not_found .*check the base/,
    ],
    [
      'a clock that is wrong',
      (request, response) => NO_FORMULAS(request, response.setHeader('date', 'Sun, 01 Mar 2020 12:00:00 GMT')),
      0,
      'clock',
      /^warning .* days ahead/,
    ],
  ])('finds %s', async (_, respond, code, check, words) => {
    const { url } = await loopback(respond);
    const ended = await doctor(['--base-url', url, '--retry-timeout', '1']);
    expect([ended.code, ended.found[check]]).toEqual([code, expect.stringMatching(words)]);
  });

  it('ends in time when nothing answers', async () => {
    const silent = await listening(createServer((socket) => void socket.on('error', () => undefined)));
    const { code, found } = await doctor(['--base-url', `https://${silent}`, '--timeout', '0.1']);
    expect([code, found['connection']]).toEqual([8, expect.stringMatching(/^ok/)]);
    expect(found['TLS']).toMatch(/^failed \| unavailable .*no handshake within the limit of 0\.1 s/);
    expect(found['service']).toMatch(/^failed \| unavailable .*within the limit of 0\.1 s/);
  });

  it.each<[string, string[], Record<string, string>, number, string, RegExp]>([
    ['no base address', [], {}, 2, 'base address', /^failed \| usage .*--base-url URL/],
    ['an address that is none', ['--base-url', 'nowhere'], {}, 2, 'base address', /^failed \| usage/],
    [
      'no key',
      ['--base-url', 'http://127.0.0.1:1'],
      { FORMULARY_API_KEY: '' },
      4,
      'key',
      /^failed \| denied .*auth login/,
    ],
    [
      'nobody there',
      ['--base-url', 'http://127.0.0.1:1', '--retry-timeout', '0.1'],
      {},
      8,
      'connection',
      /^failed \| unavailable .*refused/,
    ],
    [
      'a proxy that is none',
      ['--base-url', 'https://a.test'],
      { HTTPS_PROXY: 'socks5://x' },
      2,
      'proxy',
      /^failed \| usage .*SOCKS/,
    ],
    [
      'certificates that are none',
      ['--base-url', 'https://a.test', '--ca-file', '/nowhere.pem'],
      {},
      2,
      'proxy',
      /^failed \| usage .*--ca-file/,
    ],
  ])('says what to do about %s', async (_, words, env, code, check, expected) => {
    const ended = await doctor(words, { env });
    expect([ended.code, ended.found[check]]).toEqual([code, expect.stringMatching(expected)]);
  });

  it('looks at the embedded service in this process', async () => {
    const data = join(folderWith(), 'local.db');
    const { code, found } = await doctor(['--local'], { env: { FORMULARY_LOCAL_DATA: data } });
    expect(Object.keys(found).slice(0, 3)).toEqual(['base address', 'service', 'writing']);
    expect([code, found['service'], existsSync(data)]).toEqual([0, 'ok | answers', false]);
  });

  it('sees kept keys that others can reach, or that are damaged', async () => {
    const config = folderWith({ 'formulary/profiles/default.json': '{}' });
    chmodSync(join(config, 'formulary/profiles/default.json'), 0o600);
    for (const folder of ['formulary', 'formulary/profiles']) chmodSync(join(config, folder), 0o700);
    const env = { XDG_CONFIG_HOME: config };
    expect((await doctor(['--local'], { env })).found['kept keys']).toMatch(/^warning .*damaged.*auth logout/);
    const kept = { version: 1, base_url: 'http://127.0.0.1:1', api_key_header: 'X', api_key: KEY };
    writeFileSync(join(config, 'formulary/profiles/default.json'), JSON.stringify(kept));
    expect((await doctor(['--local'], { env })).found['kept keys']).toMatch(/^ok \| default in /);
    chmodSync(join(config, 'formulary'), 0o755);
    expect((await doctor(['--local'], { env })).found['kept keys']).toMatch(/^warning .*mode 755.*chmod 700/);
  });

  it('sees what is wrong with the state folder and the lock', async () => {
    const lock = { version: 1, targets: { t: { here: { id: '1' }, gone: { id: '2' } } } };
    const cwd = folderWith({
      ...Object.fromEntries(Object.entries(cardFiles()).map(([file, text]) => [`here/${file}`, text])),
      'formulas.lock.json': JSON.stringify(lock),
    });
    const state = folderWith({
      'formulary/history/0123456789abcdef-20260301.json': '{',
      'formulary/seen/a.json': '{',
    });
    const { host } = testHost({ env: { XDG_STATE_HOME: state } });
    const endTurn = await acquireLock(withRedaction(host), 'x', { warn: undefined, abortSignal: host.abortSignal });
    const { code, out } = await run(['doctor', '--local', '--json'], {
      cwd,
      env: { XDG_STATE_HOME: state, XDG_CONFIG_HOME: folderWith(), FORMULARY_LOCAL_DATA: join(state, 'none.db') },
    });
    endTurn();
    const found = Object.fromEntries(JSON.parse(out).items.map((item: NamedCheckResult) => [item.check, line(item)]));
    expect(found).toMatchObject({
      turns: expect.stringContaining(`process ${host.getProcessIdentity().split(' ')[0]} on `),
      history: expect.stringMatching(/^warning \| no copies are kept yet; .*is no copy/),
      'last seen': expect.stringMatching(/^warning .*seen\/a\.json cannot be read/),
      lock: expect.stringMatching(/^warning .*2 entries of 1 target, without a formula in gone/),
    });
    expect(code).toBe(0);
    writeFileSync(join(cwd, 'formulas.lock.json'), '<<<<<<< ours');
    const broken = await doctor(['--local'], { cwd });
    expect([broken.code, broken.found['lock']]).toEqual([3, expect.stringContaining('conflict markers')]);
  });

  it.each([40, 80])(
    'is broken to the width of a terminal of %d columns, with each status in words',
    async (columns) => {
      const env = { FORMULARY_API_KEY: KEY, XDG_CONFIG_HOME: '/nowhere' };
      const words = ['doctor', '--base-url', 'http://127.0.0.1:1', '--retry-timeout', '0.1'];
      const { out, err } = await run(words, { columns, env });
      for (const text of out.split('\n')) {
        expect(text.trim().includes(' ') ? text.length : 0).toBeLessThanOrEqual(columns);
      }
      expect(out).toMatch(/^connection +failed/m);
      expect(out.replace(/\s+/g, ' ')).toContain('→ is the service running there? check the base address and its port');
      expect(err).toMatch(/\d+ ok, 2 failed, 3 unknown/);
    },
  );
});
