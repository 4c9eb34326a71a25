/** One call over a real socket: the request, the accepted responses, and the result of each failure. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createServiceClient, type ServiceClient } from '../../src/api/client.ts';
import { findFormula } from '../../src/api/find-formula.ts';
import { getFormula, listFormulas } from '../../src/api/formula-reads.ts';
import { createFormula, deleteFormula, updateFormula } from '../../src/api/formula-writes.ts';
import { openTransport } from '../../src/api/http/transport.ts';
import { findPreexistingIds } from '../../src/api/incomplete-list.ts';
import { listPermissions } from '../../src/api/permissions.ts';
import type { Formula, FormulaBody } from '../../src/model.ts';
import { ApiKey } from '../../src/secrets/api-key.ts';
import { BARE } from '../helpers/folders.ts';
import { json, loopback, type Respond } from '../helpers/loopback.ts';
import { run } from '../helpers/test-host.ts';

const KEY = 'key_marked/+=&secret';
const ID = '33333333-3333-4333-8333-333333333333';
const FORMULA = { id: ID, name: 'Tokenize a card', type: 'private' };
const NONE: ReadonlySet<string> = new Set();
const BODY: FormulaBody = { name: 'Tokenize a card', type: 'private', code: 'x', ...BARE };
/** A response to a write that has every field that was sent. */
const WRITTEN = { ...FORMULA, ...BODY };

const serviceAt = (url: string, timeoutMs = 5000) => ({
  baseUrl: new URL(url),
  key: new ApiKey(KEY, 'test'),
  keyHeader: 'SVC-API-KEY',
  timeoutMs,
});

const sendTo = (url: string, timeoutMs?: number): ServiceClient =>
  createServiceClient(openTransport(serviceAt(url, timeoutMs)), url, retryOptions());

/** Retry options whose waits take no time, and add to its clock. */
function retryOptions(budgetMs = 10_000, messages: string[] = []) {
  let clock = Date.now();
  const sleep = async (milliseconds: number) => {
    clock += milliseconds;
  };
  const warn = (text: string) => void messages.push(text);
  return { budgetMs, now: () => new Date(clock), sleep, random: () => 0, warn };
}

async function serviceThat(respond: Respond) {
  const service = await loopback(respond);
  return { ...service, client: sendTo(service.url) };
}

/** How a promise failed, as far as the tests look. */
async function failure(promise: Promise<unknown>) {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  const { outcome, message, hint, status } = error as {
    outcome?: string;
    message: string;
    hint?: string;
    status?: number;
  };
  return { outcome, message, hint, status };
}

/** The note of a write that a check confirms. */
const NOTED = expect.stringMatching(
  /^note: the response to the \w+ request was lost, but a check shows that it succeeded/,
);

describe('a request', () => {
  it('sends the key, the content type, and the complete body once', async () => {
    const { client, requests } = await serviceThat((_, response) => json(response, 201, WRITTEN));
    await createFormula(client, BODY, NONE);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/reactor-formulas',
      headers: { 'svc-api-key': KEY, 'content-type': 'application/json' },
    });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(BODY);
  });

  it('encodes every character of a query parameter', async () => {
    const { client, requests } = await serviceThat((_, response) =>
      json(response, 200, { pagination: { total_pages: 1 }, data: [] }),
    );
    await listFormulas(client, { name: 'a&b=c#d+e%20f 😀*' });
    const { searchParams } = new URL(requests[0]?.url ?? '', 'http://x');
    expect([...searchParams]).toEqual([
      ['name', 'a&b=c#d+e%20f 😀*'],
      ['page', '1'],
      ['size', '100'],
    ]);
  });

  it.each([
    ['', '/permissions'],
    ['/', '/permissions'],
    ['/v1/tenant', '/v1/tenant/permissions'],
  ])('is appended to a base URL that ends in "%s"', async (path, url) => {
    const { url: origin, requests } = await loopback((_, response) => json(response, 200, []));
    await listPermissions(sendTo(origin + path), undefined);
    expect(requests[0]?.url).toBe(url);
  });

  it('reaches an IPv6 address', async () => {
    const { url } = await loopback((_, response) => json(response, 200, []), '::1');
    await expect(listPermissions(sendTo(url), undefined)).resolves.toEqual([]);
  });
});

