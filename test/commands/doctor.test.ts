/** doctor: runs against real servers, certificates, proxies, and files. */
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decideOutcome } from '../../src/doctor/checks.ts';
import { main } from '../../src/main.ts';
import type { CheckResult, NamedCheckResult } from '../../src/views/doctor-view.ts';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { AUTHORITY, type Certificate, json, listening, loopback, type Respond } from '../helpers/loopback.ts';
import { forwardProxy } from '../helpers/proxy.ts';
import { type HostOptions, run, testHost } from '../helpers/test-host.ts';

/** A result in one line. */
const line = (finding: CheckResult) =>
  [finding.status, finding.code, finding.found, finding.advice].filter(Boolean).join(' | ');

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
  const own = { FORMULARY_API_KEY: KEY, XDG_CONFIG_HOME: folderWith(), XDG_STATE_HOME: state };
  const env = { ...own, ...LOCAL, ...hostOptions.env };
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
  it('reports a service without problems', async () => {
    const { url, requests } = await loopback(NO_FORMULAS, '127.0.0.1', 'loopback');
    const { code, found, summary } = await doctor(['--base-url', url, '--ca-file', AUTHORITY]);
    expect(found).toMatchObject({
      'base URL': `ok | ${url} (--base-url); key …0123 (FORMULARY_API_KEY); accepted for reading`,
      proxy: expect.stringMatching(/^ok \| none/),
      TLS: expect.stringMatching(/^ok \| TLSv1\.\d, certificate for .* valid from 20.* days left$/),
      packages: expect.stringMatching(/^ok \| esbuild: \d.*; libsql: SQLite 3/),
    });
    expect(code).toBe(0);
    expect(summary).toMatchObject({ total: 8, failed: 0, unknown: 0 });
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('warns of a certificate that expires within 14 days', async () => {
    const { url } = await loopback(NO_FORMULAS, '127.0.0.1', 'loopback');
    const words = ['doctor', '--base-url', url, '--ca-file', AUTHORITY, '--json'];
    const env = { FORMULARY_API_KEY: KEY, XDG_CONFIG_HOME: folderWith(), XDG_STATE_HOME: folderWith() };
    const tlsAt = async (now: () => Date) => {
      const { host, texts } = testHost({ env, cwd: folderWith() });
      await main(words, { ...host, now });
      return JSON.parse(texts.out).items.find(({ check }: NamedCheckResult) => check === 'TLS');
    };
    const until = new Date(/ to (\S+),/.exec((await tlsAt(() => new Date())).found)?.[1] ?? '');
    expect(await tlsAt(() => new Date(until.getTime() - 8 * 86_400_000))).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/ 8 days left$/),
      advice: 'Ask the service operator to renew it.',
    });
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
    expect(found['base URL']).toMatch(/^failed \| unavailable .* key …0123 .* the certificate/);
    expect([code, requests]).toEqual([8, []]);
  });

  it('uses the proxy, and reports it', async () => {
    const { url } = await loopback(NO_FORMULAS, '127.0.0.1', 'loopback');
    const { host, asked } = await forwardProxy();
    const words = ['--base-url', url, '--ca-file', AUTHORITY];
    const { code, found } = await doctor(words, { env: { HTTPS_PROXY: host } });
    expect(found).toMatchObject({
      proxy: `ok | http://${host} (HTTPS_PROXY)`,
      TLS: expect.stringMatching(/^ok/),
      'base URL': expect.stringMatching(/^ok/),
    });
    expect(code).toBe(0);
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['CONNECT']));
  });

  it('reports a proxy that is not reachable', async () => {
    const env = { HTTP_PROXY: '127.0.0.1:1' };
    const { code, found } = await doctor(['--base-url', 'http://127.0.0.1:2', '--retry-timeout', '0.1'], { env });
    const words = /^failed .* at the proxy: connection refused .* \| Check the proxy URL in HTTP_PROXY/;
    expect([code, found['base URL']]).toEqual([8, expect.stringMatching(words)]);
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

  const rejects =
    (status: number): Respond =>
    (_, response) =>
      json(response, status, { title: 'No' });
  const page: Respond = (_, response) => void response.setHeader('content-type', 'text/html').end('<p>');
  it.each<[string, Respond, number, RegExp]>([
    ['a rejected key', rejects(401), 4, /^failed \| denied .*401/],
    ['a key without permission to read', rejects(403), 4, /^failed .*reactor:read/],
    ['a web page', page, 8, /^failed \| unavailable .*text\/html/],
    ['a path that does not exist', rejects(404), 5, /^failed \| not_found .*Check the base/],
  ])('finds %s', async (_, respond, code, words) => {
    const { url } = await loopback(respond);
    const ended = await doctor(['--base-url', url, '--retry-timeout', '1']);
    expect([ended.code, ended.found['base URL']]).toEqual([code, expect.stringMatching(words)]);
  });

  it('ends in time when the service does not respond', async () => {
    const silent = await listening(createServer((socket) => void socket.on('error', () => undefined)));
    const { code, found } = await doctor(['--base-url', `https://${silent}`, '--timeout', '1']);
    expect([code, found['DNS']]).toEqual([8, expect.stringMatching(/^ok/)]);
    expect(found['TLS']).toMatch(/^failed \| unavailable .*timed out after 1 s/);
    expect(found['base URL']).toMatch(/^failed \| unavailable .*timed out after 1 s/);
  });

  const CLOSED = '--base-url http://127.0.0.1:1';
  const ELSEWHERE = '--base-url https://a.test';
  it.each<[string, string, Record<string, string>, number, string, RegExp]>([
    ['no base URL', '', {}, 2, 'base URL', /^failed \| usage .*--base-url URL/],
    ['an invalid base URL', '--base-url nowhere', {}, 2, 'base URL', /^failed \| usage/],
    ['no key', CLOSED, { FORMULARY_API_KEY: '' }, 4, 'base URL', /^failed \| denied [\s\S]*auth login/],
    ['a refused connection', `${CLOSED} --retry-timeout 0.1`, {}, 8, 'base URL', /^failed \| unavailable .*refused/],
    ['an unsupported proxy', ELSEWHERE, { HTTPS_PROXY: 'socks5://x' }, 2, 'proxy', /^failed \| usage .*SOCKS/],
    ['a missing file', `${ELSEWHERE} --ca-file /nowhere.pem`, {}, 2, 'proxy', /^failed \| usage .*--ca-file/],
    [
      'a missing Node.js',
      '--local',
      { FORMULARY_NODE: '/n/gone' },
      2,
      'Node.js',
      /^failed \| usage \| .*; FORMULARY_NODE: \/n\/gone/,
    ],
    ['no Node.js 16', '--local', { PATH: '/nowhere' }, 0, 'Node.js', /^warning \| .*was not found.*set FORMULARY_NODE/],
  ])('advises on %s', async (_, words, env, code, check, expected) => {
    const ended = await doctor(words.split(' ').filter(Boolean), { env });
    expect([ended.code, ended.found[check]]).toEqual([code, expect.stringMatching(expected)]);
    expect(ended.found[check]).not.toContain('formulary doctor');
  });

  it('checks the embedded service', async () => {
    const data = join(folderWith(), 'local.db');
    const { code, found } = await doctor(['--local'], { env: { FORMULARY_LOCAL_DATA: data } });
    expect(Object.keys(found)).toEqual(['base URL', 'Node.js', 'packages', 'own folders', 'lock file']);
    expect([code, found['base URL'], existsSync(data)]).toEqual([0, 'ok | the embedded service; reachable', false]);
  });

  it('reports saved keys that are damaged, or that other users can access', async () => {
    const config = folderWith({ 'formulary/profiles/default.json': '{}' });
    chmodSync(join(config, 'formulary/profiles/default.json'), 0o600);
    for (const folder of ['formulary', 'formulary/profiles']) chmodSync(join(config, folder), 0o700);
    const env = { XDG_CONFIG_HOME: config };
    expect((await doctor(['--local'], { env })).found['own folders']).toMatch(/^warning .*damaged.*auth logout/);
    const kept = { version: 1, base_url: 'http://127.0.0.1:1', api_key_header: 'X', api_key: KEY };
    writeFileSync(join(config, 'formulary/profiles/default.json'), JSON.stringify(kept));
    expect((await doctor(['--local'], { env })).found['own folders']).toMatch(/^ok \| .*; saved keys: default$/);
    chmodSync(join(config, 'formulary'), 0o755);
    expect((await doctor(['--local'], { env })).found['own folders']).toMatch(/^warning .*mode is 755.*chmod 700/);
  });

  it('reports folders of the lock file that do not exist, and an invalid lock file', async () => {
    const lock = { version: 1, targets: { t: { here: { id: '1' }, gone: { id: '2' } } } };
    const cwd = folderWith({ ...inFolder('here', cardFiles()), 'formulas.lock.json': JSON.stringify(lock) });
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
      expect(checked.texts.out).toMatch(/^own folders\twarning\t.*\/nowhere.*TMPDIR/m);
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
    expect(out).toMatch(/^failed +base URL: /m);
    expect(out.replace(/\s+/g, ' ')).toContain(
      '→ Check that the service is running, and the host and port of the base URL.',
    );
    expect(err).toMatch(/\d+ ok, (1 warning, )?1 failed/);
  });
});
