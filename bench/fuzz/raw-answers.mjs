/** Responses of a service as bytes: realistic ones, with parts replaced, compressed, chunked, changed, and truncated. */
import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { at } from '../../src/build/paths.mjs';
import { anyText, anyValue, disturbed } from './any-value.mjs';
import { ICON } from './corpus.mjs';
import { mutatedBytes } from './mutate.mjs';

/** The key that must not be seen, with characters that are escaped in JSON, URLs and base64. */
export const KEY = 'key_"mark/ed\\+=%<secret>&0123456789';

export const KEY_FORMS = [
  KEY,
  JSON.stringify(KEY).slice(1, -1),
  encodeURIComponent(KEY),
  Buffer.from(KEY).toString('base64'),
  Buffer.from(KEY).toString('base64url'),
];

export const ID = '33333333-3333-4333-8333-333333333333';
const MANIFEST = JSON.parse(readFileSync(at('formulas-example/tokenize-card/manifest.json'), 'utf8'));
const CODE = readFileSync(at('formulas-example/tokenize-card/code.js'), 'utf8');
export const FORMULA = {
  id: ID,
  status: 'verified',
  ...MANIFEST,
  code: CODE,
  icon: `data:image/png;base64,${ICON.toString('base64')}`,
  created_at: '2026-03-01T12:00:00Z',
  modified_at: null,
};
const page = (data) => ({
  pagination: { total_items: data.length, page_number: 1, page_size: 100, total_pages: 1 },
  data,
});
const PROBLEM = {
  type: 'x',
  title: 'One or more validation errors occurred.',
  status: 400,
  detail: 'd',
  errors: { 'configuration[0].name': ['is empty'], Code: ['too long'] },
};

/** Realistic bodies by status. */
const SAID = [
  [200, page([FORMULA])],
  [200, page([])],
  [200, FORMULA],
  [201, FORMULA],
  [204, ''],
  [200, [{ type: 'reactor:read', description: 'Read', application_types: ['management'] }]],
  [400, PROBLEM],
  [401, { error: { code: 'unauthorized', message: `the key ${KEY} is not known` } }],
  [403, { title: 'Forbidden', detail: `key=${encodeURIComponent(KEY)}` }],
  [404, { title: 'Not found', detail: '\\'.repeat(50_000) }],
  [409, PROBLEM],
  [429, { title: 'Too many requests' }],
  [500, '<html><title>Oops</title></html>'],
  [502, `<html>${'<title'.repeat(20_000)}`],
  [503, 'try later'],
  [302, ''],
];

const WORDS = [
  'content-length: 0\r\n',
  'content-length: 99999\r\n',
  'transfer-encoding: chunked\r\n',
  'content-encoding: gzip\r\n',
  'content-encoding: br, gzip\r\n',
  'retry-after: 1\r\n',
  'retry-after: Sun, 01 Mar 2099 12:00:05 GMT\r\n',
  'retry-after: -5\r\n',
  'location: http://127.0.0.1:1/\r\n',
  'connection: close\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\n\r\n',
  'HTTP/1.0 200\r\n',
  '\r\n\r\n',
  'x-request-id: \x1b[2J\r\n',
  'set-cookie: a\r\n',
  'ffffffff\r\n',
  KEY,
  encodeURIComponent(KEY),
  Buffer.from(KEY).toString('base64'),
].map((text) => Buffer.from(text, 'latin1'));

const PACKERS = { identity: (bytes) => bytes, gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

/** Body and status of a response: mostly unchanged, or with parts replaced. */
function saidAtRandom(random) {
  let [status, said] = random.pick(SAID);
  if (random.chance(0.05)) status = 100 + random.int(900);
  if (typeof said !== 'string' && random.chance(0.6))
    for (let i = random.int(4); i > 0; i--) said = disturbed(random, said);
  if (random.chance(0.1))
    said = page([disturbed(random, FORMULA), { ...FORMULA, id: anyText(random), name: anyText(random) }]);
  if (random.chance(0.05))
    said = { errors: anyValue(random), error: anyValue(random), title: anyValue(random), detail: anyText(random) };
  return [status, typeof said === 'string' ? said : (JSON.stringify(said) ?? '')];
}

/** The bytes of a response; `isWhole` if it is neither changed nor truncated. */
export function answerBytes(random) {
  const [status, text] = saidAtRandom(random);
  const packer = random.chance(0.2) ? random.pick(Object.keys(PACKERS)) : 'identity';
  let body = PACKERS[packer](Buffer.from(text));
  if (random.chance(0.1)) body = mutatedBytes(random, { corpus: [body], words: WORDS });
  const headers = headersAtRandom(random, status, packer);
  const whole = http(status, headers, body, random.chance(0.3));
  if (random.chance(0.3)) return mutatedBytes(random, { corpus: [whole], words: WORDS });
  if (random.chance(0.15)) return whole.subarray(0, random.int(whole.length));
  return Object.assign(whole, { isWhole: status >= 200 });
}

function headersAtRandom(random, status, packer) {
  return {
    'content-type': random.chance(0.9)
      ? 'application/json'
      : random.pick(['text/html', 'application/json; charset=utf-16', '', 'application/problem+json']),
    ...(packer !== 'identity' && { 'content-encoding': packer }),
    ...(random.chance(0.2) && {
      'retry-after': random.pick(['0', '1', '100000', '-1', 'soon', 'Sun, 01 Mar 2026 12:00:05 GMT']),
    }),
    ...(random.chance(0.1) && { 'x-request-id': random.pick(['abc', KEY, 'a\x1b[2J', '::error::x']) }),
    ...(status === 302 && {
      location: random.pick(['/x', 'http://127.0.0.1:1/', `http://a/?k=${encodeURIComponent(KEY)}`, '\x9b']),
    }),
  };
}

function http(status, headers, body, isChunked) {
  const length = isChunked ? ['transfer-encoding', 'chunked'] : ['content-length', String(body.length)];
  const lines = [...Object.entries(headers), length].map(([name, value]) => `${name}: ${value}\r\n`);
  const half = body.length >> 1;
  const chunk = (bytes) =>
    bytes.length === 0 ? [] : [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')];
  const sent = isChunked
    ? [...chunk(body.subarray(0, half)), ...chunk(body.subarray(half)), Buffer.from('0\r\n\r\n')]
    : [body];
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Said\r\n${lines.join('')}\r\n`, 'latin1'), ...sent]);
}
