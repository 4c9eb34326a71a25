/** The endpoints of formula dev over real sockets: responses, and who is refused. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cardFiles, inFolder } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { startWorkbench } from '../helpers/workbench.ts';

const REQUEST = { args: { card: { number: '4242' } }, configuration: { BRANDS: 'visa' } };

const cardWith = (code: string, folder = 'card') => inFolder(folder, cardFiles({}, { 'code.js': code }));

const readTest = (cwd: string, name: string) => JSON.parse(readFileSync(`${cwd}/card/tests/${name}.json`, 'utf8'));

describe('POST /formulas/<folder>', () => {
  it('returns exactly raw and tokenize of the code', async () => {
    const { send } = await startWorkbench(
      cardWith('module.exports = async (req) => ({ raw: req.args, tokenize: { b: 1 } });'),
    );
    const { status, body } = await send('POST', '/formulas/card', REQUEST);
    expect({ status, body }).toEqual({ status: 200, body: { raw: REQUEST.args, tokenize: { b: 1 } } });
  });

  it('adds printed output and duration with ?details', async () => {
    const { send } = await startWorkbench(
      cardWith('module.exports = async (req) => (console.log("hi"), { raw: req.args });'),
    );
    const { body } = await send('POST', '/formulas/card?details', REQUEST);
    expect(body).toEqual({
      raw: REQUEST.args,
      details: {
        ...{ status: 200, duration_ms: expect.any(Number), printed: 'hi\n', warnings: [], calls: [] },
        hash: expect.any(String),
      },
    });
  });

  it('runs the code that is on the disk at the time of the request', async () => {
    const { send, cwd } = await startWorkbench(cardWith('module.exports = async () => ({ raw: { v: 1 } });'));
    writeFileSync(`${cwd}/card/code.js`, 'module.exports = async () => ({ raw: { v: 2 } });');
    expect((await send('POST', '/formulas/card', REQUEST)).body).toEqual({ raw: { v: 2 } });
  });

  it('returns 400 with the errors by parameter, and runs nothing', async () => {
    const { send } = await startWorkbench(
      cardWith('module.exports = async () => {\n  throw new Error("must not run");\n};\n'),
    );
    const { status, body } = await send('POST', '/formulas/card', { args: { card: { year: 'x' } } });
    expect(status).toBe(400);
    expect(Object.keys(body.errors)).toEqual(['args.card.number', 'args.card.year', 'configuration.BRANDS']);
  });

  it('returns 422 with message, location, and frame when the code throws', async () => {
    const { send } = await startWorkbench(
      cardWith('module.exports = async () => {\n  throw new TypeError("no");\n};\n'),
    );
    const { status, body } = await send('POST', '/formulas/card', REQUEST);
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        message: expect.stringContaining('TypeError: no'),
        location: { file: 'code.js', line: 2, column: 9 },
        frame: expect.stringContaining('> 2 |   throw new TypeError'),
        error: { name: 'TypeError', message: 'no' },
      },
    });
  });

  it('returns 422 with the findings of an invalid folder', async () => {
    const { send } = await startWorkbench(cardWith('module.exports = ('));
    const { status, body } = await send('POST', '/formulas/card', REQUEST);
    expect({ status, location: body.location }).toEqual({
      status: 422,
      location: { file: 'code.js', line: 1, column: 19 },
    });
    expect(body.findings).toHaveLength(1);
  });

  it('ends the run when the client disconnects', async () => {
    const { cwd, url, token, texts } = await startWorkbench(
      cardWith(`module.exports = async ({ args }) => {
  require('node:fs').writeFileSync(args.card.number, '');
  await new Promise((done) => setTimeout(done, 3e4));
};`),
    );
    const client = new AbortController();
    const started = `${cwd}/started`;
    const body = JSON.stringify({ ...REQUEST, args: { card: { number: started } } });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = fetch(`${url}/formulas/card`, { method: 'POST', headers, body, signal: client.signal });
    await expect.poll(() => existsSync(started), { interval: 10, timeout: 20_000 }).toBe(true);
    client.abort();
    await expect(sent).rejects.toThrow();
    await expect.poll(() => texts.err, { interval: 10, timeout: 5000 }).toContain('POST /formulas/card 500');
  });

  it.each(['/formulas/%', '/formulas/%E0%A4%A', '/formulas/..%2Fcard', '/formulas/card/x', '//formulas/card'])(
    'returns 404 for %s',
    async (path) => {
      const { send } = await startWorkbench(cardWith('module.exports = async () => ({ raw: {} });'));
      expect((await send('POST', path, REQUEST)).status).toBe(404);
    },
  );

  it.each([
    ['415 for a form', 415, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['400 for a body that is not JSON', 400, '{', {}],
    ['400 for an array', 400, '[]', {}],
    ['413 above 10 MiB', 413, JSON.stringify({ args: 'x'.repeat(11 * 2 ** 20) }), {}],
    ['400 for a test that does not exist', 400, { ...REQUEST, test: { file: 'tests/none.json' } }, {}],
  ])('returns %s', async (_, expected, body, headers) => {
    const { send } = await startWorkbench(cardWith('module.exports = async () => ({ raw: {} });'));
    expect((await send('POST', '/formulas/card', body, headers)).status).toBe(expected);
  });

  it('names folders of one name by their relative paths, encoded', async () => {
    const { send } = await startWorkbench({
      ...cardWith('module.exports = async () => ({ raw: { in: "a" } });', 'a/card'),
      ...cardWith('module.exports = async () => ({ raw: { in: "b" } });', 'b/card'),
      ...cardWith('module.exports = async () => ({ raw: { in: "c" } });', 'c/100% "é" ?#'),
    });
    const { formulas } = (await send('GET', '/formulas')).body;
    const endpoints = formulas.map(({ endpoint }: { endpoint: string }) => endpoint);
    expect(endpoints).toEqual(['/formulas/a%2Fcard', '/formulas/b%2Fcard', '/formulas/100%25%20%22%C3%A9%22%20%3F%23']);
    const replies = await Promise.all(endpoints.map((path: string) => send('POST', path, REQUEST)));
    expect(replies.map(({ body }) => body)).toEqual([{ raw: { in: 'a' } }, { raw: { in: 'b' } }, { raw: { in: 'c' } }]);
    expect((await send('POST', '/formulas/card', REQUEST)).status).toBe(404);
  });
});

describe('a run that starts from a test', () => {
  const CODE = 'module.exports = async ({ bt }) => ({ raw: { id: (await bt.tokens.create({ data: 1 })).id } });';
  const CHARGE = {
    name: 'charge',
    ...REQUEST,
    doubles: { bt: { 'tokens.create': [{ returns: { id: 't1' } }] } },
    expect: { raw: { id: 't1' } },
  };
  const FILES = {
    ...cardWith(CODE),
    'card/tests/cards.json': JSON.stringify([{ ...CHARGE, doubles: { bt: { 'tokens.create': [] } } }, CHARGE]),
  };

  it('is listed by name, with its request on demand', async () => {
    const { send } = await startWorkbench(FILES);
    const [card] = (await send('GET', '/formulas')).body.formulas;
    expect(card.tests).toEqual(
      [0, 1].map((index) => ({ file: 'tests/cards.json', index, name: 'charge', hash: expect.any(String) })),
    );
    const { doubles } = CHARGE;
    const test = `${card.endpoint}/tests?file=tests/cards.json&index=1`;
    expect((await send('GET', test)).body).toEqual({ ...REQUEST, doubles });
    expect((await send('GET', `${card.endpoint}/tests?file=../x.json`)).status).toBe(400);
  });

  it('is listed with its problem if its file is invalid, and cannot be run', async () => {
    const { send } = await startWorkbench({ ...cardWith(CODE), 'card/tests/bad.json': '{"args": 1' });
    const [card] = (await send('GET', '/formulas')).body.formulas;
    expect(card.tests).toMatchObject([{ name: expect.stringMatching(/^tests\/bad\.json: invalid JSON/) }]);
    expect((await send('POST', '/formulas/card', { test: { file: 'tests/bad.json' } })).status).toBe(400);
  });

  it('gets the responses of its doubles, and lists the calls', async () => {
    const { send } = await startWorkbench(FILES);
    const test = { file: 'tests/cards.json', index: 1 };
    expect((await send('POST', '/formulas/card', { ...REQUEST, test })).body).toEqual({ raw: { id: 't1' } });
    const { details } = (await send('POST', '/formulas/card?details', { ...REQUEST, test })).body;
    expect(details).toMatchObject({
      warnings: [],
      calls: [{ text: 'bt.tokens.create({"data":1})', has_double: true }],
    });
  });

  it('warns of calls without a double', async () => {
    const { send } = await startWorkbench(FILES);
    const { details } = (
      await send('POST', '/formulas/card?details', { ...REQUEST, test: { file: 'tests/cards.json' } })
    ).body;
    expect(details.warnings.join()).toContain('no double for bt.tokens.create({"data":1})');
    const add = { bt: { 'tokens.create': [{ returns: {} }] } };
    expect(details.calls).toEqual([{ text: 'bt.tokens.create({"data":1})', has_double: false, add }]);
  });

  it('returns 422 for doubles that cannot be used', async () => {
    const test = { ...REQUEST, doubles: { modules: { x: './none.js' } }, expect: { raw: {} } };
    const { send } = await startWorkbench({ ...cardWith(CODE), 'card/tests/x.json': JSON.stringify(test) });
    expect(await send('POST', '/formulas/card', { ...REQUEST, test: { file: 'tests/x.json' } })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('none.js is not a file') },
    });
  });

  it('is saved with its doubles', async () => {
    const { send, cwd } = await startWorkbench(FILES);
    const request = { ...REQUEST, args: { card: { number: '5555' } }, test: { file: 'tests/cards.json', index: 1 } };
    expect(await send('POST', '/formulas/card/tests', { name: 'other', ...request })).toMatchObject({
      status: 201,
      body: { saved: { warning: expect.stringContaining('in clear') } },
    });
    expect(readTest(cwd, 'other')).toMatchObject({
      args: request.args,
      doubles: CHARGE.doubles,
      expect: { raw: { id: 't1' } },
    });
  });
});

describe('a run with doubles', () => {
  const CODE = 'module.exports = async ({ bt, configuration }) => ({ raw: await bt.tokens.create(configuration) });';
  const configuration = { BRANDS: 'visa-and-mastercard' };
  const doubles = {
    bt: { 'tokens.create': [{ returns: { id: 't1', of: configuration.BRANDS, api_key: 'key-0123456789' } }] },
  };
  const request = { ...REQUEST, configuration, doubles };

  it('is saved with them, without the configuration and secrets', async () => {
    const { send, cwd } = await startWorkbench(cardWith(CODE));
    const saved = await send('POST', '/formulas/card/tests', { name: 'made', ...request });
    expect(saved.body).toMatchObject({ raw: { id: 't1', of: configuration.BRANDS }, saved: { passes: true } });
    const test = readTest(cwd, 'made');
    expect(Object.keys(test.doubles.bt)).toEqual(['tokens.create']);
    expect(JSON.stringify(test)).not.toMatch(/visa-and-mastercard|key-0123456789/);
  });

  it('reaches nothing else, and lists the doubles that it lacks', async () => {
    const { send } = await startWorkbench(cardWith(CODE));
    const { body } = await send('POST', '/formulas/card?details', { ...request, doubles: { bt: {} } });
    expect(body.details.calls).toMatchObject([{ add: { bt: { 'tokens.create': [{ returns: {} }] } } }]);
    const none = await send('POST', '/formulas/card?details', { ...request, doubles: undefined });
    expect(none.body).toMatchObject({
      hint: expect.stringContaining('bt is null'),
      details: { calls: [{ add: { bt: {} } }] },
    });
  });

  it('is rejected if they are invalid', async () => {
    const { send } = await startWorkbench(cardWith(CODE));
    const { status, body } = await send('POST', '/formulas/card', { ...request, doubles: { http: [{}] } });
    expect([status, Object.keys(body.errors)]).toEqual([400, ['doubles']]);
  });
});

describe('a run of a test with a time and a seed', () => {
  it('has both, meets the expectation, and is saved with them', async () => {
    const code = 'module.exports = async () => ({ raw: { at: new Date().toISOString(), r: Math.random() } });';
    const test = {
      ...REQUEST,
      now: '2026-01-31T12:00:00Z',
      seed: 7,
      expect: { raw: { at: '2026-01-31T12:00:00.000Z' }, partial: true },
    };
    const { send, cwd } = await startWorkbench({ ...cardWith(code), 'card/tests/x.json': JSON.stringify(test) });
    const from = { test: { file: 'tests/x.json' } };
    const { raw, details } = (await send('POST', '/formulas/card?details', from)).body;
    expect(details.test).toEqual({ passed: true, message: '' });
    await send('POST', '/formulas/card/tests', { name: 'again', ...from });
    expect(readTest(cwd, 'again')).toMatchObject({ now: '2026-01-31T12:00:00.000Z', seed: 7, expect: { raw } });
  });
});

describe('a run that uses no double of its test', () => {
  it('is saved without them, and passes', async () => {
    const code = "module.exports = async ({ bt }) => {\n  throw new Error('early, ' + typeof bt);\n};\n";
    const test = { ...REQUEST, doubles: { bt: { 'tokens.create': [{ returns: 1 }] } }, expect: { raw: {} } };
    const { send } = await startWorkbench({ ...cardWith(code), 'card/tests/x.json': JSON.stringify(test) });
    const request = { ...REQUEST, test: { file: 'tests/x.json' } };
    expect(await send('POST', '/formulas/card/tests', { name: 'early', ...request })).toMatchObject({
      status: 201,
      body: { saved: { file: 'tests/early.json', passes: true } },
    });
  });
});

describe('a run without a test', () => {
  const CODE = `const https = require('node:http');
module.exports = async ({ configuration }) => ({
  raw: await new Promise((done, fail) => https.get(configuration.BRANDS, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk)).on('end', () => done(JSON.parse(text)));
  }).on('error', fail)),
});
`;

  it('uses the network, and is saved with its responses as doubles, without the configuration', async () => {
    let requests = 0;
    const { url } = await loopback((_, response) => json(response, 200, { id: ++requests }));
    const { send, cwd } = await startWorkbench(cardWith(CODE));
    const request = { ...REQUEST, configuration: { BRANDS: `${url}/orders` } };
    const { raw, details } = (await send('POST', '/formulas/card?details', request)).body;
    expect(raw).toEqual({ id: 1 });
    const add = { http: [{ request: `GET ${url}/orders`, response: { status: 200, json: { id: 1 } } }] };
    expect(details.calls).toEqual([{ text: `GET ${url}/orders`, has_double: false, add }]);
    const saved = await send('POST', '/formulas/card/tests', { name: 'order', ...request });
    expect(saved.body).toMatchObject({ raw: { id: 1 }, saved: { passes: true } });
    // The run that was shown is saved, so the request is not sent again.
    expect(requests).toBe(1);
    const test = readTest(cwd, 'order');
    expect(test.doubles.http).toHaveLength(1);
    expect(JSON.stringify(test)).not.toContain(url);
  });
});

describe('the workbench refuses', () => {
  const PATHS = [
    ['GET', '/'],
    ['GET', '/page.js'],
    ['GET', '/proof'],
    ['GET', '/formulas'],
    ['POST', '/formulas/card'],
  ] as const;

  it.each([
    ['a name that resolves to this computer (DNS rebinding)', { host: 'evil.example:80' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of another port of this computer', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['a fetch of another site that sends no origin', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ])('%s with 403, and allows no CORS', async (_, headers) => {
    const { send } = await startWorkbench(cardWith('module.exports = async () => ({ raw: {} });'));
    for (const [method, path] of [...PATHS, ['OPTIONS', '/formulas/card'] as const]) {
      const reply = await send(method, path, method === 'POST' ? REQUEST : undefined, headers);
      expect(reply.status).toBe(403);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it.each([undefined, 'Bearer ', 'Bearer 00000000-0000-4000-8000-000000000000'])(
    'endpoints with the Authorization header %s with 401',
    async (authorization) => {
      const { send } = await startWorkbench(cardWith('module.exports = async () => ({ raw: {} });'));
      for (const [method, path] of [
        ['GET', '/formulas'],
        ['POST', '/formulas/card'],
        ['POST', '/formulas/card/tests'],
      ] as const)
        expect((await send(method, path, method === 'POST' ? REQUEST : undefined, { authorization })).status).toBe(401);
    },
  );

  it('nothing from its own origin, or a link to the page', async () => {
    const { send, url } = await startWorkbench(cardWith('module.exports = async () => ({ raw: {} });'));
    const own = await send('POST', '/formulas/card', REQUEST, { origin: url, 'sec-fetch-site': 'same-origin' });
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect([own.status, (await send('GET', '/', undefined, link)).status]).toEqual([200, 200]);
  });
});

describe('a key of the tool', () => {
  it('is in no response and in no saved test', async () => {
    const key = 'key_0123456789abcdef0123456789abcdef';
    const code = `module.exports = async ({ args }) => (console.log(args), { raw: args });\nconst key = '${key}' +;\n`;
    const { send, cwd } = await startWorkbench(cardWith(code), [], { FORMULARY_API_KEY: key });
    expect((await send('GET', '/formulas')).text).not.toContain(key);
    writeFileSync(`${cwd}/card/code.js`, code.split('\n')[0] ?? '');
    const reply = await send('POST', '/formulas/card?details', { ...REQUEST, args: { card: { number: key } } });
    expect(reply).toMatchObject({ status: 200, body: { details: { printed: expect.stringContaining('number') } } });
    expect(reply.text).not.toContain(key);
    await send('POST', '/formulas/card/tests', { name: 'keyed', ...REQUEST, args: { card: { number: key } } });
    expect(JSON.stringify(readTest(cwd, 'keyed'))).not.toContain(key);
  });
});

describe('the page', () => {
  it('loads nothing from elsewhere, and is at most 60 KB in all', async () => {
    const { send } = await startWorkbench(cardWith('module.exports = async () => ({ raw: {} });'));
    const files = await Promise.all(
      ['/', '/page.css', '/page.js', '/icon.svg'].map((path) =>
        send('GET', path, undefined, { authorization: undefined }),
      ),
    );
    for (const { status, headers } of files) {
      expect(status).toBe(200);
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    const text = files.map((file) => file.text).join('');
    expect(Buffer.byteLength(text)).toBeLessThan(60 * 1024);
    expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:\/\/|innerHTML|insertAdjacentHTML|localStorage|sessionStorage/,
    );
  });
});
