/** How formulas use HTTP clients: each snippet sends a POST of JSON to `url`, and evaluates to {status, ok}. */
const BODY = '{ amount: 5 }';
const node = (module) => `const request = (url) => new Promise((resolve, reject) => {
    const text = JSON.stringify(${BODY});
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const sent = require('${module}').request(url, { method: 'POST', headers, AGENT }, (response) => {
      let body = '';
      response.on('data', (part) => { body += part; });
      response.on('end', () => resolve({ status: response.statusCode, ...JSON.parse(body) }));
    });
    sent.on('error', reject);
    sent.end(text);
  });`;

const plain = (module) => `${node(module).replace(', AGENT', '')}
  return request(url);`;
const agent = (module) => `const agent = new (require('${module}').Agent)({ keepAlive: true, maxSockets: 1 });
  ${node(module).replace('AGENT', 'agent')}
  return request(url);`;
const fetched = (name, fetch) => `${fetch}
  const response = await ${name}(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(${BODY}) });
  return { status: response.status, ...(await response.json()) };`;

/** `since` is the first Node.js that has it; `isInsecure` marks a client of http://. */
export const CLIENTS = [
  { name: 'node:https request', code: plain('https') },
  { name: 'node:http request', code: plain('http'), isInsecure: true },
  { name: 'node:https agent', code: agent('https') },
  { name: 'node:http agent', code: agent('http'), isInsecure: true },
  {
    name: 'node:https get, piped',
    method: 'GET',
    code: `const { pipeline, PassThrough } = require('stream');
  const response = await new Promise((resolve, reject) => require('https').get(url, resolve).on('error', reject));
  const out = new PassThrough();
  pipeline(response, out, () => undefined);
  const parts = [];
  for await (const part of out) parts.push(part);
  return { status: response.statusCode, ...JSON.parse(Buffer.concat(parts)) };`,
  },
  ...['axios0', 'axios'].map((name) => ({
    name: name === 'axios' ? 'axios 1' : 'axios 0.27',
    code: `const { status, data } = await require('${name}').post(url, ${BODY});
  return { status, ...data };`,
  })),
  { name: 'node-fetch 2', code: fetched('fetch', "const fetch = require('node-fetch2');") },
  { name: 'node-fetch 3', code: fetched('fetch', "const { default: fetch } = await import('node-fetch');") },
  {
    name: 'got 11',
    code: `const response = await require('got').post(url, { json: ${BODY}, responseType: 'json', retry: 0 });
  return { status: response.statusCode, ...response.body };`,
  },
  { name: 'undici fetch', code: fetched('fetch', "const { fetch } = require('undici');"), since: 17 },
  {
    name: 'undici request',
    code: `const { statusCode, body } = await require('undici').request(url, { method: 'POST', body: JSON.stringify(${BODY}), headers: { 'content-type': 'application/json' } });
  return { status: statusCode, ...(await body.json()) };`,
  },
  {
    name: 'superagent',
    code: `const { status, body } = await require('superagent').post(url).send(${BODY});
  return { status, ...body };`,
  },
  {
    name: 'stripe',
    request: 'POST https://api.stripe.com/v1/charges',
    body: { amount: '5', currency: 'eur' },
    code: `const stripe = require('stripe')('sk_test_1', { maxNetworkRetries: 0 });
  const charge = await stripe.charges.create({ amount: 5, currency: 'eur' });
  return { status: charge.lastResponse.statusCode, ok: charge.ok };`,
  },
  { name: 'fetch', code: fetched('fetch', ''), since: 18 },
];
