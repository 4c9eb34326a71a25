/** doubles.http, and the closed network of tests: real clients of Node.js over real sockets. */
import { describe, expect, it } from 'vitest';
import { runTest } from '../../helpers/one-test.ts';
import { node16 } from '../../node16/setup.ts';

const URL_ = 'https://api.example.com/charges';
const SEND = `const send = (url, { method = 'GET', body, headers = {}, ...options } = {}) => new Promise((resolve, reject) => {
  const { request } = url.startsWith('https') ? require('https') : require('http');
  const sent = request(url, { method, headers: body ? { 'content-type': 'application/json', ...headers } : headers, ...options }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part) => { text += part; });
    response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
  });
  sent.on('timeout', () => sent.destroy(new Error('timed out')));
  sent.on('error', reject);
  sent.end(body && JSON.stringify(body));
});
`;
const code = (body: string) => `${SEND}module.exports = async ({ args }) => { ${body} };`;
const http = (...doubles: object[]) => ({ doubles: { http: doubles } });
const ok = (json: unknown) => ({ status: 200, json });
const NODES = [['this Node.js', process.execPath], ...(node16 ? [['Node.js 16', node16]] : [])] as [string, string][];

describe.each(NODES)('a double of HTTP on %s', (_, node) => {
  it('responds over https and http, with status, headers, and each kind of body', async () => {
    const body = code(`
      const a = await send('${URL_}', { method: 'POST', body: { amount: 5 } });
      const b = await send('http://api.example.com:8080/text');
      const c = await send('${URL_}/pdf');
      return { raw: { a: [a.status, a.headers['x-id'], a.headers['content-type'], a.text], b: b.text, c: c.text } };`);
    const test = {
      ...http(
        { request: `POST ${URL_}`, response: { status: 201, headers: { 'x-id': '7' }, json: { id: 'ch_1' } } },
        { request: 'GET http://api.example.com:8080/text', response: { status: 200, text: 'grüße' } },
        { request: `GET ${URL_}/*`, response: { status: 200, base64: 'AGE=' } },
      ),
      expect: {
        raw: { a: [201, '7', 'application/json', '{"id":"ch_1"}'], b: 'grüße', c: '\u0000a' },
        calls: [
          { http: `POST ${URL_}`, body: { amount: 5 } },
          { http: 'GET http://*/text' },
          { http: `GET ${URL_}/pdf` },
        ],
        ordered: true,
      },
    };
    expect(await runTest(body, test, { node })).toMatchObject({ exit: 0, item: { outcome: 'passed' } });
  });

  it('matches parameters as values in any order, and the listed headers', async () => {
    const body = code(`
      const headers = { Authorization: 'Bearer sk', 'idempotency-key': '7' };
      const a = await send('${URL_}?to=a+b&from=%41&to=c', { headers });
      const b = await send('${URL_}', { headers: { authorization: 'Bearer other' } });
      return { raw: { a: a.text, b: b.text } };`);
    const test = {
      ...http(
        { request: `GET ${URL_}`, headers: { AUTHORIZATION: 'Bearer sk' }, times: 'any', error: 'ECONNRESET' },
        { request: `GET ${URL_}?to=c&to=a%20b&from=A`, headers: { authorization: '* sk' }, response: ok(1) },
        { request: `GET ${URL_}`, headers: { authorization: '*' }, response: ok(2) },
      ),
      expect: {
        raw: { a: '1', b: '2' },
        calls: [
          { http: `GET ${URL_}?*`, headers: { 'Idempotency-Key': '*', authorization: 'Bearer sk' } },
          { http: `GET ${URL_}`, headers: { authorization: 'Bearer sk' } },
        ],
      },
    };
    const { item } = await runTest(body, test, { node });
    const call = item.error.actual.calls[1];
    expect(call).toEqual({ http: `GET ${URL_}`, headers: { authorization: 'Bearer other' } });
    expect(item.error.message).toContain('was not called');
  });

  it('compresses by its content-encoding, and keeps the length of a response to HEAD', async () => {
    const body = code(`
      const zlib = require('zlib');
      const get = (name) => new Promise((done) => require('https').get('${URL_}/' + name, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => done(Buffer.concat(parts)));
      }));
      const { headers } = await send('${URL_}', { method: 'HEAD' });
      return { raw: { size: headers['content-length'], gzip: String(zlib.gunzipSync(await get('gzip'))),
        br: String(zlib.brotliDecompressSync(await get('br'))), deflate: String(zlib.inflateSync(await get('deflate'))) } };`);
    const encodings = ['gzip', 'br', 'deflate'];
    const test = {
      ...http(
        { request: `HEAD ${URL_}`, response: { status: 200, headers: { 'Content-Length': '52100' } } },
        ...encodings.map((name) => ({
          request: `GET ${URL_}/${name}`,
          response: { status: 200, headers: { 'content-encoding': name }, json: { name } },
        })),
      ),
      expect: {
        raw: { size: '52100', ...Object.fromEntries(encodings.map((name) => [name, JSON.stringify({ name })])) },
      },
    };
    expect(await runTest(body, test, { node })).toMatchObject({ exit: 0 });
  });

  it('that is delayed is not blamed on the code that no longer waits', async () => {
    const body = code(`
      const late = await send('${URL_}', { timeout: 300 }).catch(({ message }) => message);
      return { raw: { late } };`);
    const test = {
      ...http({ request: `GET ${URL_}`, response: { ...ok({}), delay_ms: 3000 } }),
      expect: { raw: { late: 'timed out' } },
    };
    const { item } = await runTest(body, test, { node });
    expect(item).toMatchObject({ outcome: 'passed' });
    expect(item.warnings).toBeUndefined();
  });

  it('responds to parallel calls, each with the first double that matches and is not used up', async () => {
    const body = code(`
      const agent = new (require('https').Agent)({ keepAlive: true, maxSockets: 2 });
      const all = await Promise.all([3, 1, 2, 1].map((n) => send('${URL_}', { method: 'POST', body: { n, x: 1 }, agent })));
      return { raw: { all: all.map(({ text }) => text) } };`);
    const test = {
      ...http(
        { request: `POST ${URL_}`, body: { n: 1 }, times: 2, response: { status: 200, text: 'one', delay_ms: 20 } },
        { request: `POST ${URL_}`, body: { n: 2 }, times: 'any', response: { status: 200, text: 'two' } },
        { request: `POST ${URL_}`, response: { status: 200, text: 'other' } },
      ),
      expect: { raw: { all: ['other', 'one', 'two', 'one'] } },
    };
    expect(await runTest(body, test, { node })).toMatchObject({ exit: 0, item: { outcome: 'passed' } });
  });

  it.each([
    ['a reset', 'ECONNRESET', 'ECONNRESET'],
    ['an unknown host', 'ENOTFOUND', 'getaddrinfo ENOTFOUND api.example.com'],
    ['a refused connection', 'ECONNREFUSED', 'connect ECONNREFUSED api.example.com:443'],
    ['an expired certificate', 'CERT_HAS_EXPIRED', 'certificate has expired'],
  ])('fails with %s', async (_, error, message) => {
    const test = {
      ...http({ request: `GET ${URL_}`, error }),
      expect: { raw: { code: error, message: expect.stringContaining(message) } },
    };
    const body = code(
      `try { await send('${URL_}'); } catch ({ code, message }) { return { raw: { code, message } }; }`,
    );
    const { item } = await runTest(body, { ...test, expect: { raw: {} } }, { node });
    expect(item.error.actual).toEqual(test.expect);
  });

  it('responds after the delay in the test, so that a time limit of the code can expire', async () => {
    const body = code(`return send('${URL_}', { timeout: 500 });`);
    const test = {
      ...http({ request: `GET ${URL_}`, response: { status: 200, delay_ms: 5000 } }),
      expect: { error: { message: 'timed out' } },
    };
    expect(await runTest(body, test, { node })).toMatchObject({ exit: 0 });
  });

  it('that is missing fails the test with the position, the call, and the JSON to add, even if the code catches the error', async () => {
    const body = `${SEND}module.exports = async () => {\n  await send('${URL_}?a=1', { method: 'POST', body: { n: 1 } }).catch(() => 0);\n  return { raw: {} };\n};`;
    const { exit, message } = await runTest(body, { expect: { raw: {} } }, { node });
    expect(exit).toBe(1);
    expect(message).toMatch(
      /^code\.js:3:16: no double for POST https:\/\/api\.example\.com\/charges\?a=1 with \{"n":1\}\n/,
    );
    expect(message).toContain(
      `add to "doubles": {"http":[{"request":"POST ${URL_}?a=1","response":{"status":200,"json":{}}}]}`,
    );
  });

  it('that is called too rarely, or not at all, fails the test', async () => {
    const doubles = http(
      { request: `GET ${URL_}`, times: 2, response: ok({}) },
      { request: 'GET https://other.example/', times: 'any', response: ok({}) },
    );
    const test = { ...doubles, expect: { raw: {} } };
    const { exit, message } = await runTest(code(`await send('${URL_}'); return { raw: {} };`), test, { node });
    expect({ exit, message }).toEqual({
      exit: 1,
      message: `the double of GET ${URL_} was called 1 of 2 times\nthe double of GET https://other.example/ was not called`,
    });
  });

  it('leaves nothing behind that is reported as still running', async () => {
    const test = { ...http({ request: `GET ${URL_}`, response: ok({}) }), expect: { raw: {} } };
    const body = code(
      `await send('${URL_}', { agent: new (require('https').Agent)({ keepAlive: true }) }); return { raw: {} };`,
    );
    const { item } = await runTest(body, test, { node });
    expect(item).toMatchObject({ outcome: 'passed' });
    expect(item.warnings).toBeUndefined();
  });
});

