/** Services that return the key, in every encoding, in every part of a response that the tool reads. */
import type { ServerResponse } from 'node:http';
import { CARD_CODE } from './folders.ts';
import { ID, OTHER_ID } from './key-computer.ts';
import { json, type Recorded } from './loopback.ts';
import { formsOf } from './marked-key.ts';

/** A body that contains the key in every encoding, in every string that the tool reads. */
const echo = (key: string) => ({
  ...formsOf(key),
  title: `no for ${key}`,
  detail: encodeURIComponent(key),
  message: key,
  error: { message: key, code: key },
  errors: { name: [key], [`configuration[0].${key}`]: [key], [key]: key },
  request_id: key,
  nested: { [key]: JSON.stringify({ key }) },
});

/** Headers that say it; a form that no header can hold is left out. */
const headers = (key: string) => ({
  'x-key': key,
  'x-request-id': key,
  'www-authenticate': `Basic realm="${key}"`,
  'x-base64': Buffer.from(`:${key}`).toString('base64'),
  server: encodeURIComponent(key),
});

/** A formula that holds the key wherever one can hold a text. */
const formula = (key: string, id = ID) => ({
  id,
  name: `For ${key}`,
  description: key,
  type: 'private',
  status: key,
  code: `${CARD_CODE}// ${key} ${Buffer.from(key).toString('base64')}\n`,
  icon: `data:image/png;base64,${Buffer.from(key).toString('base64')}`,
  configuration: [{ name: key, description: key, type: 'string' }],
  request_parameters: [{ name: key, type: 'string', optional: key === '' }],
  created_by: key,
  modified_by: encodeURIComponent(key),
  modified_at: key,
  [key]: { [key]: [key] },
});

const list = (...formulas: object[]) => ({
  data: formulas,
  pagination: { total_items: formulas.length, total_pages: 1 },
});

type Answer = (response: ServerResponse, key: string, request: Recorded) => void;

const refusing = (status: number): [string, Answer] => [
  `${status}`,
  (response, key) => json(response, status, echo(key), headers(key)),
];

/** A service that works, and gives formulas whose every text holds the key, with this id. */
export const holding =
  (id: (key: string) => string): Answer =>
  (response, key, { method, url, body }) => {
    if (method === 'DELETE') return json(response, 204, undefined, headers(key));
    if (url.startsWith('/permissions'))
      return json(response, 200, [{ type: key, description: key, application_types: [key] }]);
    if (url.includes('?'))
      return json(response, 200, list(formula(key, id(key)), formula(key, OTHER_ID)), headers(key));
    // A write returns what was sent, so that it succeeds.
    const sent = body === '' ? {} : JSON.parse(body);
    json(response, method === 'POST' ? 201 : 200, { ...formula(key, id(key)), ...sent }, headers(key));
  };

/** Responses that return the key. */
export const ANSWERS: [string, Answer][] = [
  ...[401, 404, 422, 500].map(refusing),
  ['429 for hours', (response, key) => json(response, 429, echo(key), { ...headers(key), 'retry-after': '9999' })],
  ['a reason phrase', (response, key) => response.writeHead(401, key, { 'content-length': '0' }).end()],
  [
    'a redirect',
    (response, key) =>
      response
        .writeHead(307, { location: `http://localhost:1/${encodeURIComponent(key)}?k=${key.replaceAll(' ', '+')}` })
        .end(key),
  ],
  [
    'a web page',
    (response, key) => response.writeHead(200, { 'content-type': 'text/html', ...headers(key) }).end(`<h1>${key}</h1>`),
  ],
  [
    'an error as a web page',
    (response, key) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end(`<h1>${formsOf(key)['in HTML']}</h1>`),
  ],
  [
    'an error as text',
    (response, key) => response.writeHead(400, { 'content-type': 'text/plain' }).end(`${'x'.repeat(480)}${key}`),
  ],
  ['a type', (response, key) => response.writeHead(200, { 'content-type': `x/${encodeURIComponent(key)}` }).end('{}')],
  [
    'JSON that breaks off in it',
    (response, key) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"data":["${key.slice(0, -2)}`),
  ],
  [
    'a body that is cut',
    (response, key) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9999', ...headers(key) });
      response.write(JSON.stringify(echo(key)), () => response.destroy());
    },
  ],
  ['a wrong shape', (response, key) => json(response, 200, [echo(key), key, [key]])],
  ['a reset', (response) => response.destroy()],
  ['formulas that hold it', holding(() => ID)],
  ['formulas whose id it is', holding((key) => key)],
];