describe('any 2xx with the right body', () => {
  it.each([200, 201, 202])('%d is success', async (status) => {
    const { client } = await serviceThat((_, response) => json(response, status, FORMULA));
    await expect(createFormula(client, BODY, NONE)).resolves.toEqual({ formula: FORMULA });
  });

  it.each([
    ['no body', 204, undefined],
    ['an empty object', 200, {}],
  ])('a delete with %s is success', async (_, status, body) => {
    const { client } = await serviceThat((_request, response) => json(response, status, body));
    await expect(deleteFormula(client, { id: ID, name: 'Tokenize a card' })).resolves.toEqual({});
  });

  it.each<[string, Partial<FormulaBody>, object]>([
    ['null or nothing', { description: 'What it does' }, { description: null, code: null, configuration: null }],
    ['an icon of its own', {}, { icon: 'data:image/png;base64,AAAA' }],
    ['another label for a JPEG', { icon: 'data:image/jpg;base64,AAAA' }, { icon: 'data:image/jpeg;base64,AAAA' }],
    ['a type that is not known', {}, { type: 'tenant' }],
    [
      'defaults of elements',
      { request_parameters: [{ name: 'a', type: 'string' }] },
      { request_parameters: [{ name: 'a', type: 'string', description: null, optional: false }] },
    ],
  ])('of a create may contain %s', async (_, sent, shown) => {
    const { client } = await serviceThat((_request, response) => json(response, 201, { ...FORMULA, ...shown }));
    await expect(createFormula(client, { ...BODY, ...sent }, NONE)).resolves.toEqual({
      formula: { ...FORMULA, ...shown },
    });
  });

  it('may have a byte order mark, and be compressed with gzip', async () => {
    const { client } = await serviceThat((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(`\ufeff${JSON.stringify(FORMULA)}`));
    });
    await expect(getFormula(client, ID)).resolves.toEqual(FORMULA);
  });

  it('may be in the charset that it declares', async () => {
    const body = Buffer.from(JSON.stringify({ ...FORMULA, description: 'prüfen' }), 'latin1');
    const { client } = await serviceThat((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json; charset=ISO-8859-1' }).end(body),
    );
    await expect(getFormula(client, ID)).resolves.toEqual({ ...FORMULA, description: 'prüfen' });
  });

  it('may contain null in every field but id and name, and unknown keys', async () => {
    const answer = { ...FORMULA, code: null, configuration: null, icon: null, new_key: 1 };
    const { client } = await serviceThat((_, response) => json(response, 200, answer));
    await expect(getFormula(client, ID)).resolves.toEqual(answer);
  });

  it('of an update may be empty; then the formula is read', async () => {
    const { client, requests } = await serviceThat(({ method }, response) =>
      json(response, 200, method === 'GET' ? FORMULA : undefined),
    );
    await expect(updateFormula(client, ID, BODY)).resolves.toEqual({ formula: FORMULA });
    expect(requests.map(({ method }) => method)).toEqual(['PUT', 'GET']);
  });

  const PARTS: [string, object][] = [
    ['only an id and a name', { id: ID, name: BODY.name }],
    ['null for the code', { ...WRITTEN, code: null }],
    ['no configuration', { ...WRITTEN, configuration: undefined }],
  ];
  const READ = { ...WRITTEN, status: 'verified', modified_at: 'now' };
  it.each(PARTS)('of a write may contain %s; then the formula is read once', async (_, part) => {
    const { client, requests } = await serviceThat(({ method }, response) =>
      json(response, 200, method === 'GET' ? READ : part),
    );
    await expect(createFormula(client, BODY, NONE)).resolves.toEqual({ formula: READ });
    await expect(updateFormula(client, ID, BODY)).resolves.toEqual({ formula: READ });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /reactor-formulas',
      `GET /reactor-formulas/${ID}`,
      `PUT /reactor-formulas/${ID}`,
      `GET /reactor-formulas/${ID}`,
    ]);
  });

  it('without some fields is enough for a command that was interrupted', async () => {
    const stopping = new AbortController();
    const { url, requests } = await loopback((_, response) => {
      stopping.abort();
      json(response, 201, { id: ID, name: BODY.name });
    });
    const client = createServiceClient(openTransport(serviceAt(url)), url, {
      ...retryOptions(),
      abortSignal: stopping.signal,
    });
    await expect(createFormula(client, BODY, NONE)).resolves.toEqual({ formula: { ...BODY, id: ID } });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['cannot be read', 500, {}, /check the result of the (create|update), whose response was incomplete: .* 500/],
    [
      'has other content',
      200,
      { ...READ, code: 'y' },
      /response was incomplete, and the formula now differs from what was sent \(code\)/,
    ],
  ])('without some fields does not prove success if the formula %s', async (_, status, formula, words) => {
    const { client } = await serviceThat(({ method }, response) =>
      method === 'GET' ? json(response, status, formula) : json(response, 200, { id: ID, name: BODY.name }),
    );
    for (const write of [createFormula(client, BODY, NONE), updateFormula(client, ID, BODY)]) {
      const { outcome, message, hint } = await failure(write);
      expect([outcome, hint]).toEqual(['unknown', `To check, run: formulary formula get ${ID}`]);
      expect(message).toMatch(words);
    }
  });
});

