import { describe, expect, it } from 'vitest';
import { faultOf } from '../../src/api/exchange.ts';

const coded = (code: string) => Object.assign(new Error(code), { code });

describe('what a socket throws', () => {
  it.each([
    ['ECONNREFUSED', 'refused', false],
    ['ENOTFOUND', 'host-not-found', false],
    ['EAI_AGAIN', 'host-not-found', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', false],
    ['CERT_HAS_EXPIRED', 'certificate', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', false],
    ['EPROTO', 'tls', false],
    ['UND_ERR_CONNECT_TIMEOUT', 'time-limit', false],
    ['EHOSTUNREACH', 'other', false],
    ['ECONNRESET', 'reset', true],
    ['UND_ERR_SOCKET', 'reset', true],
    ['Z_BUF_ERROR', 'cut', true],
    ['HPE_INVALID_CONSTANT', 'unreadable', true],
    ['HPE_INVALID_EOF_STATE', 'cut', true],
    ['UND_ERR_HEADERS_OVERFLOW', 'unreadable', true],
    ['ERR_BUFFER_TOO_LARGE', 'too-large', true],
    ['ETIMEDOUT', 'time-limit', true],
    ['ESOMETHING', 'other', true],
  ])('%s is %s; may have arrived: %s', (code, kind, mayHaveArrived) => {
    expect(faultOf(coded(code), 1000)).toMatchObject({ kind, code, mayHaveArrived });
  });

  it('as the time limit is one, although its code is a number', () => {
    expect(faultOf(new DOMException('late', 'TimeoutError'), 1000)).toMatchObject({
      kind: 'time-limit',
      mayHaveArrived: true,
    });
  });

  it.each([
    [
      'the HTTP parser',
      Object.assign(new Error('no'), { name: 'HTTPParserError', code: undefined }),
      'HTTPParserError',
    ],
    ['an answer that no program foresaw', new TypeError('x is not a function'), 'TypeError'],
    ['something that is no error', 'text', 'unknown'],
  ])('without a code is an answer that cannot be read: %s', (_, error, code) => {
    expect(faultOf(error, 1000)).toMatchObject({ kind: 'unreadable', code, mayHaveArrived: true });
  });
});
