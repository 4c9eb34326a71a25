/** Whatever comes from the other end of a socket, a command ends with an exit code that means something. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith } from '../../helpers/folders.ts';
import { bareLoopback } from '../../helpers/loopback.ts';
import { runs } from '../../helpers/runs.ts';
import { exitsWith, expectExit, type RunResult, run } from '../../helpers/test-host.ts';

const KEY = 'key_marked_secret';
const ID = '33333333-3333-4333-8333-333333333333';
const FORMULA = { id: ID, name: 'Tokenize a card', type: 'private' };

/** One command for each operation, with a folder for those that take one. */
const COMMANDS: ((folder: string) => string[])[] = [
  () => ['permissions', 'list'],
  () => ['formula', 'list'],
  () => ['formula', 'get', ID],
  (folder) => ['formula', 'create', folder],
  (folder) => ['formula', 'update', ID, folder],
  () => ['formula', 'delete', ID, '--yes'],
];

/** A complete HTTP/1.1 response as bytes. */
function http(status: number | string, body: string | Buffer, headers: Record<string, string> = {}): Buffer {
  const length = String(Buffer.byteLength(body));
  const all = { 'content-type': 'application/json', 'content-length': length, connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`), Buffer.from(body)]);
}

const envOf = (url: string, state = folderWith()) => ({
  FORMULARY_BASE_URL: url,
  FORMULARY_API_KEY: KEY,
  XDG_STATE_HOME: state,
});

/** Runs a command against a port with these responses; waits take no time. */
async function meets(words: readonly string[], answer: Buffer | string, state?: string): Promise<RunResult> {
  const { url } = await bareLoopback(() => answer);
  return run([...words, '--retry-timeout', '1'], { env: envOf(url, state) });
}

const folder = () => folderWith(cardFiles());
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const list = (formula: object) => JSON.stringify({ data: [{ ...FORMULA, ...formula }] });

/** Responses that are not HTTP, and invalid HTTP. */
const NO_HTTP: [string, Buffer | string][] = [
  ['an ssh port', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['a mail server', '220 mail.example ESMTP\r\n'],
  ['an HTTP/2 preface', Buffer.from('00001204000000000000030000006400040000ffff', 'hex')],
  ['a TLS alert', Buffer.from('15030300020228', 'hex')],
  ['nothing', ''],
  ['a bad chunk size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
  ['a header without a colon', 'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n{}'],
  ['a status of letters', 'HTTP/1.1 abc OK\r\n\r\n{}'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
  ['headers without an end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
  ['101', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ['100 and nothing else', 'HTTP/1.1 100 Continue\r\n\r\n'],
];

describe('a response that is not HTTP', () => {
  it.each(NO_HTTP)('is unavailable for a read, with method, URL, and cause: %s', async (_, answer) => {
    expect(await meets(['formula', 'list', '--json'], answer)).toMatchObject(
      exitsWith(8, /GET http:\/\/127\.0\.0\.1:\d+\/reactor-formulas\S* failed( after \d attempts)?: .+ \(\w+\)/, ''),
    );
  });

  it.each(NO_HTTP)('to a create is verified by reading: %s', async (_, answer) => {
    const answers = [http(200, '{"data":[]}'), answer, http(200, list({ code: 'x' }))];
    const { url, requests } = await bareLoopback(() => answers.shift() ?? http(200, '{"data":[]}'));
    const { code } = await run(['formula', 'create', folder()], { env: envOf(url) });
    expect(code).toBe(9);
    expect(requests.map((request) => request.split(' ')[0])).toEqual(['GET', 'POST', 'GET', 'GET']);
  });
});

describe('JSON that is crafted to break the parser', () => {
  it.each<[string, Buffer, number]>([
    ['null among the configuration', http(200, list({ configuration: [null] })), 8],
    ['a text among the parameters', http(200, list({ request_parameters: ['x'] })), 8],
    ['a number for the name of an element', http(200, list({ configuration: [{ name: 1, type: 'string' }] })), 8],
    ['a nested text for optional', http(200, list({ request_parameters: [{ name: 'a', optional: 'no' }] })), 8],
    ['unknown fields, nested 20,000 deep', http(200, list({}).replace('"id"', `"x":${nested(20_000)},"id"`)), 8],
    ['a list nested 100,000 deep', http(200, nested(100_000)), 8],
    ['errors that are not strings', http(400, '{"errors":{"a":[{"toString":1,"valueOf":1}]}}'), 1],
    ['errors nested 20,000 deep', http(400, `{"errors":{"a":${nested(20_000)}}}`), 1],
    ['an error that is null', http(400, '{"error":null,"errors":null,"title":null}'), 1],
    ['an encoding named __proto__', http(200, '{"data":[]}', { 'content-encoding': '__proto__' }), 0],
    ['a header named __proto__', http(200, '{"data":[]}', { __proto__x: 'y', ['__proto__']: 'z' }), 0],
    ['a moment that is a number', http(200, list({ modified_at: 1_767_225_600, created_by: {} })), 0],
    ['moments that are lists and objects', http(200, list({ modified_at: [{}], created_at: { a: 1 } })), 0],
    ['an id that is ..', http(200, list({ id: '..' })), 0],
  ])('%s', async (_, answer, wanted) => {
    for (const flags of [['--json'], ['-o', 'csv'], []]) {
      const { code } = await meets(['formula', 'list', ...flags], answer);
      expect(code).toBe(wanted);
    }
  });

  it('may contain audit fields that are not strings', async () => {
    const state = folderWith();
    const [dir, columns] = [folder(), 80];
    for (const modified_at of [7, [null], { at: 7 }]) {
      const answer = http(200, JSON.stringify({ ...FORMULA, code: 'x', modified_at, modified_by: modified_at }));
      const listed = http(200, list({ modified_at }));
      const { url } = await bareLoopback(() => answer);
      expect((await run(['formula', 'update', ID, dir], { env: envOf(url, state) })).code).not.toBe(70);
      const other = await bareLoopback(() => listed);
      expect((await run(['formula', 'list'], { env: envOf(other.url, state), columns })).code).toBe(0);
    }
  });

  it.each([7, 'management', { a: [] }, [[null], {}]])('may contain a permission for %j', async (odd) => {
    const answer = http(200, JSON.stringify([{ type: 'reactor:read', description: odd, application_types: odd }]));
    expect(await meets(['permissions', 'list'], answer)).toMatchObject({
      code: 0,
      out: expect.stringContaining('reactor:read'),
    });
  });

  it('is rejected if it would decompress beyond the limit', async () => {
    // What was packed in parts, and put together, unpacks to all of them: 300 MiB.
    const part = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    const bomb = Buffer.concat(Array.from({ length: 30 }, () => part));
    expectExit(await meets(['formula', 'list'], http(200, bomb, { 'content-encoding': 'gzip' })), 8, 'too large');
  });

  it('is rejected for headers that are too large, not for another protocol', async () => {
    expect(await meets(['formula', 'list'], http(200, '[]', { 'x-long': 'a'.repeat(20_000) }))).toMatchObject(
      exitsWith(8, 'the response headers exceed 16 KiB (UND_ERR_HEADERS_OVERFLOW)'),
    );
  });

  it.each<[string, Buffer, string]>([
    ['more than can be held', http(201, gzipSync(Buffer.alloc(140e6)), { 'content-encoding': 'gzip' }), 'too large'],
    ['more values than can be held', http(201, `[${'[],'.repeat(1_100_000)}0]`), 'too many values'],
  ])('to a create is verified if it has %s', async (_, answer, words) => {
    for (const [look, code] of [
      [http(200, '{"data":[]}'), 8],
      [http(500, ''), 9],
    ] as const) {
      const answers = [http(200, '{"data":[]}'), answer];
      const { url, requests } = await bareLoopback(() => answers.shift() ?? look);
      const flags = ['--retry-timeout', '1'];
      expectExit(await run(['formula', 'create', folder(), ...flags], { env: envOf(url) }), code, words);
      expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
    }
  });

  it.each(['.', '..', '\ud800'])('with the id %j causes no request with that id in its path', async (id) => {
    const { url, requests } = await bareLoopback(() => http(200, list({ id })));
    expect(await run(['formula', 'delete', 'Tokenize a card', '--yes'], { env: envOf(url) })).toMatchObject(
      exitsWith(8, 'cannot be used in a URL'),
    );
    expect(requests.filter((request) => !request.startsWith('GET /reactor-formulas?'))).toEqual([]);
  });

  it('with an id of other characters is requested by that id only', async () => {
    const { url, requests } = await bareLoopback(() => http(200, list({ id: '../x/%2e%2e\\y?z#' })));
    await run(['formula', 'delete', 'Tokenize a card', '--yes', '--no-history'], { env: envOf(url) });
    expect(requests.find((request) => request.startsWith('DELETE'))).toMatch(
      /^DELETE \/reactor-formulas\/\.\.%2Fx%2F%252e%252e%5Cy%3Fz%23 HTTP/,
    );
  });
});

describe('any response', () => {
  const statuses = fc.oneof(
    fc.constantFrom(200, 201, 204, 301, 400, 401, 404, 408, 409, 429, 500, 503),
    fc.integer({ min: 100, max: 999 }),
  );
  const names = fc.constantFrom(
    ...'content-type content-encoding content-length transfer-encoding retry-after'.split(' '),
    ...'location __proto__ x-request-id connection'.split(' '),
  );
  const values = fc.oneof(
    fc.constantFrom(...'application/json text/html gzip br chunked __proto__ 0 9999 close'.split(' ')),
    fc.constantFrom(KEY, 'Sun, 01 Mar 2026 12:00:05 GMT'),
    fc.string(),
  );
  const bodies = fc.oneof(
    fc.json(),
    fc.string(),
    fc.tuple(fc.string(), fc.string()).map(([before, after]) => before + KEY + after),
    fc.jsonValue().map((value) => JSON.stringify({ title: KEY, errors: { [KEY]: [`a ${KEY}`] }, value })),
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
    fc.jsonValue().map((value) => JSON.stringify({ data: [value], ...FORMULA, configuration: value })),
    fc.jsonValue().map((value) => JSON.stringify({ errors: value, error: value, title: value, detail: value })),
    fc.jsonValue().map((value) => list({ unknown: value, description: value, request_parameters: [value] })),
    fc.dictionary(fc.string(), fc.jsonValue()).map((errors) => JSON.stringify({ errors })),
  );
  const known = [0, 1, 2, 4, 5, 6, 8, 9];

  it('results in a known exit code, without a stack trace and without the key', async () => {
    const [dir, state] = [folder(), folderWith()];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...COMMANDS),
        fc.constantFrom([], ['--json'], ['--output', 'csv'], ['--debug']),
        statuses,
        fc.dictionary(names, values, { maxKeys: 4 }),
        bodies,
        fc.double({ min: 0, max: 1.5, noNaN: true }),
        async (command, flags, status, headers, body, part) => {
          const whole = http(status, body, headers);
          const answer = whole.subarray(0, Math.ceil(whole.length * part));
          const { code, out, err } = await meets([...command(dir), ...flags, '--timeout', '2'], answer, state);
          expect(known).toContain(code);
          expect(out + err).not.toContain(KEY);
          expect(err).not.toMatch(/\n\s+at \S+ \(/);
        },
      ),
      { numRuns: runs(80) },
    );
  });
});