it('uses one double for each redirect and retry of a client', async () => {
  const body = code(`
    const first = await send('${URL_}');
    const second = await send(first.headers.location).catch(() => send(first.headers.location));
    return { raw: { text: second.text } };`);
  const test = {
    ...http(
      { request: `GET ${URL_}`, response: { status: 302, headers: { location: 'https://b.example/x' } } },
      { request: 'GET https://b.example/x', error: 'ECONNRESET' },
      { request: 'GET https://b.example/x', response: { status: 200, text: 'done' } },
    ),
    expect: { raw: { text: 'done' } },
  };
  expect(await runTest(body, test)).toMatchObject({ exit: 0 });
});

it('reads the bodies of forms', async () => {
  const form = `const form = (type, body) => new Promise((done) => require('https').request('${URL_}', { method: 'POST', headers: { 'content-type': type } }, (response) => response.resume().on('end', done)).end(body));`;
  const body = code(`${form}
    await form('application/x-www-form-urlencoded', 'a=1&b=x&b=y');
    await form('multipart/form-data; boundary=zz', '--zz\\r\\nContent-Disposition: form-data; name="file"\\r\\n\\r\\ntext\\r\\n--zz--\\r\\n');
    return { raw: {} };`);
  const calls = [
    { http: `POST ${URL_}`, body: { a: '1', b: ['x', 'y'] } },
    { http: `POST ${URL_}`, body: { file: 'text' } },
  ];
  const test = { ...http({ request: `POST ${URL_}`, times: 2, response: ok({}) }), expect: { raw: {}, calls } };
  expect(await runTest(body, test)).toMatchObject({ exit: 0 });
});