describe('a response that does not prove success', () => {
  const web: Respond = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Sign in</title>');
  };
  it.each<[string, number, Respond]>([
    ['a web page', 1, web],
    ['a redirect', 1, (_, response) => response.writeHead(307, { location: 'http://localhost:1/' }).end()],
    ['cut JSON', 1, (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":')],
    ['an array for a formula', 1, (_, response) => json(response, 200, [FORMULA])],
    ['another formula', 1, (_, response) => json(response, 200, { ...FORMULA, id: ID.replaceAll('3', '4') })],
    ['a number for a name', 1, (_, response) => json(response, 200, { ...FORMULA, name: 1 })],
    ['no body', 1, (_, response) => json(response, 200, undefined)],
    ['500', 1, (_, response) => json(response, 500, undefined)],
    [
      'half of a gzip body',
      3,
      (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(FORMULA)).subarray(0, 20)),
    ],
    [
      'a body that breaks off',
      3,
      (_, response) => response.writeHead(200, { 'content-length': '100' }).write('{"id":', () => response.destroy()),
    ],
    [
      'a gzip body with a wrong byte',
      1,
      (_, response) => {
        const bytes = gzipSync(JSON.stringify(FORMULA));
        bytes.writeUInt8(bytes.readUInt8(20) ^ 0xff, 20);
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
      },
    ],
    [
      'bytes that are not UTF-8, without a charset',
      1,
      (_, response) => response.end(Buffer.from(JSON.stringify({ ...FORMULA, name: 'prüfen' }), 'latin1')),
    ],
    ['a reset', 6, (_, response) => response.socket?.resetAndDestroy()],
    ['503', 6, (_, response) => json(response, 503, { title: 'Try later' })],
    ['429', 6, (_, response) => json(response, 429, undefined)],
    ['429 for a day', 1, (_, response) => json(response, 429, undefined, { 'retry-after': '86400' })],
  ])('to a read is unavailable: %s, after %d attempts within ten seconds', async (_, times, respond) => {
    const { client, requests } = await serviceThat(respond);
    expect(await failure(getFormula(client, ID))).toMatchObject({ outcome: 'unavailable' });
    expect(requests).toHaveLength(times);
  });

  it('with a very long content type is reported with the beginning of it', async () => {
    const type = `text/${'x'.repeat(2000)}`;
    const { client } = await serviceThat((_, response) =>
      response.writeHead(200, { 'content-type': type }).end('text'),
    );
    const { message } = await failure(getFormula(client, ID));
    expect(message).toContain('but the response is text/xxx');
    expect(message.length).toBeLessThan(800);
  });

  it('is not awaited beyond the time limit, which includes the body', async () => {
    const { url } = await loopback((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('[');
    });
    expect(await failure(listPermissions(sendTo(url, 50), undefined))).toMatchObject({
      outcome: 'unavailable',
      message: expect.stringContaining('timed out after 0.05 s'),
    });
  });

  it('with another formula is reported with its id', async () => {
    const other = ID.replaceAll('3', '4');
    const { client } = await serviceThat((_, response) => json(response, 200, { ...FORMULA, id: other }));
    for (const ask of [getFormula(client, ID), updateFormula(client, ID, BODY)]) {
      expect((await failure(ask)).message).toContain(`the response is another formula: ${other}`);
    }
  });

  it('from a closed port is a refused connection, and nothing was sent', async () => {
    expect(await failure(createFormula(sendTo('http://127.0.0.1:1'), BODY, NONE))).toMatchObject({
      outcome: 'unavailable',
      message: expect.stringContaining('refused'),
    });
  });
});

