import { describe, expect, it } from 'vitest';
import { findSecrets, hideInRequest, hideSecrets, isSecretName } from '../../../src/run/record/hide-secrets.ts';

describe('a member', () => {
  it.each([
    'password',
    'apiKey',
    'api_key',
    'X-Api-Key',
    'accessToken',
    'client_secret',
    'Authorization',
    'cvc',
    'privateKey',
  ])('%s has the name of a secret', (name) => expect(isSecretName(name)).toBe(true));
  it.each(['id', 'amount', 'tokenize', 'total_tokens', 'author', 'keyboard', 'key', 'pinned'])(
    '%s does not have the name of a secret',
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

describe('a secret', () => {
  const replacements = findSecrets(
    { KEY: 'k3y/with+signs', SHORT: 'short', HOST: 'mycompany', URL: 'https://real.example.org/v1/' },
    { access_token: 'abcdefgh-1' },
    ['GET https://mycompany.service.com/x'],
  );

  it('is replaced in strings, in keys, as part of URLs, and in base64', () => {
    const base64 = Buffer.from('k3y/with+signs').toString('base64');
    const value = { a: 'x k3y/with+signs y', 'k3y/with+signs': [base64], short: 'short', other: 'abcdefgh-1', pin: 12 };
    expect(hideSecrets(value, replacements)).toEqual({
      a: 'x <KEY> y',
      '<KEY>': ['<KEY>'],
      short: 'short',
      other: '<access_token>',
    });
  });

  it('leaves URLs that can be parsed', () => {
    expect(hideInRequest('GET https://mycompany.service.com/x', replacements)).toBe('GET https://host.service.com/x');
    expect(hideInRequest('GET https://real.example.org/v1/y?token=1&b=k3y%2Fwith%2Bsigns', replacements)).toBe(
      'GET https://url.example/y?token=*&b=%3CKEY%3E',
    );
  });
});
