import { describe, expect, it } from 'vitest';
import { classifyProxyStatus, isProxyResponse } from '../../../src/api/http/proxy-responses.ts';

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
