/** The message of each kind of error: what failed, why, and the command that helps. fixtures/errors.txt contains them all. */
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../src/errors.ts';
import { main } from '../src/main.ts';
import { CARD_MANIFEST, cardFiles, folderWith, inFolder } from './helpers/folders.ts';
import { json, loopback } from './helpers/loopback.ts';
import { type HostOptions, run, testHost } from './helpers/test-host.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const FORMULA = { ...CARD_MANIFEST, id: ID, code: 'old', modified_at: '2026-01-01T00:00:00Z', modified_by: 'ada' };

/** `write` responds to POST, PUT, and DELETE; `get` to GET, otherwise the formulas are returned. */
interface Service {
  formulas?: readonly object[];
  get?(response: ServerResponse): void;
  write?(response: ServerResponse, sent: string): void;
}

/** A command, run in a folder of two formulas against this service. */
interface Failure {
  what: string;
  words: readonly string[];
  service?: Service;
  hostOptions?: HostOptions;
}

const text =
  (status: number, body: string, type = 'text/plain') =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
const KEY = { FORMULARY_API_KEY: 'key-of-the-example-0000' };
const LOCAL = { FORMULARY_PROFILE: 'local' };

const FAILURES: Record<string, readonly Failure[]> = {
  failed: [
    {
      what: 'the service rejects the request',
      words: ['create', 'card'],
      service: { write: text(422, 'no such brand') },
    },
    {
      what: 'the service rejects the request for another reason',
      words: ['create', 'card'],
      service: { write: text(405, '') },
    },
    {
      what: 'the code fails',
      words: [
        'run',
        'throws',
        '--node',
        process.execPath,
        '--args',
        '{"card":{"number":"4"}}',
        '--configuration',
        '{"BRANDS":"x"}',
      ],
    },
  ],
  usage: [
    { what: 'no base URL', words: ['list'], hostOptions: { env: {} } },
    { what: 'a folder that does not exist', words: ['create', 'crad'] },
    { what: 'an unknown command', words: ['lst'] },
    { what: 'no terminal for a confirmation', words: ['delete', 'Tokenize a card'], service: { formulas: [FORMULA] } },
    {
      what: 'a declined confirmation',
      words: ['delete', 'Tokenize a card'],
      service: { formulas: [FORMULA] },
      hostOptions: { answers: ['n'] },
    },
    { what: 'an invalid value', words: ['list', '--timeout', 'soon'] },
  ],
  invalid: [
    { what: 'an invalid folder', words: ['create', 'wrong'] },
    { what: 'a folder without a formula', words: ['create', '.'] },
    { what: 'a file that is not a plan', words: ['push', '--plan', 'card/manifest.json'] },
  ],
  denied: [
    { what: 'no key', words: ['list'], hostOptions: { env: { FORMULARY_API_KEY: '' } } },
    { what: 'a rejected key', words: ['list'], service: { get: text(401, '') } },
    { what: 'a missing permission', words: ['list'], service: { get: text(403, '') } },
  ],
  not_found: [
    { what: 'an unknown name', words: ['get', 'Tokenise a card'] },
    { what: 'an unknown id', words: ['get', ID], service: { get: text(404, '') } },
  ],
  conflict: [
    { what: 'a name in use', words: ['create', 'card'], service: { formulas: [FORMULA] } },
    {
      what: 'an ambiguous name',
      words: ['get', 'Tokenize a card'],
      service: { formulas: [FORMULA, { ...FORMULA, id: OTHER }] },
    },
    {
      what: 'a conflict reported by the service',
      words: ['create', 'card'],
      service: { write: text(409, 'name taken') },
    },
  ],
  partial: [
    {
      what: 'one of two formulas is rejected',
      words: ['push', 'card', 'bank'],
      service: {
        write: (response, sent) =>
          sent.includes('A bank') ? json(response, 422, {}) : json(response, 201, { ...JSON.parse(sent), id: ID }),
      },
    },
  ],
  unavailable: [
    { what: 'a refused connection', words: ['list', '--base-url', 'http://127.0.0.1:1'] },
    { what: 'a failing service', words: ['list'], service: { get: text(500, 'out of order') } },
    {
      what: 'a service that requires a long wait',
      words: ['list'],
      service: { get: (response) => response.writeHead(429, { 'retry-after': '3600' }).end() },
    },
    { what: 'a web page', words: ['list'], service: { get: text(200, '<html>', 'text/html') } },
    {
      what: 'a redirect',
      words: ['list'],
      service: { get: (response) => response.writeHead(302, { location: 'http://other.test/' }).end() },
    },
  ],
  unknown: [
    {
      what: 'no response to a create',
      words: ['create', 'card'],
      service: { write: (response) => response.destroy() },
    },
  ],
  interrupted: [{ what: 'Ctrl-C', words: ['list'], hostOptions: { stopping: AbortSignal.abort('SIGINT') } }],
  differs: [{ what: 'a new folder', words: ['diff', 'card'], hostOptions: { env: LOCAL } }],
};

