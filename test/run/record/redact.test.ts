import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRecording } from '../../../src/run/record/build-recording.ts';
import { createRedactor } from '../../../src/run/record/redact.ts';
import { runs } from '../../helpers/runs.ts';

/** Ways in which code and services write a value. */
const encode: Record<string, (text: string) => string> = {
  plain: (text) => text,
  percent: encodeURIComponent,
  'lower-case percent': (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  json: (text) => JSON.stringify(text).slice(1, -1),
  'ascii json': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'php json': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  xml: (text) => text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`),
  'named xml': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'upper-case hex': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'basic credentials': (text) => Buffer.from(`user:${text}`).toString('base64'),
};

/** Places of a recorded run. */
const place: Record<string, (text: string) => object> = {
  url: (text) => ({ http: { request: `GET https://a.example/x?q=${encodeURI(text)}`, response: { status: 200 } } }),
  'json of a request': (text) => ({
    http: { request: 'POST https://a.example/', body: { x: [{ y: `- ${text} -` }] }, response: { status: 200 } },
  }),
  'json of a response': (text) => ({
    http: { request: 'GET https://a.example/', response: { status: 200, json: { [text]: `- ${text} -` } } },
  }),
  'text of a response': (text) => ({
    http: { request: 'GET https://a.example/', response: { status: 200, text: `{"a":"${text}"}\n<b>${text}</b>` } },
  }),
  'bytes of a response': (text) => ({
    http: {
      request: 'GET https://a.example/',
      response: { status: 200, base64: Buffer.from(`\xff ${text} \xfe`).toString('base64') },
    },
  }),
  'target of a redirect': (text) => ({
    http: { request: 'GET https://a.example/', response: { status: 302, headers: { location: `/x#${text}` } } },
  }),
  'call of bt': (text) => ({ bt: 'tokens.create', returns: { deep: [text, { data: text }] } }),
  'error of bt': (text) => ({ bt: 'tokens.create', throws: { message: `not ${text}` } }),
};

const secret = fc
  .tuple(fc.constantFrom('k9', 'Zq'), fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }))
  .map(([start, text]) => `${start}${text}${start}`)
  .filter((text) => text.trim() === text && text.isWellFormed());

describe('a recording', () => {
  it('never contains a value of the configuration, wherever and however it was written', () => {
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom(...Object.keys(encode)),
        fc.constantFrom(...Object.keys(encode)),
        fc.constantFrom(...Object.keys(place)),
        (value, first, second, where) => {
          const write = (text: string) => encode[second]?.(encode[first]?.(text) ?? '') ?? '';
          const calls = [place[where]?.(write(value)) as never];
          const { test } = buildRecording({ name: 'a', args: {}, configuration: { KEY: value }, calls, expect: {} });
          const text = JSON.stringify(test);
          const binary = [...text.matchAll(/"base64":"([^"]+)"/g)].map(([, bytes]) =>
            Buffer.from(bytes ?? '', 'base64'),
          );
          for (const form of [value, write(value)])
            for (const found of [text, JSON.stringify(JSON.parse(text)), ...binary.map(String)])
              expect(found.includes(form) || found.includes(JSON.stringify(form).slice(1, -1))).toBe(false);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('finds a value in bytes that are UTF-8 below two encodings', () => {
    const bytes = (text: string) => Buffer.from(text).toString('base64');
    const response = { status: 200, base64: bytes('k9 &#38;amp; \u00a0k9') };
    const calls = [{ http: { request: 'GET https://a.example/', response } }] as never;
    const configuration = { KEY: 'k9 & \u00a0k9' };
    const { test } = buildRecording({ name: 'a', args: {}, configuration, calls, expect: {} });
    expect(JSON.stringify(test)).toContain(bytes('<KEY>'));
  });

  const NAMES =
    'accesstoken authtoken refreshtoken clientsecret sessionid encryption_key signing_key subscription_key client_assertion sig password X-Api-Key';
  it.each(NAMES.split(' '))('has no value of %s, and replaces it alike where the formula returns it', (name) => {
    const value = 'v4lue-0f-s3cret';
    const responses = [
      { json: { [name]: value, next: `/x?${name}=${value}` } },
      { json: { [name]: [value] } },
      { text: `{"${name}":"${value}"}\n{"${name}":["${value}"]}` },
      { text: JSON.stringify(JSON.stringify({ [name]: value })) },
      { text: `<${name}>${value}</${name}>` },
      { text: `<a ${name}="${value}"/> ${name}='${value}'` },
      { status: 302, headers: { location: `/home?${name}=${value}&user=7` } },
    ];
    for (const response of responses) {
      const http = { request: 'GET https://a.example/', response: { status: 200, ...response } };
      const expected = { raw: { got: `is ${value}` } };
      const { test } = buildRecording({ name: 'a', args: {}, configuration: {}, calls: [{ http }], expect: expected });
      expect(JSON.stringify(test)).not.toContain(value);
      expect(JSON.stringify(test.doubles)).toContain(`<${name}>`);
      expect(test.expect).toEqual({ raw: { got: `is <${name}>` } });
    }
  });

  it('has no secret that is a part of a setting', () => {
    const configuration = {
      URL: 'https://me:p4ss-word@a.example/?token=abcdefgh-1',
      ACCOUNT: '{"private_key":"k3y-of-it"}',
    };
    const { redact } = createRedactor(configuration, {}, []);
    expect(redact('p4ss-word, abcdefgh-1, k3y-of-it')).toBe('<URL-2>, <token>, <private_key>');
  });

  it.each(['id', 'amount', 'tokenize', 'total_tokens', 'author', 'keyboard', 'key', 'pinned', 'client_assertion_type'])(
    'has the value of %s',
    (name) => {
      const { redact } = createRedactor({}, { [name]: 'some value' }, []);
      expect(redact({ [name]: 'some value' })).toEqual({ [name]: 'some value' });
    },
  );

  it('has different placeholders for different secrets of one name, and numbers of as many digits', () => {
    const value = [
      { token: 'abcdefgh-1', cvc: 123 },
      { token: 'abcdefgh-2', cvc: 4567 },
    ];
    expect(createRedactor({}, value, []).redact(value)).toEqual([
      { token: '<token>', cvc: 100 },
      { token: '<token-2>', cvc: 1000 },
    ]);
  });

  it('has URLs that can be parsed, without the host of a setting in errors', () => {
    const configuration = { KEY: 'k3y/with+signs', HOST: 'mycompany', URL: 'http://vault-7.corp.invalid/v1/' };
    const { redact, redactRequest } = createRedactor(configuration, {}, ['GET https://mycompany.service.com/x']);
    expect(redactRequest('GET https://mycompany.service.com/x')).toBe('GET https://host.service.com/x');
    expect(redactRequest('GET http://vault-7.corp.invalid/v1/y?token=1&b=k3y%2Fwith%2Bsigns')).toBe(
      'GET http://url.example/y?token=*&b=%3CKEY%3E',
    );
    expect(redact('getaddrinfo ENOTFOUND vault-7.corp.invalid')).toBe('getaddrinfo ENOTFOUND url.example');
    expect(redact(Buffer.from('me:k3y/with+signs').toString('base64'))).toBe(
      Buffer.from('me:<KEY>').toString('base64'),
    );
  });
});