describe('a list', () => {
  it('contains code and icon only if they are needed', async () => {
    const [one, two] = [
      { ...FORMULA, code: 'x', icon: 'data:,x' },
      { ...FORMULA, id: 'b', name: 'Other', code: 'y', icon: 'data:,y' },
    ];
    const { client } = await serviceThat((_, response) =>
      json(response, 200, { pagination: { total_items: 2, total_pages: 1 }, data: [one, two] }),
    );
    const { items } = await listFormulas(client, { needsContent: ({ name }) => name === 'Other' });
    expect(items).toEqual([{ ...one, code: null, icon: null }, two]);
  });

  it.each([
    [['--json'], 'x'],
    [['-o', 'csv'], 'x'],
    [['--fields', 'id,code'], 'x'],
    [['--fields', 'id,icon', '--json'], 'data:,x'],
    [[], 'Tokenize a card'],
  ])('with %j prints the requested fields', async (flags, words) => {
    const { url } = await loopback((_, response) =>
      json(response, 200, { data: [{ ...FORMULA, code: 'x', icon: 'data:,x' }] }),
    );
    const ended = await run(['formula', 'list', ...flags], {
      env: { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: KEY },
    });
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining(words) });
  });
});

describe('a list that continues', () => {
  type Continue = (start: number, host: string) => { next?: string; link?: string };
  /** Seven formulas, three a page, of which each but the last refers to the next one. */
  const pages =
    (continuation: Continue): Respond =>
    ({ url, headers }, response) => {
      const start = Number(new URL(url, 'http://x').searchParams.get('start') ?? 0);
      const { next = null, link } = start < 6 ? continuation(start + 3, `http://${headers.host}`) : {};
      const data = ['1', '2', '3', '4', '5', '6', '7'].slice(start, start + 3).map((id) => ({ id, name: 'a' }));
      json(response, 200, { pagination: { page_size: 3, next }, data }, link ? { link } : {});
    };

  const list = (env: Record<string, string>) => run(['formula', 'list', '--fields', 'id'], { env });

  it.each<[string, Continue, string]>([
    ['by a cursor', (start) => ({ next: `${start}` }), ''],
    ['by a URL', (start, host) => ({ next: `${host}/reactor-formulas?start=${start}` }), ''],
    [
      'by a Link header below a base path',
      (start, host) => ({ link: `<${host}/v1/reactor-formulas?start=${start}>; rel="next"` }),
      '/v1',
    ],
    ['by one of several links', (start) => ({ link: `<?start=0>; rel="first", <?start=${start}>; rel="next"` }), ''],
  ])('%s is complete', async (_, continuation, path) => {
    const { url, env, requests } = await loopback(pages(continuation));
    const { out, err } = await list({ ...env, FORMULARY_BASE_URL: url + path });
    expect([out.split('\n').join(''), err]).toEqual(['1234567', '']);
    expect(requests).toHaveLength(3);
  });

  it.each<[string, Continue, string]>([
    ['on another host', (start) => ({ next: `http://other.example/reactor-formulas?start=${start}` }), ''],
    ['at another path', (start, host) => ({ link: `<${host}/reactor-formulas?start=${start}>; rel=next` }), '/v1'],
  ])('%s is incomplete', async (_, continuation, path) => {
    const { url, env } = await loopback(pages(continuation));
    const { out, err } = await list({ ...env, FORMULARY_BASE_URL: url + path });
    expect([out.split('\n').join(''), err]).toEqual(['123', expect.stringContaining('which is not followed')]);
  });
});

describe('a rejected request', () => {
  it.each([
    [400, 'failed'],
    [401, 'denied'],
    [403, 'denied'],
    [404, 'not_found'],
    [409, 'conflict'],
    [412, 'conflict'],
    [422, 'failed'],
  ])('with %d is %s', async (status, outcome) => {
    const { client } = await serviceThat((_, response) => json(response, status, { title: 'No', detail: 'because' }));
    expect(await failure(getFormula(client, ID))).toMatchObject({
      outcome,
      status,
      message: expect.stringContaining('No: because'),
    });
  });

  it('for the key contains its source and suffix, and the command to run', async () => {
    const { url } = await loopback((_, response) => json(response, 401, undefined));
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_long_enough' };
    const { code, err } = await run(['formula', 'list'], { env });
    expect(code).toBe(4);
    expect(err).toMatch(/The service rejected the API key from FORMULARY_API_KEY \(…ough\)\./);
    expect(err).not.toContain('key_long');
  });

  it.each<[string, (client: ServiceClient) => Promise<unknown>, string]>([
    ['a list points at the base URL', listFormulas, 'Check the base URL'],
    ['one formula points at the list', (client) => getFormula(client, ID), 'formulary formula list'],
  ])('with 404 of %s', async (_, ask, words) => {
    const { client } = await serviceThat((_request, response) => json(response, 404, { title: 'Not Found' }));
    const { message, hint } = await failure(ask(client));
    expect(hint).toContain(words);
    expect(message.split(ID).length - 1).toBeLessThanOrEqual(1);
  });

  it('for a permission contains it, and which applications can have it', async () => {
    const { client } = await serviceThat((_, response) => json(response, 403, undefined));
    expect((await failure(createFormula(client, BODY, NONE))).hint).toMatch(/reactor:create.*management/);
  });

  it('with field errors shows them', async () => {
    const errors = { 'request_parameters[0].type': ['Unknown type.'] };
    const { client } = await serviceThat((_, response) => json(response, 400, { errors }));
    expect((await failure(getFormula(client, ID))).message).toContain('request_parameters[0].type: Unknown type.');
  });
});