/** A command with its output on a terminal; values that differ on each run are replaced. */
async function shownOf({ words, service = {}, hostOptions = {} }: Failure): Promise<{ code: number; shown: string }> {
  const { formulas = [], get, write } = service;
  const { url } = await loopback((request, response) => {
    if (request.method !== 'GET') return (write ?? text(500, ''))(response, request.body);
    if (get) return get(response);
    const one = formulas.find((formula) => request.url.endsWith((formula as { id: string }).id));
    return json(response, 200, one ?? { data: formulas, pagination: { total_items: formulas.length, total_pages: 1 } });
  });
  const cwd = folderWith({
    ...inFolder('card', cardFiles()),
    ...inFolder('bank', cardFiles({ name: 'A bank' })),
    ...inFolder('wrong', cardFiles({ type: 'Private' })),
    ...inFolder(
      'throws',
      cardFiles({}, { 'code.js': "module.exports = async () => { throw new Error('no such card'); };\n" }),
    ),
  });
  const service_ =
    hostOptions.env?.['FORMULARY_PROFILE'] || (hostOptions.env && Object.keys(hostOptions.env).length === 0)
      ? []
      : ['--base-url', url];
  const asks = ['run', 'lst'].includes(words[0] ?? '') || words.includes('--base-url') ? [] : service_;
  const env = { ...KEY, FORMULARY_LOCAL_DATA: join(cwd, 'local.db'), XDG_STATE_HOME: folderWith(), ...hostOptions.env };
  const { code, err } = await run(['formula', ...words, ...asks], { ...hostOptions, cwd, env });
  const typed = ['formulary formula', ...words.map((word) => (/[ {]/.test(word) ? `'${word}'` : word)), ...asks].join(
    ' ',
  );
  return {
    code,
    shown: `$ ${typed}\n${err}`
      .replaceAll(url, 'http://127.0.0.1:8600')
      .replaceAll(cwd, '~')
      .replaceAll(process.execPath, 'node'),
  };
}

describe('each kind of error', () => {
  it('has a message with the failure, the cause, and a command that helps', async () => {
    const parts: string[] = [];
    for (const [outcome, failures] of Object.entries(FAILURES)) {
      const wanted = EXIT_CODES[outcome as keyof typeof EXIT_CODES];
      parts.push(`# ${wanted} ${outcome}`);
      for (const failure of failures) {
        const { code, shown } = await shownOf(failure);
        expect({ what: failure.what, code, shown }).toEqual({ what: failure.what, code: wanted, shown });
        expect(shown).toMatch(
          /^(hint|next): |^> \d+ \| |must be |did you mean |cannot be used together|expected a |Cancelled\.$|^error: interrupted/m,
        );
        parts.push(`## ${failure.what}\n\n${shown.trim()}`);
      }
    }
    parts.push(`# 70 bug\n\n${(await bug()).trim()}`);
    await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot('fixtures/errors.txt');
  });
});

/** The message of an internal error. */
async function bug(): Promise<string> {
  const { host, texts } = testHost({});
  const broken = {
    ...host,
    cwd: () => {
      throw new TypeError('x is not a function');
    },
  };
  expect(await main(['formula', 'init', 'new'], broken)).toBe(EXIT_CODES.bug);
  return texts.err;
}