it('responds to the fetch of Node.js, with the position of a call without a double', async () => {
  const body = `module.exports = async () => {\n  const response = await fetch('${URL_}', { method: 'POST', body: '{"a":1}' });\n  return { raw: await response.json() };\n};`;
  const doubled = {
    ...http({ request: `POST ${URL_}`, body: { a: 1 }, response: ok({ b: 2 }) }),
    expect: { raw: { b: 2 } },
  };
  expect(await runTest(body, doubled, { node: process.execPath })).toMatchObject({ exit: 0 });
  const { message } = await runTest(body, { expect: { error: {} } }, { node: process.execPath });
  expect(message).toMatch(/^code\.js:2:\d+: no double for POST/);
});

describe('without --network a test has none:', () => {
  it.each<[string, string]>([
    ['dns.lookup("example.com")', "require('dns').promises.lookup('example.com')"],
    ['dns.resolve4("example.com")', "new Promise((done) => require('dns').resolve4('example.com', done))"],
    [
      'net.connect("db.example:5432")',
      "new Promise((done) => require('net').connect(5432, 'db.example').on('close', done).write('x'))",
    ],
    ['net.connect("/run/db.sock")', "new Promise((done) => require('net').connect('/run/db.sock').on('error', done))"],
    ['net.connect("10.0.0.1:25")', "new Promise((done) => require('tls').connect(25, '10.0.0.1').on('close', done))"],
    [
      'net.connect("mail.example:25")',
      "new Promise((done) => require('net').connect(25, 'mail.example').on('close', done).on('connect', process.exit))",
    ],
    ['dgram.send()', "new Promise((done) => require('dgram').createSocket('udp4').send('x', 53, '192.0.2.1', done))"],
    [
      'http2.connect("https://api.example.com")',
      "new Promise((done) => require('http2').connect('https://api.example.com').on('error', done))",
    ],
    [
      'GET http://api.example.com/socket',
      "new Promise((done) => require('http').get('http://api.example.com/socket', { headers: { connection: 'upgrade', upgrade: 'websocket' } }).on('error', done))",
    ],
  ])('%s fails it, even if the code continues', async (call, expression) => {
    const { exit, message } = await runTest(
      `module.exports = async () => {\n  await ${expression}.catch(() => 0);\n  return { raw: {} };\n};`,
      { expect: { raw: {} } },
    );
    expect(exit).toBe(1);
    expect(message).toMatch(/^code\.js:2:\d+: no double for /);
    expect(message).toContain(`no double for ${call}\n`);
  });

  it.each<[string, object, string[]]>([
    ['"network": true in the test', { network: true }, []],
    ['--network', {}, ['--network']],
  ])('%s opens it, except for hosts with doubles', async (_, more, words) => {
    const body = code(`
      const server = require('http').createServer((_, response) => response.end('real'));
      await new Promise((done) => server.listen(0, '127.0.0.1', done));
      const real = await send('http://127.0.0.1:' + server.address().port + '/');
      server.close();
      return { raw: { real: real.text, double: (await send('${URL_}')).text } };`);
    const doubles = http({ request: `GET ${URL_}`, response: { status: 200, text: 'double' } });
    const test = { ...doubles, ...more, expect: { raw: { real: 'real', double: 'double' } } };
    expect(await runTest(body, test, { words })).toMatchObject({ exit: 0 });
  });
});