describe('an argument for a formula', () => {
  const LIST = [FORMULA, { id: 'b', name: '../permissions' }, { id: 'c', name: 'Twice' }, { id: 'd', name: 'Twice' }];
  const list: Respond = ({ url }, response) =>
    json(response, 200, url.startsWith(`/reactor-formulas/${ID}`) ? FORMULA : { data: LIST });

  it('is an id if it is a UUID', async () => {
    const { client, requests } = await serviceThat(list);
    await expect(findFormula(client, ID)).resolves.toEqual(FORMULA);
    expect(requests.map(({ url }) => url)).toEqual([`/reactor-formulas/${ID}`]);
  });

  it('is otherwise an exact name, and never part of a path', async () => {
    const { client, requests } = await serviceThat(list);
    await expect(findFormula(client, '../permissions')).resolves.toMatchObject({ id: 'b' });
    expect(requests.every(({ url }) => url.startsWith('/reactor-formulas?'))).toBe(true);
  });

  it.each([
    ['tokenize a card', 'not_found', 'tokenize a card'],
    [' Tokenize a card', 'not_found', 'Tokenize'],
    ['Twice', 'conflict', 'c, d'],
  ])('%j is %s', async (word, outcome, words) => {
    const { client } = await serviceThat(list);
    expect(await failure(findFormula(client, word))).toMatchObject({
      outcome,
      message: expect.stringContaining(words),
    });
  });
});

