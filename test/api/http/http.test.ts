import { describe, expect, it } from 'vitest';
import { NetworkError, toConnectError, toNetworkError } from '../../../src/api/http/http.ts';
import { classifyProxyStatus, isProxyResponse } from '../../../src/api/http/proxy-responses.ts';

const coded = (code: string) => Object.assign(new Error(code), { code });

describe('a socket error', () => {
  it.each([
    ['ECONNREFUSED', 'refused', 'refused'],
    ['ENOTFOUND', 'host-not-found', 'host-not-found'],
    ['EAI_AGAIN', 'host-not-found', 'host-not-found'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', 'certificate'],
    ['CERT_HAS_EXPIRED', 'certificate', 'certificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate', 'certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', 'certificate'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'tls'],
    ['EPROTO', 'tls', 'tls'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', 'timeout'],
    ['ETIMEDOUT', 'timeout', 'timeout'],
    ['EHOSTUNREACH', 'other', 'other'],
    ['ECONNRESET', 'handshake', 'reset'],
    ['Z_BUF_ERROR', 'truncated', 'truncated'],
    ['Z_DATA_ERROR', 'undecodable', 'undecodable'],
    ['ERR__ERROR_FORMAT_PADDING_1', 'undecodable', 'undecodable'],
    ['HPE_INVALID_CONSTANT', 'not-http', 'not-http'],
    ['HPE_INVALID_EOF_STATE', 'truncated', 'truncated'],
    ['UND_ERR_HEADERS_OVERFLOW', 'too-large', 'too-large'],
    ['ERR_BUFFER_TOO_LARGE', 'too-large', 'too-large'],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'too-large', 'too-large'],
    ['ESOMETHING', 'other', 'other'],
  ])('%s is %s and certainly not sent while connecting, later %s and possibly sent', (code, early, late) => {
    expect(toConnectError(coded(code), 1000)).toMatchObject({ kind: early, code, mayHaveArrived: false });
    expect(toNetworkError(coded(code), 1000)).toMatchObject({ kind: late, code, mayHaveArrived: true });
  });

  it.each([
    ['UND_ERR_SOCKET', 'handshake', 'reset'],
    ['UND_ERR_INFO', 'other', 'other'],
  ])('%s, which the client would retry forever, has another code while connecting', (code, early, late) => {
    const fault = { kind: early, code: 'ECONNRESET', mayHaveArrived: false };
    expect(toConnectError(coded(code), 1000)).toMatchObject(fault);
    expect(toNetworkError(coded(code), 1000)).toMatchObject({ kind: late, code, mayHaveArrived: true });
  });

  it('is a timeout, although its code is a number', () => {
    expect(toNetworkError(new DOMException('late', 'TimeoutError'), 1000)).toMatchObject({
      kind: 'timeout',
      mayHaveArrived: true,
    });
  });

  it.each([
    ['WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance', false],
    ['Array buffer allocation failed', true],
  ])('contains the memory limit of this process: %s', (message, mayHaveArrived) => {
    const fault = { kind: 'memory', code: 'ENOMEM', mayHaveArrived };
    expect(toNetworkError(new RangeError(message), 1000)).toMatchObject(fault);
    expect(toConnectError(new RangeError(message), 1000)).toMatchObject({ ...fault, mayHaveArrived: false });
  });

  it('is not converted twice', () => {
    const fault = new NetworkError({ kind: 'proxy-auth', code: '407', mayHaveArrived: false, limitMs: 1000 });
    expect(toNetworkError(fault, 1000)).toBe(fault);
    expect(toConnectError(fault, 1000)).toBe(fault);
  });

  it.each([
    ['a parser', Object.assign(new Error('no'), { name: 'HTTPParserError', code: undefined }), 'HTTPParserError'],
    ['an unexpected response', new TypeError('x is not a function'), 'TypeError'],
    ['a value that is not an error', 'text', 'unknown'],
  ])('without a code is an invalid response: %s', (_, error, code) => {
    expect(toNetworkError(error, 1000)).toMatchObject({ kind: 'not-http', code, mayHaveArrived: true });
  });
});

describe('a response through a proxy', () => {
  it.each<[number, Record<string, string>, boolean]>([
    [407, {}, true],
    [403, {}, false],
    [502, { server: 'nginx' }, false],
    [403, { 'x-squid-error': 'ERR_ACCESS_DENIED 0', server: 'squid/5.7' }, true],
    [503, { server: 'squid/5.7' }, true],
    [401, { server: 'tinyproxy/1.11.1' }, true],
    [200, { server: 'squid/5.7' }, false],
    [502, { 'proxy-status': 'corp-proxy; error=connection_refused' }, true],
    [502, { 'proxy-status': 'corp-proxy; received-status=502' }, false],
  ])('with %d and %j is from the proxy itself: %s', (status, headers, isOwn) => {
    expect(isProxyResponse({ status, headers, body: Buffer.alloc(0) })).toBe(isOwn);
  });

  it.each([
    [407, 'proxy-auth'],
    [401, 'proxy-auth'],
    [403, 'proxy-denied'],
    [405, 'proxy-denied'],
    [500, 'proxy-unreachable'],
    [504, 'proxy-unreachable'],
  ])('with %d means %s', (status, kind) => {
    expect(classifyProxyStatus(status)).toBe(kind);
  });
});
