/** run --record: a run against a real server, and the test that it becomes. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BARE, cardFiles, folderWith, inFolder } from '../../helpers/folders.ts';
import { listening } from '../../helpers/loopback.ts';
import { exitsWith, expectExit, run } from '../../helpers/test-host.ts';
import { node16 } from '../../node16/setup.ts';

const ON = node16 ? ['--node', node16] : [];
const MANIFEST = {
  configuration: [
    { name: 'API_URL', type: 'string' },
    { name: 'API_KEY', type: 'string' },
  ],
  request_parameters: [{ name: 'amount', type: 'number' }],
};
const CODE = `const http = require('http');
const post = (url, body, headers) => new Promise((resolve, reject) => {
  const sent = http.request(url, { method: 'POST', headers }, (response) => {
    const parts = [];
    response.on('data', (part) => parts.push(part));
    response.on('end', () => {
      const bytes = Buffer.concat(parts);
      const text = response.headers['content-encoding'] ? require('zlib').gunzipSync(bytes) : bytes;
      resolve({ status: response.statusCode, body: JSON.parse(text) });
    });
  });
  sent.on('error', reject);
  sent.end(JSON.stringify(body));
});
module.exports = async ({ args, configuration, bt }) => {
  const { API_URL, API_KEY } = configuration;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + API_KEY };
  const { status, body } = await post(API_URL + '/charges?api_key=' + API_KEY + '&n=1', { amount: args.amount, key: API_KEY, password: 'in the code itself' }, headers);
  if (status !== 200) throw Object.assign(new Error('declined with ' + API_KEY), { status });
  const stored = bt ? (await bt.tokens.create({ id: body.id })).id : null;
  return { raw: { id: body.id, session: body.session_token, stored } };
};
`;
const KEY = 'sk_live_0123456789';

/** A server that echoes the key that it got. */
async function startService(status = 200): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const session_token = 'session-9876543210';
      const body = { id: 'ch_1', session_token, echo: request.headers.authorization, note: 'für dich' };
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'set-cookie': 'a=b',
      });
      response.end(gzipSync(JSON.stringify(body)));
    });
  });
  return `http://${await listening(server)}`;
}

async function record(status = 200, words: string[] = [], files: Record<string, string> = {}) {
  const cwd = folderWith(cardFiles(MANIFEST, { 'code.js': CODE, ...files }));
  const url = await startService(status);
  const request = ['--args', '{"amount":5}', '--configuration', JSON.stringify({ API_URL: url, API_KEY: KEY })];
  const ended = await run(['formula', 'run', '.', ...ON, ...request, '--record', 'tests/charge.json', ...words], {
    cwd,
  });
  const path = join(cwd, 'tests/charge.json');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return { ...ended, cwd, url, text };
}

