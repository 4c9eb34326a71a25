import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiKey } from '../src/api-key.ts';
import { folderWith } from './helpers/folders.ts';
import { json, loopback } from './helpers/loopback.ts';
import { run } from './helpers/test-host.ts';

const VALUE = 'key_A/b+c=d"e&f<g';
const key = new ApiKey(VALUE, 'test');

describe('the key', () => {
  it.each([
    ['a template', `${key}`],
    ['String', String(key)],
    ['JSON', JSON.stringify({ key })],
    ['inspect', inspect({ key }, { showHidden: true, depth: 5 })],
  ])('is hidden by %s', (_, text) => {
    expect(text).toContain('[hidden]');
    expect(text).not.toContain('key_A');
  });

  it.each([
    ['as it is', `x ${VALUE} y`],
    ['escaped for a URL', `x ${encodeURIComponent(VALUE)} y`],
    [
      'wholly escaped for a URL, in lower case',
      `x ${[...VALUE].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')} y`,
    ],
    ['in JSON', `x ${JSON.stringify(VALUE).slice(1, -1)} y`],
    ['in JSON with escapes', `x ${[...VALUE].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')} y`],
    ['in HTML', `x ${[...VALUE].map((c) => `&#${c.charCodeAt(0)};`).join('')} y`],
  ])('is found in a text %s', (_, text) => {
    expect(key.hideIn(text)).toBe('x [hidden] y');
  });

  it('is found in base64, wherever it stands in what was encoded', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 9 }),
        fc.string({ maxLength: 9 }),
        fc.constantFrom('base64', 'base64url'),
        (before, after, form) => {
          const text = Buffer.from(before + VALUE + after).toString(form as 'base64');
          expect(key.hideIn(text)).toContain('[hidden]');
        },
      ),
    );
  });

  it('leaves other texts alone', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(key.hideIn(text)).toBe(text);
      }),
    );
  });

  it('that is short is not looked for', () => {
    expect(new ApiKey('x', 'test').hideIn('next')).toBe('next');
  });
});

describe('--debug', () => {
  const env = (url: string) => ({ FORMULARY_BASE_URL: url, FORMULARY_API_KEY: VALUE });

  it('shows each request and answer on stderr, and the key as hidden', async () => {
    const { url } = await loopback((_, response) => json(response, 200, { data: [] }));
    const { code, out, err } = await run(['formula', 'list', '--debug', '--json'], { env: env(url) });
    expect({ code, out }).toEqual({ code: 0, out: '[]\n' });
    expect(err).toContain(`> GET ${url}/reactor-formulas?page=1&size=100\n`);
    expect(err).toContain('> SVC-API-KEY: [hidden]\n');
    expect(err).toMatch(/< 200 after \d+ ms\n/);
    expect(err).toContain('< content-type: application/json\n');
  });

  it('keeps the key out even when the service sends it back in every way', async () => {
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

  it('shows what the embedded service is asked as well', async () => {
    const { err } = await run(['permissions', 'list', '--debug', '--local'], {
      env: { FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db') },
    });
    expect(err).toContain('> GET /permissions\n');
  });
});
