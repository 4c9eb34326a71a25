import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiKey } from '../../src/secrets/api-key.ts';
import { buildKeyPattern, buildPlainKeyPattern, mayBeEscaped } from '../../src/secrets/key-encodings.ts';
import { folderWith } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { runs } from '../helpers/runs.ts';
import { run } from '../helpers/test-host.ts';

const VALUE = 'key_A/b+c=d"e&f<g';
const key = new ApiKey(VALUE, 'test');

/** Strings that may contain a key, in some encoding or almost. */
const around = (value: string) =>
  fc
    .array(
      fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.constantFrom(
          value,
          value.toUpperCase(),
          value.slice(1),
          value.replaceAll('"', '""').replaceAll(' ', '+'),
          Buffer.from(value).toString('hex'),
          [...Buffer.from(value)].map((byte) => byte.toString(16)).join(':'),
          Buffer.from(value).toString('base64'),
          Buffer.from(`x${value}`).toString('base64url'),
          [...Buffer.from(value)].map((byte) => `\\x${byte.toString(16)}`).join(''),
          [...Buffer.from(value)].map((byte) => `U00${byte.toString(16)}`).join(''),
        ),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''));

describe('the quick search for the key', () => {
  it('finds the same as the full search in any string without escapes', () => {
    const keys = fc.stringMatching(/^[\x21-\x7e][\x20-\x7e]{2,10}[\x21-\x7e]$/);
    fc.assert(
      fc.property(
        keys.chain((value) => fc.tuple(fc.constant(value), around(value))),
        ([value, text]) => {
          fc.pre(!mayBeEscaped(text));
          expect(text.replace(buildPlainKeyPattern(value), '*')).toBe(text.replace(buildKeyPattern(value), '*'));
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

describe('the key', () => {
  it.each([
    ['a template', `${key}`],
    ['String', String(key)],
    ['JSON', JSON.stringify({ key })],
    ['inspect', inspect({ key }, { showHidden: true, depth: 5 })],
  ])('is redacted by %s', (_, text) => {
    expect(text).toContain('[hidden]');
    expect(text).not.toContain('key_A');
  });

  it.each([
    ['as it is', `x ${VALUE} y`],
    ['escaped for a URL', `x ${encodeURIComponent(VALUE)} y`],
    ['escaped for a URL, in lower case', `x ${[...VALUE].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')} y`],
    ['in JSON', `x ${JSON.stringify(VALUE).slice(1, -1)} y`],
    ['in JSON with escapes', `x ${[...VALUE].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')} y`],
    ['in HTML', `x ${[...VALUE].map((c) => `&#${c.charCodeAt(0)};`).join('')} y`],
    ['in HTML by names', `x ${VALUE.replace('&', '&amp;').replace('"', '&quot;').replace(/</g, '&lt;')} y`],
    ['in upper case', `x ${VALUE.toUpperCase()} y`],
    ['in lower case', `x ${VALUE.toLowerCase()} y`],
    ['in upper case, escaped for a URL', `x ${encodeURIComponent(VALUE.toUpperCase())} y`],
    ['escaped for a URL twice', `x ${encodeURIComponent(encodeURIComponent(VALUE))} y`],
    ['in JSON within JSON', `x ${JSON.stringify(JSON.stringify(VALUE).slice(1, -1)).slice(1, -1)} y`],
    ['in JSON, escaped for a URL', `x ${encodeURIComponent(JSON.stringify(VALUE).slice(1, -1))} y`],
    ['in CSV', `x ${VALUE.replaceAll('"', '""')} y`],
    ['in hex', `x ${Buffer.from(VALUE).toString('hex')} y`],
    ['in hex, in upper case', `x ${Buffer.from(VALUE).toString('hex').toUpperCase()} y`],
    [
      'in a dump',
      `x ${Buffer.from(VALUE)
        .toString('hex')
        .replace(/..(?=.)/g, '$& ')} y`,
    ],
  ])('is found in a string %s', (_, text) => {
    expect(key.redactIn(text)).toBe('x [hidden] y');
  });

  it.each([`'\\''`, `'"'"'`])('is found in a string that is quoted for a shell by %s', (quote) => {
    const text = `x '${"it's-a'key".replaceAll("'", quote)}' y`;
    expect(new ApiKey("it's-a'key", 'test').redactIn(text)).toBe("x '[hidden]' y");
  });

  it('is found in base64, at any position', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(VALUE, 'abcd', 'secret'),
        fc.string({ maxLength: 9 }),
        fc.string({ maxLength: 9 }),
        fc.constantFrom<BufferEncoding>('base64', 'base64url'),
        (value, before, after, form) => {
          const text = Buffer.from(before + value + after).toString(form);
          expect(new ApiKey(value, 'test').redactIn(text)).toContain('[hidden]');
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('is found if a string was truncated in the middle of it', () => {
    expect(key.redactIn(`{"detail":"failed for ${VALUE.slice(0, 9)}`)).toBe('{"detail":"failed for [hidden]');
  });

  it('is searched in linear time in a long string of backslashes', () => {
    const text = `${'\\'.repeat(300_000)} y`;
    expect(new ApiKey('key_A1b2', 'test').redactIn(text)).toBe(text);
  });

  it('is found in JSON that is escaped for XML', () => {
    expect(key.redactIn(`x ${JSON.stringify(VALUE).slice(1, -1).replaceAll('"', '&quot;')} y`)).toBe('x [hidden] y');
  });

  it('does not change other strings', () => {
    // A text that ends in the beginning of the key is taken for a truncated one, and fast-check generates "key_".
    const others = fc.string().filter((text) => !text.includes(VALUE.slice(0, 4)));
    fc.assert(
      fc.property(others, (text) => {
        expect(key.redactIn(text)).toBe(text);
      }),
      { numRuns: runs(100) },
    );
  });

  it.each([
    ['abcd', 'x abcd y', 'x [hidden] y'],
    ['secret', 'key=secret', 'key=[hidden]'],
    ['x', 'next', 'next'],
    ['abc', 'abcd', 'abcd'],
    ['x', 'x', '[hidden]'],
  ])('the short %j changes %j to %j', (value, text, hidden) => {
    expect(new ApiKey(value, 'test').redactIn(text)).toBe(hidden);
  });

  it.each<[string, unknown, string]>([
    ['secret', { name: 'a secret' }, '{"name":"a [hidden]"}'],
    ['name', { name: 'a', application_name: 'name' }, '{"name":"a","application_name":"[hidden]"}'],
    ['true', [true, 'true'], '[true,"[hidden]"]'],
    ['12345678', [12345678, '12345678'], '[12345678,"[hidden]"]'],
    ['key_A1b2', { key_A1b2: 1, x: 'a\nkey_A1b2\u202e' }, '{"[hidden]":1,"x":"a\\n[hidden]\\u202e"}'],
    ['nabcd', ['\nabcd', 'nabcd', 'n'], '["[hidden]","[hidden]","n"]'],
    [
      'secret',
      { code: 'configuration.secret', icon: 'secret', x: 'secret' },
      '{"code":"configuration.secret","icon":"secret","x":"[hidden]"}',
    ],
    ['key_A1b2', { code: 'key_A1b2' }, '{"code":"[hidden]"}'],
  ])('%j in JSON is redacted as valid JSON: %j', (value, json, hidden) => {
    const text = new ApiKey(value, 'test').redactIn(JSON.stringify(json));
    expect(text).toBe(hidden);
  });

  it.each([
    ['configuration.secret', 'secret', 'configuration.secret'],
    ["const key = 'key_A1b2'", 'key_A1b2', "const key = '[hidden]'"],
    ['// see key_', 'key_A1b2', '// see key_'],
    ['// key_A1b2, see key_A1b', 'key_A1b2', '// [hidden], see key_A1b'],
  ])('in the content of a formula (%j) is redacted only if it cannot be a word', (content, value, shown) => {
    expect(new ApiKey(value, 'test').redactIn(content, true)).toBe(shown);
  });

  it.each([
    ['key_A1b2c3d4', 'the API key from FILE (…c3d4)'],
    ['key_A1b2c3d', 'the API key from FILE'],
  ])('%s is described by its source, and by its last characters if it is long', (value, words) => {
    expect(new ApiKey(value, 'FILE').describe()).toBe(words);
  });
});

describe('formula get --code', () => {
  it('prints code that ends like the start of the key, byte for byte', async () => {
    const code = 'module.exports = async () => ({}); // see key_A/b';
    const { url } = await loopback((_, response) => json(response, 200, { data: [{ id: 'a', name: 'Card', code }] }));
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: VALUE };
    expect(await run(['formula', 'get', 'Card', '--code'], { env })).toEqual({ code: 0, out: code, err: '' });
  });
});

describe('--debug', () => {
  const env = (url: string) => ({ FORMULARY_BASE_URL: url, FORMULARY_API_KEY: VALUE });

  it('shows each request and response on stderr, with the key redacted', async () => {
    const { url } = await loopback((_, response) => json(response, 200, { data: [] }));
    const { code, out, err } = await run(['formula', 'list', '--debug', '--json'], { env: env(url) });
    expect({ code, out }).toEqual({ code: 0, out: '[]\n' });
    expect(err).toContain(`> GET ${url}/reactor-formulas?page=1&size=100\n`);
    expect(err).toContain('> SVC-API-KEY: [hidden]\n');
    expect(err).toMatch(/< 200 after \d+ ms\n/);
    expect(err).toContain('< content-type: application/json\n');
  });

  it('redacts the key even if the service returns it in any form', async () => {
    const { url } = await loopback((_, response) => {
      const echoes = {
        detail: `failed for ${VALUE}`,
        url: encodeURIComponent(VALUE),
        basic: Buffer.from(`:${VALUE}`).toString('base64'),
      };
      json(response, 500, echoes, { 'x-key': VALUE });
    });
    for (const flags of [[], ['--debug'], ['--json', '--debug']]) {
      const { code, out, err } = await run(['formula', 'list', ...flags], { env: env(url) });
      expect(code).toBe(8);
      expect(err).toContain('failed for [hidden]');
      for (const form of [
        VALUE,
        encodeURIComponent(VALUE),
        JSON.stringify(VALUE).slice(1, -1),
        Buffer.from(VALUE).toString('base64').slice(3, -4),
      ]) {
        expect(out + err).not.toContain(form);
      }
    }
  });

  it('prints no part of the key if a string is truncated', async () => {
    const echo = (length: number) => `${'x'.repeat(length)}${VALUE}`;
    const { url } = await loopback(({ url: path }, response) =>
      path.includes('formulas')
        ? json(response, 500, { detail: echo(490), more: echo(1450) })
        : json(response, 200, [{ type: 'a', description: echo(35) }]),
    );
    const failed = await run(['formula', 'list', '--debug'], { env: env(url) });
    const table = await run(['permissions', 'list'], { env: env(url), columns: 60 });
    expect(table.out).toContain('…');
    for (const text of [failed.err, table.out]) expect(text).not.toContain(VALUE.slice(0, 4));
  });

  it('shows requests to the embedded service as well', async () => {
    const { err } = await run(['permissions', 'list', '--debug', '--local'], {
      env: { FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db') },
    });
    expect(err).toContain('> GET /permissions\n');
  });
});
