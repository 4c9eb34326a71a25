import { describe, expect, it } from 'vitest';
import { createApplication } from '../../src/service/applications.ts';
import { ADMIN, bodyOf, KEY, NOW, officialFormula, REACTOR_PERMISSIONS, temporaryService } from './fixture.ts';

const ONE = `/reactor-formulas/${officialFormula().id}`;

describe('a request over HTTP', () => {
  it.each([
    [{}, 401, 'is missing'],
    [{ 'svc-api-key': '' }, 401, 'is missing'],
    [{ 'svc-api-key': 'key_unknown' }, 401, 'is unknown'],
    [{ 'svc-api-key': 'good-key' }, 200, ''],
  ])('with the headers %j gets %i', async (headers, wanted, detail) => {
    const { ask, store } = await temporaryService(null);
    createApplication(store, { name: 'n', type: 'expiring', permissions: [], key: 'good-key', now: NOW });
    const { status, json } = await ask('GET', '/permissions', undefined, headers as Record<string, string>);
    expect(status).toBe(wanted);
    if (status !== 200) expect(json.detail).toContain(detail);
  });

  it('reads the key from a custom header', async () => {
    const { ask, store } = await temporaryService(null, { apiKeyHeader: 'X-Key' });
    const { key } = createApplication(store, { name: 'n', type: 'private', permissions: [], now: NOW });
    expect((await ask('GET', '/permissions', undefined, { 'x-key': key })).status).toBe(200);
    expect((await ask('GET', '/permissions', undefined, { 'svc-api-key': key })).json.detail).toContain('X-Key');
  });

  it.each([
    [{ host: 'evil.example' }, 403],
    [{ host: '127.0.0.1.evil.example' }, 403],
    [{ host: '127.0.0.1:80', origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'file://localhost' }, 403],
    [{ host: '[::1]:99', origin: 'http://localhost:3000' }, 401],
    [{ host: 'LOCALHOST' }, 401],
  ])('with the headers %j is accepted only from this computer: %i', async (headers, wanted) => {
    const { ask } = await temporaryService(null);
    const answered = await ask('GET', '/permissions', undefined, headers as Record<string, string>);
    expect(answered.status).toBe(wanted);
    expect([...answered.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('gets 429 above the rate limit', async () => {
    let ms = 0;
    const { ask } = await temporaryService(null, { rate: 2, now: () => new Date(ms) });
    const statuses = [];
    for (ms of [0, 0, 0, 400, 600, 600]) statuses.push((await ask('GET', '/permissions')).status);
    expect(statuses).toEqual([401, 401, 429, 429, 401, 429]);
    expect((await ask('GET', '/permissions')).headers.get('retry-after')).toBe('1');
  });
});

describe('an operation', () => {
  it.each([
    ['GET', '/reactor-formulas', 'reactor:read'],
    ['POST', '/reactor-formulas', 'reactor:create'],
    ['GET', ONE, 'reactor:read'],
    ['PUT', ONE, 'reactor:update'],
    ['DELETE', ONE, 'reactor:delete'],
  ])('%s %s requires the permission %s, which the response contains', async (method, path, permission) => {
    const permissions = REACTOR_PERMISSIONS.filter((other) => other !== permission);
    const { ask } = await temporaryService({ ...ADMIN, permissions });
    const { status, json } = await ask(method, path, method.startsWith('P') ? bodyOf() : undefined);
    expect(status).toBe(403);
    expect(json.detail).toBe(`This operation needs the permission ${permission}.`);
  });
});

describe('a query', () => {
  it.each([
    ['/reactor-formulas?name=a&name=b', 'name'],
    ['/permissions?application_type=private&application_type=management', 'application_type'],
  ])('%s is rejected with 400 that contains the parameter', async (path, name) => {
    const { ask } = await temporaryService();
    const { status, json } = await ask('GET', path);
    expect(status).toBe(400);
    expect(Object.keys(json.errors)).toEqual([name]);
  });
});

describe('a problem', () => {
  it('is application/json that contains the path', async () => {
    const { ask } = await temporaryService();
    const { headers, json } = await ask('GET', `${ONE}?page=1`);
    expect(headers.get('content-type')).toBe('application/json');
    const detail = expect.any(String);
    expect(json).toEqual({ type: 'about:blank', title: 'Not Found', status: 404, detail, instance: ONE });
  });

  it.each(['/', '/nothing', '/reactor-formulas//', `${ONE}/code`, '/Permissions'])('is 404 at %s', async (path) => {
    const { ask } = await temporaryService();
    const { status, json } = await ask('GET', path);
    expect([status, json.title]).toEqual([404, 'Not Found']);
  });

  it.each([
    ['DELETE', '/permissions', 'GET, HEAD'],
    ['PUT', '/reactor-formulas/', 'GET, HEAD, POST'],
    ['PATCH', ONE, 'GET, HEAD, PUT, DELETE'],
    ['OPTIONS', ONE, 'GET, HEAD, PUT, DELETE'],
  ])('is 405 for %s %s, with the allowed methods', async (method, path, allow) => {
    const { ask } = await temporaryService();
    const { status, headers } = await ask(method, path);
    expect([status, headers.get('allow')]).toEqual([405, allow]);
  });

  it('is 500 without the cause if the service fails', async () => {
    const { ask, store } = await temporaryService();
    store.formulas.get = () => {
      throw new Error('secret cause');
    };
    const { status, text } = await ask('GET', ONE);
    expect(status).toBe(500);
    expect(text).not.toContain('secret');
  });
});

describe('the body of a write', () => {
  it.each([
    ['application/json', 201],
    ['Application/JSON; charset=utf-8', 201],
    ['application/json; charset="UTF8"', 201],
    ['application/json; charset=iso-8859-1', 415],
    ['application/json; a=b; Charset = utf-16', 415],
    ['application/json; charset=', 415],
    ['application/vnd.service.v1+json', 201],
    ['text/plain', 415],
    ['application/jsonp', 415],
    ['', 415],
  ])('with the content type %j gets %i', async (type, wanted) => {
    const { ask } = await temporaryService();
    const { status } = await ask('POST', '/reactor-formulas', bodyOf(), { 'content-type': type });
    expect(status).toBe(wanted);
  });

  it.each([
    ['gzip', 415],
    ['br, gzip', 415],
    ['x-unknown', 415],
    ['Identity', 201],
  ])('with the content encoding %j gets %i', async (encoding, wanted) => {
    const { ask } = await temporaryService();
    const { status, json } = await ask('POST', '/reactor-formulas', bodyOf(), { 'content-encoding': encoding });
    expect(status).toBe(wanted);
    if (status === 415) expect(json.detail).toContain('Content-Encoding');
  });

  it('may have an id, audit fields and unknown keys, which are ignored', async () => {
    const { ask } = await temporaryService();
    const extras = { id: officialFormula().id, created_by: 'me', modified_at: 'now', status: 'x', new_key: { a: 1 } };
    const { status, json } = await ask('POST', '/reactor-formulas', { ...bodyOf(), ...extras });
    expect(status).toBe(201);
    expect(json.id).not.toBe(extras.id);
    expect(json).not.toMatchObject({ created_by: 'me' });
    expect(Object.keys(json)).not.toContain('new_key');
    expect((await ask('PUT', `/reactor-formulas/${json.id}`, { ...bodyOf(), ...extras })).json.id).toBe(json.id);
  });

  const nested = (levels: number) => JSON.stringify(bodyOf()).replace('{', `{"x": ${deep(levels - 1)},`);
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it.each([
    ['nothing', '', 400],
    ['no JSON', '{"name": ', 400],
    ['text', '"text"', 400],
    ['null', 'null', 400],
    ['an array', '[]', 400],
    ['broken UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400],
    ['a byte order mark before it', `\ufeff${JSON.stringify(bodyOf())}`, 201],
    ['64 levels', nested(64), 201],
    ['65 levels', nested(65), 400],
    ['a million levels', nested(1_000_000), 400],
    ['brackets and quotes in a string', JSON.stringify(bodyOf({ code: `"\\${'['.repeat(100)}` })), 201],
  ])('that is or has %s gets %i', async (_title, body, wanted) => {
    const { ask } = await temporaryService();
    const { status, json } = await ask('POST', '/reactor-formulas', body);
    expect(status).toBe(wanted);
    if (status === 400) expect(Object.keys(json.errors)).toEqual(['body']);
  });

  it('of 10 MiB is accepted, and a larger one is not read to its end', async () => {
    const { ask, app } = await temporaryService();
    const limit = 10 * 1024 * 1024;
    const code = 'c'.repeat(limit - JSON.stringify(bodyOf({ code: '' })).length);
    expect((await ask('POST', '/reactor-formulas', bodyOf({ code }))).json.code).toHaveLength(code.length);
    expect((await ask('POST', '/reactor-formulas', bodyOf({ code: `${code}c` }))).status).toBe(413);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(2 ** 20)) });
    const init = { method: 'POST', body: endless, headers: { 'content-type': 'application/json', 'svc-api-key': KEY } };
    const request = new Request('http://localhost/reactor-formulas', { ...init, duplex: 'half' } as RequestInit);
    expect((await app.fetch(request)).status).toBe(413);
  });
});

describe('the available permissions', () => {
  it('are returned as rows of type, description, and application types', async () => {
    const { ask } = await temporaryService();
    const all = await ask('GET', '/permissions');
    expect(all.status).toBe(200);
    expect(all.json).toHaveLength(30);
    expect(all.json[2]).toEqual({
      type: 'token:read',
      description: 'Read tokens',
      application_types: ['private', 'expiring'],
    });
    expect(new Set(all.json.map((row: { type: string }) => row.type)).size).toBe(30);
  });

  it.each([
    ['?application_type=public', 2],
    ['?application_type=private', 6],
    ['?application_type=expiring', 1],
    ['?application_type=Management', 0],
    ['/?application_type=management', 24],
    ['?application_type=nobody', 0],
    ['?application_type=', 30],
  ])('are filtered by the query %s', async (query, rows) => {
    const { ask } = await temporaryService();
    const { status, json } = await ask('GET', `/permissions${query}`);
    expect([status, json.length]).toEqual([200, rows]);
  });
});
