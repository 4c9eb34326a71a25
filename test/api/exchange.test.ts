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
    ['HPE_INVALID_CONSTANT', 'cut', true],
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

  it('without a code is a fault of the program, and thrown on', () => {
    expect(() => faultOf(new TypeError('x is not a function'), 1000)).toThrow(TypeError);
  });
});
