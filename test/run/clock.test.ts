import { describe, expect, it } from 'vitest';
import { runTest } from '../helpers/one-test.ts';
import { node16 } from '../node16/setup.ts';

const NODES = [['this Node.js', process.execPath], ...(node16 ? [['Node.js 16', node16]] : [])] as [string, string][];
const NOW = '2026-01-31T12:00:00Z';

const RETRY = `const { promisify } = require('util');
const get = (limit) => new Promise((done) => {
  const sent = require('https').get('https://a.example/', ({ statusCode }) => done(statusCode));
  const timer = setTimeout(() => sent.destroy(new Error('late')), limit);
  sent.on('error', ({ message }) => done(message)).on('close', () => clearTimeout(timer));
});
module.exports = async () => {
  const [start, statuses] = [Date.now(), []];
  for (let i = 0; i < 4; i += 1) {
    statuses.push(await get(5000));
    await promisify(setTimeout)(1000 * 2 ** i);
  }
  const why = await new Promise((done) => {
    const awaited = setTimeout(done, 60_000);
    AbortSignal.timeout(500).addEventListener('abort', ({ target }) => done(target.reason.name) || clearTimeout(awaited));
  });
  return { raw: { statuses, why, waited: Date.now() - start, at: new Date(), perf: performance.now(), is: new Date() instanceof Date } };
};`;

describe.each(NODES)('a test with now on %s', (_, node) => {
  it('waits for retries and time limits without waiting', async () => {
    const request = 'GET https://a.example/';
    const http = [
      { request, times: 2, response: { status: 503 } },
      { request, response: { status: 200, delay_ms: 60_000 } },
      { request, response: { status: 200, delay_ms: 3000 } },
    ];
    const raw = {
      statuses: [503, 503, 'late', 200],
      why: 'TimeoutError',
      waited: 23_500,
      at: '2026-01-31T12:00:23.500Z',
      perf: 23_500,
      is: true,
    };
    const { exit, item } = await runTest(RETRY, { now: NOW, doubles: { http }, expect: { raw } }, { node });
    expect({ exit, error: item.error, warnings: item.warnings }).toEqual({ exit: 0 });
    expect(item.duration_ms).toBeLessThan(5000);
  });

  it('warns about timers that are left', async () => {
    const code = 'module.exports = async () => { setInterval(() => 0, 5000); return { raw: {} }; };';
    const { item } = await runTest(code, { now: NOW, expect: { raw: {} } }, { node });
    expect(item.warnings).toEqual(['after the response, something was still running (a timer) and was stopped']);
  });

  it('and seed has the same numbers and UUIDs each time', async () => {
    const code = `const crypto = require('crypto');
      module.exports = async () => ({ raw: { a: crypto.randomUUID(), b: Math.random(), c: crypto.randomBytes(4).toString('hex'), d: crypto.randomInt(1e6),
        e: [...crypto.randomFillSync(new Uint8Array(3))], f: crypto.webcrypto.getRandomValues(new Uint8Array(1))[0], now: Date.now() } });`;
    const first = await runTest(code, { now: NOW, seed: 7, expect: {} }, { node, words: ['--update'] });
    const again = await runTest(code, { now: NOW, seed: 7, expect: first.written.expect }, { node });
    const other = await runTest(code, { now: NOW, seed: 8, expect: first.written.expect }, { node });
    expect([again.exit, other.exit]).toEqual([0, 1]);
    expect(first.written.expect.raw.a).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

it.each([
  ['now', '"yesterday"', 'must be a time such as "2026-01-31T12:00:00Z"'],
  ['seed', '1.5', 'must be an integer'],
])('%s that is %s is invalid', async (key, value, text) => {
  const { exit, err, item } = await runTest('module.exports = async () => ({});', {
    [key]: JSON.parse(value),
    expect: {},
  });
  expect(exit).toBe(3);
  expect(JSON.stringify(item ?? err)).toContain(JSON.stringify(text).slice(1, -1));
});