describe('run --record', () => {
  it('writes a test that passes without a network, and has no configuration value or secret', async () => {
    const { code, out, err, cwd, url, text } = await record();
    expect({ code, out: JSON.parse(out) }).toEqual({
      code: 0,
      out: { raw: { id: 'ch_1', session: 'session-9876543210', stored: null } },
    });
    expect(JSON.parse(text)).toEqual({
      name: 'charge',
      args: { amount: 5 },
      configuration: { API_URL: 'http://api-url.example', API_KEY: '<API_KEY>' },
      doubles: {
        http: [
          {
            request: 'POST http://api-url.example/charges?api_key=*&n=1',
            body: { amount: 5, key: '<API_KEY>' },
            response: {
              status: 200,
              headers: { 'content-encoding': 'gzip' },
              json: { id: 'ch_1', session_token: '<session_token>', echo: 'Bearer <API_KEY>', note: 'für dich' },
            },
          },
        ],
      },
      expect: { raw: { id: 'ch_1', session: '<session_token>', stored: null } },
    });
    for (const secret of ['in the code itself', KEY, url, 'session-9876543210', 'a=b'])
      expect(text).not.toContain(secret);
    expect(err).toContain('note: recorded tests/charge.json: POST http://api-url.example/charges?api_key=*&n=1 (200)');
    expect(err).toContain('stores args and responses in clear');
    expect(err).not.toContain('does not pass');
    expect(await run(['formula', 'test', '.', ...ON], { cwd })).toMatchObject({ code: 0 });
  });

  it('records the calls of bt, but not the requests that its client makes', async () => {
    const bt = `const http = require('http');
      module.exports = { tokens: { create: ({ id }) => new Promise((done) => http.get(process.env.X || 'http://127.0.0.1:1', done).on('error', () => done({ id: 'tok-' + id }))) } };`;
    const { code, cwd, text } = await record(200, ['--bt', 'bt.js'], { 'bt.js': bt });
    expect(code).toBe(0);
    const { doubles } = JSON.parse(text);
    expect(doubles.bt).toEqual({ 'tokens.create': [{ returns: { id: 'tok-ch_1' } }] });
    expect(doubles.http).toHaveLength(1);
    expect(await run(['formula', 'test', '.', ...ON], { cwd })).toMatchObject({ code: 0 });
  });

  it('becomes a test that passes, with its calls in order, text that keeps its digits, and headers that the code reads', async () => {
    const code = `const http = require('http');
      const get = (url) => new Promise((done) => http.get(url, (response) => {
        let text = '';
        response.on('data', (part) => { text += part; });
        response.on('end', () => done({ id: response.headers['x-request-id'], text }));
      }).on('error', ({ message }) => done({ message })));
      module.exports = async ({ configuration: { API_URL } }) => ({ raw: {
        all: await Promise.all([get(API_URL + '/slow?b=1&a=x'), get(API_URL + '/fast')]), down: await get('http://127.0.0.1:1/') } });`;
    const server = createServer(({ url = '' }, response) => {
      response.setHeader('content-type', 'application/json').setHeader('x-request-id', url).setHeader('x-other', '1');
      setTimeout(() => response.end('{"id":9007199254740993,"amount":1.0}'), url.startsWith('/slow') ? 100 : 0);
    });
    const url = `http://${await listening(server)}`;
    const manifest = { configuration: [{ name: 'API_URL', type: 'string' }], request_parameters: [] };
    const cwd = folderWith(inFolder('cards', cardFiles(manifest, { 'code.js': code })));
    const words = ['--configuration', JSON.stringify({ API_URL: url }), '--record', 'cards/tests/a.json'];
    const { err } = await run(['formula', 'run', 'cards', ...ON, ...words], { cwd });
    expect(err).not.toContain('does not pass');
    const { doubles, expect: expected } = JSON.parse(readFileSync(join(cwd, 'cards/tests/a.json'), 'utf8'));
    expect(doubles.http.map((double: { request: string }) => double.request)).toEqual([
      'GET http://api-url.example/slow?b=1&a=x',
      'GET http://api-url.example/fast',
      'GET http://127.0.0.1:1/',
    ]);
    const headers = { 'content-type': 'application/json', 'x-request-id': '/fast' };
    const text = '{"id":9007199254740993,"amount":1.0}';
    expect(doubles.http[1].response).toEqual({ status: 200, headers, text });
    expect(JSON.stringify(expected)).not.toContain(url.slice(7));
  });

  it('records an error of the code', async () => {
    const { code, cwd, text } = await record(402);
    expect(code).toBe(1);
    expect(JSON.parse(text).expect).toEqual({ error: { message: 'declined with <API_KEY>', status: 402 } });
    expect(await run(['formula', 'test', '.', ...ON], { cwd })).toMatchObject({ code: 0 });
  });

  it.each([
    ['outside of tests/', 'charge.json', 'must be tests/NAME.json'],
    ['above the folder', 'tests/../../charge.json', 'must be tests/NAME.json'],
    ['that is not JSON', 'tests/charge.txt', 'must be tests/NAME.json'],
    ['that exists', 'tests/there.json', 'already exists'],
  ])('rejects a file %s', async (_, file, words) => {
    const cwd = folderWith(cardFiles(MANIFEST, { 'tests/there.json': '{}' }));
    expectExit(await run(['formula', 'run', '.', ...ON, '--record', file], { cwd }), 2, words);
  });

  it('rejects tests/ that is a symbolic link, and --watch', async () => {
    const cwd = folderWith(cardFiles(MANIFEST));
    mkdirSync(join(cwd, 'other'));
    symlinkSync('other', join(cwd, 'tests'));
    const words = ['formula', 'run', '.', ...ON, '--record', 'tests/a.json'];
    for (const flags of [[], ['--watch']]) expect(await run([...words, ...flags], { cwd })).toMatchObject({ code: 2 });
  });

  it('writes nothing for an outcome that no test can expect', async () => {
    const code = 'module.exports = async () => process.exit(0);';
    const cwd = folderWith(cardFiles(BARE, { 'code.js': code }));
    expect(await run(['formula', 'run', '.', ...ON, '--record', 'tests/a.json'], { cwd })).toMatchObject(
      exitsWith(1, 'tests/a.json was not recorded'),
    );
    expect(existsSync(join(cwd, 'tests/a.json'))).toBe(false);
  });
});
