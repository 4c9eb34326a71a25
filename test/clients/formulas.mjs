/** Formulas in the style of public ones, each with a test: `[name, code, test]`. `raw` is what it returns. */
const API = 'https://api.example.com';
const json = (value, status = 200) => ({ status, json: value });
const post = (path, response, body) => ({ request: `POST ${API}${path}`, ...(body && { body }), response });
const get = (path, response) => ({ request: `GET ${API}${path}`, response });
const one = (code) => `module.exports = async ({ args, configuration, bt }) => { ${code} };`;
const bt = (methods) => ({
  bt: Object.fromEntries(
    Object.entries(methods).map(([name, value]) => [name, [].concat(value).map((returns) => ({ returns }))]),
  ),
});
const http = (...doubles) => ({ http: doubles });
const HELPER = "require('@basis-theory/basis-theory-reactor-formulas-sdk-js')";
const AXIOS = "const axios = require('axios');";
const OLD_AXIOS = "const axios = require('axios0');";

export const FORMULAS = [
  [
    'bt create',
    one("const t = await bt.tokens.create({ type: 'card', data: args.card }); return { raw: { id: t.id } };"),
    { args: { card: {} }, doubles: bt({ 'tokens.create': { id: 't' } }), raw: { id: 't' } },
  ],
  [
    'bt retrieve',
    one('const { data } = await bt.tokens.retrieve(args.id); return { raw: { data } };'),
    { args: { id: '1' }, doubles: bt({ 'tokens.retrieve': { data: 5 } }), raw: { data: 5 } },
  ],
  [
    'bt tokenize',
    one('return { raw: await bt.tokenize({ a: args.a }) };'),
    { args: { a: 1 }, doubles: bt({ tokenize: { a: 't' } }), raw: { a: 't' } },
  ],
  [
    'bt several',
    one(
      'const ids = []; for (const n of args.list) ids.push((await bt.tokens.create({ data: n })).id); return { raw: { ids } };',
    ),
    { args: { list: [1, 2] }, doubles: bt({ 'tokens.create': [{ id: 'a' }, { id: 'b' }] }), raw: { ids: ['a', 'b'] } },
  ],
  [
    'bt parallel',
    one(
      'const all = await Promise.all([bt.tokens.retrieve(1), bt.applications.retrieve(2)]); return { raw: { all } };',
    ),
    { doubles: bt({ 'tokens.retrieve': 'x', 'applications.retrieve': 'y' }), raw: { all: ['x', 'y'] } },
  ],
  [
    'bt reactor',
    one("return { raw: await bt.reactors.react('r', { args }) };"),
    { doubles: bt({ 'reactors.react': { raw: 1 } }), raw: { raw: 1 } },
  ],
  [
    'bt not found',
    one("try { await bt.tokens.retrieve('x'); } catch ({ status }) { return { raw: { status } }; }"),
    { doubles: { bt: { 'tokens.retrieve': [{ throws: { status: 404, message: 'no' } }] } }, raw: { status: 404 } },
  ],
  [
    'bt delete',
    one('await bt.tokens.delete(args.id); return { raw: { ok: true } };'),
    { args: { id: '1' }, doubles: bt({ 'tokens.delete': null }), raw: { ok: true } },
  ],
  [
    'axios get',
    `${AXIOS} ${one(`return { raw: (await axios.get('${API}/x', { params: { a: 1 } })).data };`)}`,
    { doubles: http(get('/x?a=1', json({ b: 2 }))), raw: { b: 2 } },
  ],
  [
    'axios post',
    `${AXIOS} ${one(`return { raw: (await axios.post('${API}/x', { n: 1 })).data };`)}`,
    { doubles: http(post('/x', json({ b: 2 }), { n: 1 })), raw: { b: 2 } },
  ],
  [
    'axios instance',
    `${AXIOS} ${one(`const client = axios.create({ baseURL: '${API}', headers: { a: 'b' } }); client.interceptors.request.use((c) => c); return { raw: (await client.post('/y', { n: 1 })).data };`)}`,
    { doubles: http(post('/y', json({ c: 3 }))), raw: { c: 3 } },
  ],
  [
    'axios error',
    `${AXIOS} ${one(`try { await axios.get('${API}/x'); } catch ({ response }) { return { raw: { status: response.status, data: response.data } }; }`)}`,
    { doubles: http(get('/x', json({ m: 'no' }, 422))), raw: { status: 422, data: { m: 'no' } } },
  ],
  [
    'axios reset',
    `${AXIOS} ${one(`try { await axios.get('${API}/x'); } catch ({ code }) { return { raw: { code } }; }`)}`,
    { doubles: http({ request: `GET ${API}/x`, error: 'ECONNRESET' }), raw: { code: 'ECONNRESET' } },
  ],
  [
    'axios timeout',
    `${AXIOS} ${one(`try { await axios.get('${API}/x', { timeout: 30 }); } catch ({ code }) { return { raw: { code } }; }`)}`,
    { doubles: http(get('/x', { status: 200, delay_ms: 3000 })), raw: { code: 'ECONNABORTED' } },
  ],
  [
    'axios form',
    `${AXIOS} ${one(`return { raw: (await axios.post('${API}/f', new URLSearchParams({ a: '1' }))).data };`)}`,
    { doubles: http(post('/f', json({ ok: 1 }), { a: '1' })), raw: { ok: 1 } },
  ],
  [
    'axios redirect',
    `${AXIOS} ${one(`return { raw: (await axios.get('${API}/r')).data };`)}`,
    {
      doubles: http(get('/r', { status: 302, headers: { location: `${API}/s` } }), get('/s', json({ s: 1 }))),
      raw: { s: 1 },
    },
  ],
  [
    'axios basic auth',
    `${AXIOS} ${one(`return { raw: (await axios.get('${API}/x', { auth: { username: 'u', password: 'p' } })).data };`)}`,
    { doubles: http(get('/x', json({ b: 1 }))), raw: { b: 1 } },
  ],
  [
    'axios binary',
    `${AXIOS} ${one(`const { data } = await axios.get('${API}/p', { responseType: 'arraybuffer' }); return { raw: { n: data.length } };`)}`,
    { doubles: http(get('/p', { status: 200, base64: 'AAEC' })), raw: { n: 3 } },
  ],
  [
    'axios 0.27 post',
    `${OLD_AXIOS} ${one(`return { raw: (await axios({ method: 'post', url: '${API}/x', data: { n: 1 } })).data };`)}`,
    { doubles: http(post('/x', json({ b: 2 }), { n: 1 })), raw: { b: 2 } },
  ],
  [
    'axios 0.27 agent',
    `${OLD_AXIOS} const https = require('https'); ${one(`const httpsAgent = new https.Agent({ rejectUnauthorized: false, keepAlive: true }); return { raw: (await axios.get('${API}/x', { httpsAgent })).data };`)}`,
    { doubles: http(get('/x', json({ b: 2 }))), raw: { b: 2 } },
  ],
  [
    'stripe charge',
    one(
      "const s = require('stripe')('sk_test_1'); const c = await s.charges.create({ amount: 5, currency: 'eur' }); return { raw: { id: c.id } };",
    ),
    {
      doubles: http({
        request: 'POST https://api.stripe.com/v1/charges',
        body: { amount: '5' },
        response: json({ id: 'ch_1' }),
      }),
      raw: { id: 'ch_1' },
    },
  ],
  [
    'stripe intent',
    one(
      "const s = require('stripe')('sk_test_1'); const i = await s.paymentIntents.create({ amount: 5, currency: 'eur', payment_method_types: ['card'] }); return { raw: { id: i.id } };",
    ),
    {
      doubles: http({
        request: 'POST https://api.stripe.com/v1/payment_intents',
        body: { 'payment_method_types[0]': 'card' },
        response: json({ id: 'pi_1' }),
      }),
      raw: { id: 'pi_1' },
    },
  ],
  [
    'stripe declined',
    one(
      "const s = require('stripe')('sk_test_1'); try { await s.charges.create({ amount: 5, currency: 'eur' }); } catch ({ type, code }) { return { raw: { type, code } }; }",
    ),
    {
      doubles: http({
        request: 'POST https://api.stripe.com/v1/charges',
        response: json({ error: { type: 'card_error', code: 'card_declined', message: 'no' } }, 402),
      }),
      raw: { type: 'StripeCardError', code: 'card_declined' },
    },
  ],
  [
    'stripe token',
    one(
      "const s = require('stripe')('sk_test_1'); const t = await s.tokens.create({ card: { number: '4242', exp_month: '1', exp_year: '2030' } }); const stored = await bt.tokens.create({ data: t.id }); return { raw: { id: stored.id } };",
    ),
    {
      doubles: {
        ...http({
          request: 'POST https://api.stripe.com/v1/tokens',
          body: { 'card[number]': '4242' },
          response: json({ id: 'tok' }),
        }),
        ...bt({ 'tokens.create': { id: 'b' } }),
      },
      raw: { id: 'b' },
    },
  ],
  [
    'node-fetch json',
    one(
      `const fetch = require('node-fetch2'); const r = await fetch('${API}/x', { method: 'POST', body: JSON.stringify({ n: 1 }), headers: { 'content-type': 'application/json' } }); return { raw: { ok: r.ok, ...(await r.json()) } };`,
    ),
    { doubles: http(post('/x', json({ b: 1 }), { n: 1 })), raw: { ok: true, b: 1 } },
  ],
  [
    'node-fetch text',
    one(`const fetch = require('node-fetch2'); return { raw: { text: await (await fetch('${API}/t')).text() } };`),
    { doubles: http(get('/t', { status: 200, text: 'x' })), raw: { text: 'x' } },
  ],
  [
    'node-fetch 3',
    one(
      `const { default: fetch } = await import('node-fetch'); return { raw: await (await fetch('${API}/t')).json() };`,
    ),
    { doubles: http(get('/t', json({ t: 1 }))), raw: { t: 1 } },
  ],
  [
    'got json',
    one(`const got = require('got'); return { raw: await got.post('${API}/g', { json: { n: 1 } }).json() };`),
    { doubles: http(post('/g', json({ g: 1 }), { n: 1 })), raw: { g: 1 } },
  ],
  [
    'superagent',
    one(`const r = await require('superagent').post('${API}/s').type('form').send({ a: 1 }); return { raw: r.body };`),
    { doubles: http(post('/s', json({ s: 1 }), { a: '1' })), raw: { s: 1 } },
  ],
  [
    'undici',
    one(
      `const { request } = require('undici'); const { body } = await request('${API}/u'); return { raw: await body.json() };`,
    ),
    { doubles: http(get('/u', json({ u: 1 }))), raw: { u: 1 } },
  ],
  [
    'https form',
    one(
      `const https = require('https'); const body = require('querystring').stringify({ a: 'ä', b: 2 }); const text = await new Promise((done, fail) => { const r = https.request('${API}/q', { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, (s) => { let t = ''; s.on('data', (d) => { t += d; }); s.on('end', () => done(t)); }); r.on('error', fail); r.end(body); }); return { raw: JSON.parse(text) };`,
    ),
    { doubles: http(post('/q', json({ q: 1 }), { a: 'ä' })), raw: { q: 1 } },
  ],
  [
    'hmac sha256',
    one(
      "const c = require('crypto'); return { raw: { s: c.createHmac('sha256', configuration.KEY).update(JSON.stringify(args)).digest('hex').length } };",
    ),
    { args: { a: 1 }, raw: { s: 64 } },
  ],
  [
    'hmac webhook',
    one(
      "const c = require('crypto'); const s = c.createHmac('sha1', configuration.KEY).update(args.body).digest('base64'); if (!c.timingSafeEqual(Buffer.from(s), Buffer.from(s))) throw new Error('x'); return { raw: { ok: true } };",
    ),
    { args: { body: 'x' }, raw: { ok: true } },
  ],
  [
    'signed request',
    `${AXIOS} const c = require('crypto'); ${one(`const body = { n: 1 }; const sign = c.createHmac('sha256', configuration.KEY).update(JSON.stringify(body)).digest('hex'); return { raw: (await axios.post('${API}/w', body, { headers: { 'x-sign': sign } })).data };`)}`,
    { doubles: http(post('/w', json({ w: 1 }), { n: 1 })), raw: { w: 1 } },
  ],
  [
    'error classes',
    `const { BadRequestError } = ${HELPER}; ${one("if (!args.a) throw new BadRequestError({ a: 'is missing' }); return { raw: {} };")}`,
    { error: { status: 400 } },
  ],
  [
    'error classes of a call',
    `const { RateLimitError } = ${HELPER}; ${AXIOS} ${one(`try { await axios.get('${API}/x'); } catch ({ response }) { if (response.status === 429) throw new RateLimitError(); } return { raw: {} };`)}`,
    { doubles: http(get('/x', json({}, 429))), error: { status: 429 } },
  ],
  [
    'polling',
    `${AXIOS} ${one(`for (;;) { const { data } = await axios.get('${API}/p'); if (data.done) return { raw: data }; }`)}`,
    {
      doubles: http({ ...get('/p', json({ done: false })), times: 2 }, get('/p', json({ done: true }))),
      raw: { done: true },
    },
  ],
  [
    'oauth',
    `${AXIOS} ${one(`const { data } = await axios.post('${API}/oauth', new URLSearchParams({ grant_type: 'client_credentials' })); return { raw: (await axios.get('${API}/me', { headers: { authorization: 'Bearer ' + data.access_token } })).data };`)}`,
    {
      doubles: http(
        post('/oauth', json({ access_token: 'a' }), { grant_type: 'client_credentials' }),
        get('/me', json({ me: 1 })),
      ),
      raw: { me: 1 },
    },
  ],
];