describe('a create whose response is lost', () => {
  const MADE = { ...FORMULA, ...BODY, id: ID };

  /** Responds to the create in one way, and to the check that follows with a list. */
  const lost =
    (answer: Respond, list: unknown[]): Respond =>
    (request, response) =>
      request.method === 'POST'
        ? answer(request, response)
        : json(response, 200, { pagination: { total_pages: 1, total_items: list.length }, data: list });
  const reset: Respond = (_, response) => response.socket?.resetAndDestroy();
  const empty: Respond = (_, response) => json(response, 201, undefined);
  const broken: Respond = (_, response) => json(response, 500, undefined);
  const accepted: Respond = (_, response) => json(response, 202, undefined);
  const web: Respond = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  const redirect: Respond = (_, response) => response.writeHead(302, { location: '/reactor-formulas' }).end();
  const half: Respond = (_, response) =>
    response.writeHead(201, { 'content-length': '100' }).write('{"id":', () => response.destroy());

  it('is verified by reading the formula if lists have no code', async () => {
    const { code, ...listed } = MADE;
    const { client, requests } = await serviceThat((request, response) =>
      request.url.endsWith(ID) ? json(response, 200, MADE) : lost(web, [listed])(request, response),
    );
    await expect(createFormula(client, BODY, NONE)).resolves.toEqual({ formula: MADE, note: NOTED });
    expect(requests.map(({ method, url }) => `${method} ${url.split('?')[0]}`)).toEqual([
      'POST /reactor-formulas',
      'GET /reactor-formulas',
      `GET /reactor-formulas/${ID}`,
    ]);
  });

  it.each<[string, Respond]>([
    ['a reset', reset],
    ['no body', empty],
    ['500', broken],
    ['a web page', web],
    ['a redirect', redirect],
    ['half of a body', half],
    ['bytes that are not UTF-8', (_, response) => response.writeHead(201).end(Buffer.from('{"a":"\xfc"}', 'latin1'))],
    ['a list', (_, response) => json(response, 200, [])],
    ['its id alone', (_, response) => json(response, 201, { id: ID })],
  ])('by %s is verified by reading, and is not sent again', async (_, answer) => {
    const { client, requests } = await serviceThat(
      lost(answer, [{ ...MADE, id: 'old' }, MADE, { ...MADE, id: 'other', code: 'y' }]),
    );
    await expect(createFormula(client, BODY, new Set(['old']))).resolves.toEqual({ formula: MADE, note: NOTED });
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it.each<[string, Respond, unknown[], string]>([
    ['500 and nothing new: it was not done', broken, [{ ...MADE, id: 'old' }], 'unavailable'],
    ['a reset and nothing new: it may yet be done', reset, [{ ...MADE, id: 'old' }], 'unknown'],
    ['no body and nothing new: it was not done', empty, [], 'unavailable'],
    ['a web page and nothing new: it was not done', web, [{ ...MADE, id: 'old' }], 'unavailable'],
    ['a redirect and nothing new: it was not done', redirect, [], 'unavailable'],
    ['half of a body and nothing new: it was not done', half, [], 'unavailable'],
    ['no formula and nothing new: not done', (_, response) => json(response, 201, { ok: true }), [], 'unavailable'],
    ['a web page and a new one of another content', web, [{ ...MADE, code: 'y' }], 'unknown'],
    ['500 and a new one of another content', broken, [{ ...MADE, code: 'y' }], 'unavailable'],
    ['202 without a body and nothing new: it may yet be done', accepted, [], 'unknown'],
    ['a reset and two new ones', reset, [MADE, { ...MADE, id: 'x' }], 'unknown'],
  ])('by %s', async (_, answer, list, outcome) => {
    const { client, requests } = await serviceThat(lost(answer, list));
    expect(await failure(createFormula(client, BODY, new Set(['old'])))).toMatchObject({ outcome });
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('by a reset is unknown if the list before it was incomplete, although it may be found', async () => {
    const before = { items: [{ ...FORMULA, id: 'old' } as Formula], incompleteReason: 'one is missing' };
    expect(findPreexistingIds({ ...before, incompleteReason: undefined })).toEqual(new Set(['old']));
    const { client } = await serviceThat(lost(reset, [MADE]));
    const created = createFormula(client, BODY, findPreexistingIds(before));
    expect(await failure(created)).toMatchObject({ outcome: 'unknown' });
  });

  it('by 500, with an incomplete list, is unknown', async () => {
    const { client } = await serviceThat(({ method }, response) =>
      method === 'POST'
        ? json(response, 500, undefined)
        : json(response, 200, { pagination: { total_items: 50, total_pages: 3 }, data: [{ ...MADE, id: 'old' }] }),
    );
    expect(await failure(createFormula(client, BODY, new Set(['old'])))).toMatchObject({ outcome: 'unknown' });
  });

  it.each<[string, number, object, string]>([
    ['another name and code', 201, { ...MADE, name: 'Other', code: 'y' }, 'differs from what was sent (name, code)'],
    ['an operation', 202, { id: 'op-1', name: 'queued', status: 'pending' }, 'differs from what was sent (name)'],
    ['another type', 200, { ...MADE, type: 'official' }, 'differs from what was sent (type)'],
    ['an argument more', 200, { ...MADE, request_parameters: [{ name: 'a', type: 'string' }] }, 'request_parameters'],
    ['an id that changes the path', 201, { ...MADE, id: '../../x' }, 'cannot be part of a URL: "../../x"'],
    ['an id of dots', 201, { ...MADE, id: '..' }, 'cannot be part of a URL: ".."'],
  ])('because it contains %s counts as applied only if a check confirms it', async (_, status, shown, words) => {
    const answer: Respond = (_request, response) => json(response, status, shown);
    const absent = await serviceThat(lost(answer, []));
    expect(await failure(createFormula(absent.client, BODY, NONE))).toMatchObject({
      outcome: 'unknown',
      message: expect.stringContaining(words),
      hint: expect.stringContaining('formulary formula list'),
    });
    const { client, requests } = await serviceThat(lost(answer, [MADE]));
    await expect(createFormula(client, BODY, NONE)).resolves.toEqual({ formula: MADE, note: NOTED });
    for (const asked of [absent.requests, requests]) {
      expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET']);
    }
  });

  it('is unknown if the formula has an id that changes the path', async () => {
    const { client } = await serviceThat(lost(broken, [{ ...MADE, id: '../../x' }]));
    expect(await failure(createFormula(client, BODY, NONE))).toMatchObject({ outcome: 'unknown' });
  });

  it('is not proven by a formula that existed before', async () => {
    const { client } = await serviceThat(lost((_, response) => json(response, 201, MADE), [MADE]));
    expect(await failure(createFormula(client, BODY, new Set([ID])))).toMatchObject({
      outcome: 'unknown',
      message: expect.stringContaining(`a formula that existed before: ${ID}`),
    });
  });

  it.each([reset, broken])('is unknown if the check fails too, and the message shows how to check', async (respond) => {
    const { client } = await serviceThat(respond);
    expect(await failure(createFormula(client, BODY, NONE))).toMatchObject({
      outcome: 'unknown',
      hint: expect.stringContaining('formulary formula list'),
    });
  });

  it('to 429 is retried, because it was not applied', async () => {
    let asked = 0;
    const { client, requests } = await serviceThat((_, response) =>
      ++asked < 3 ? json(response, 429, undefined, { 'retry-after': '1' }) : json(response, 201, MADE),
    );
    await expect(createFormula(client, BODY, NONE)).resolves.toEqual({ formula: MADE });
    expect(requests).toHaveLength(3);
  });
});

describe('an update or a delete with an unknown outcome', () => {
  const BEFORE = { ...FORMULA, ...BODY, id: ID, code: 'before' };
  const AFTER = { ...FORMULA, ...BODY, id: ID };
  const reset: Respond = (_, response) => response.socket?.resetAndDestroy();
  const status =
    (code: number): Respond =>
    (_, response) =>
      json(response, code, { title: 'No' });
  const found =
    (formula: object): Respond =>
    (_, response) =>
      json(response, 200, formula);
  const status204: Respond = (_, response) => response.writeHead(204).end();
  /** Responds to each write in one way, and to each check in another. */
  const split =
    (write: Respond, look: Respond): Respond =>
    (request, response) =>
      (request.method === 'GET' ? look : write)(request, response);

  it.each<[string, Respond, Respond, string]>([
    ['a reset and the new content', reset, found(AFTER), 'done'],
    ['500 and the new content', status(500), found(AFTER), 'done'],
    ['a reset and the old content', reset, found(BEFORE), 'unavailable'],
    ['a reset and some other content', reset, found({ ...AFTER, code: 'other' }), 'unknown'],
    ['a reset and no look', reset, reset, 'unknown'],
    ['an empty 200 and no look', (_, response) => json(response, 200, undefined), status(500), 'unknown'],
    ['an empty 204 and the old content', status204, found(BEFORE), 'unavailable'],
    ['an empty 204 and some other content', status204, found({ ...AFTER, code: 'other' }), 'unknown'],
    ['an empty 204 and the new content', status204, found(AFTER), 'done'],
    ['a redirect and the new content', status(303), found(AFTER), 'done'],
    ['a redirect and the old content', status(303), found(BEFORE), 'unavailable'],
    ['a web page and the new content', (_, response) => response.end('<html>'), found(AFTER), 'done'],
    ['the formula of another id, and the new content', found({ ...AFTER, id: 'b' }), found(AFTER), 'done'],
    ['the old content twice', found(BEFORE), found(BEFORE), 'unavailable'],
    ['the old content and then the new', found(BEFORE), found(AFTER), 'done'],
    ['another name and some other content', found({ ...AFTER, name: 'x' }), found({ ...AFTER, code: 'z' }), 'unknown'],
    ['a description that was to go', found({ ...AFTER, description: 'x' }), reset, 'unknown'],
  ])('as an update by %s', async (_, write, look, wanted) => {
    const { client } = await serviceThat(split(write, look));
    const ending = updateFormula(client, ID, BODY, BEFORE);
    if (wanted === 'done') return expect((await ending).formula).toEqual(AFTER);
    const { outcome, hint } = await failure(ending);
    expect(outcome).toBe(wanted);
    if (wanted === 'unknown') expect(hint).toContain(`formulary formula get ${ID}`);
  });

  it.each<[string, Respond, Respond, string]>([
    ['a reset and 404', reset, status(404), 'done'],
    ['a web page and 404', (_, response) => response.end('<html>'), status(404), 'done'],
    ['a web page and the formula', (_, response) => response.end('<html>'), found(BEFORE), 'unavailable'],
    ['a redirect and 404', status(302), status(404), 'done'],
    ['a redirect and the formula', status(302), found(BEFORE), 'unavailable'],
    ['500 and the formula', status(500), found(BEFORE), 'unavailable'],
    ['a reset and the formula', reset, found(BEFORE), 'unknown'],
    ['a reset and no look', reset, reset, 'unknown'],
    ['500 and no look', status(500), status(500), 'unknown'],
  ])('as a delete by %s', async (_, write, look, wanted) => {
    const { client } = await serviceThat(split(write, look));
    const ending = deleteFormula(client, { id: ID, name: 'Tokenize a card' });
    if (wanted === 'done') return expect(await ending).toEqual({ note: NOTED });
    expect((await failure(ending)).outcome).toBe(wanted);
  });

  it('has the status of the response, also if a check shows that nothing was changed', async () => {
    const { client } = await serviceThat(split(status(500), found(BEFORE)));
    expect(await failure(deleteFormula(client, { id: ID, name: 'Tokenize a card' }))).toMatchObject({
      status: 500,
      message: expect.stringContaining('; a check shows that the change was not applied'),
    });
  });

  it('by an attempt before the last one, for any response of the last one', async () => {
    let asked = 0;
    const { client } = await serviceThat((request, response) => {
      if (request.method === 'GET') return found({ ...AFTER, code: 'other' })(request, response);
      return (++asked === 1 ? reset : status(429))(request, response);
    });
    expect((await failure(updateFormula(client, ID, BODY, BEFORE))).outcome).toBe('unknown');
  });
});

describe('a write that is retried', () => {
  /** Fails the first request in one way, and responds to the next. */
  const second = (first: Respond, next: Respond): Respond => {
    let asked = 0;
    return (request, response) => (++asked === 1 ? first(request, response) : next(request, response));
  };
  const reset: Respond = (_, response) => response.socket?.resetAndDestroy();
  const absent: Respond = (_, response) => json(response, 404, { title: 'Not found' });

  it('as an update after a reset succeeds with the first response', async () => {
    const { client, requests } = await serviceThat(second(reset, (_, response) => json(response, 200, WRITTEN)));
    await expect(updateFormula(client, ID, BODY)).resolves.toEqual({ formula: WRITTEN });
    expect(requests.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
  });

  it('as a delete succeeds with 404', async () => {
    const { client } = await serviceThat(second(reset, absent));
    await expect(deleteFormula(client, { id: ID, name: 'Tokenize a card' })).resolves.toEqual({});
  });

  it('as a delete that gets 404 after 429 was not applied', async () => {
    const { client } = await serviceThat(second((_, response) => json(response, 429, undefined), absent));
    expect(await failure(deleteFormula(client, { id: ID, name: 'Tokenize a card' }))).toMatchObject({
      outcome: 'not_found',
    });
  });

  it('reports waits of a second or more', async () => {
    const messages: string[] = [];
    const { url } = await loopback(
      second(
        (_, response) => json(response, 503, undefined, { 'retry-after': '2' }),
        (_, response) => json(response, 200, FORMULA),
      ),
    );
    await getFormula(createServiceClient(openTransport(serviceAt(url)), url, retryOptions(10_000, messages)), ID);
    expect(messages).toEqual(['waiting 2.0 s, then trying again (status 503)']);
  });
});

describe('parallel requests of one client', () => {
  it('all wait if one has to, report it once, and continue', async () => {
    const messages: string[] = [];
    const { url, requests } = await loopback((_, response) =>
      requests.length <= 12 ? json(response, 429, undefined, { 'retry-after': '2' }) : json(response, 200, FORMULA),
    );
    let clock = 0;
    let troubles = 0;
    let endWaits: () => void = () => undefined;
    const allRefused = new Promise<void>((done) => {
      endWaits = done;
    });
    const hostOptions = {
      ...retryOptions(120_000, messages),
      now: () => new Date(clock),
      // Time passes when all have met the refusal; until then nobody may have gone on.
      sleep: async (milliseconds: number) => {
        const end = clock + milliseconds;
        await allRefused;
        expect(requests.length).toBeGreaterThanOrEqual(12);
        clock = Math.max(clock, end);
      },
      random: () => {
        if (++troubles === 12) endWaits();
        return 0;
      },
    };
    const client = createServiceClient(openTransport(serviceAt(url), { connections: 12 }), url, hostOptions);
    const found = await Promise.all(Array.from({ length: 12 }, () => getFormula(client, ID)));
    expect(found).toHaveLength(12);
    expect(requests).toHaveLength(24);
    expect(messages).toEqual(['waiting 2.0 s, then trying again (status 429)']);
  });

  it('all fail at once if one would have to wait too long, and report the wait', async () => {
    const { url, requests } = await loopback((_, response) =>
      json(response, 429, undefined, { 'retry-after': '86400' }),
    );
    const client = createServiceClient(openTransport(serviceAt(url)), url, retryOptions());
    const first = await failure(getFormula(client, ID));
    const second = await failure(createFormula(client, BODY, NONE));
    for (const { outcome, message } of [first, second]) {
      expect(outcome).toBe('unavailable');
      expect(message).toMatch(/returned 429 \(rate limited; retry after 86(400|39\d) s\)/);
    }
    expect(requests).toHaveLength(1);
  });
});
