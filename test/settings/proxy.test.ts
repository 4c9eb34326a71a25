import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { isExempt } from '../../src/settings/no-proxy.ts';
import { findProxy } from '../../src/settings/proxy.ts';

const HTTPS = 'https://api.example.com/v1';
const HTTP = 'http://127.0.0.1:8600';
const A = 'http://a.test:3128';
const B = 'http://b.test:3128';

const found = (address: string, env: Record<string, string>) => {
  const proxy = findProxy(new URL(address), env);
  return proxy && `${proxy.url.origin} ${proxy.source}`;
};

describe('the proxy of a URL', () => {
  it.each<[address: string, env: Record<string, string>, proxy: string | undefined]>([
    [HTTPS, {}, undefined],
    [HTTPS, { HTTPS_PROXY: A }, `${A} HTTPS_PROXY`],
    [HTTPS, { https_proxy: A, HTTPS_PROXY: B }, `${A} https_proxy`],
    [HTTPS, { https_proxy: '', HTTPS_PROXY: B }, `${B} HTTPS_PROXY`],
    [HTTPS, { https_proxy: ' ', HTTPS_PROXY: ` ${B}\n` }, `${B} HTTPS_PROXY`],
    [HTTPS, { HTTPS_PROXY: '' }, undefined],
    [HTTPS, { HTTP_PROXY: A, http_proxy: A }, undefined],
    [HTTPS, { ALL_PROXY: A }, `${A} ALL_PROXY`],
    [HTTPS, { all_proxy: A, ALL_PROXY: B }, `${A} all_proxy`],
    [HTTPS, { all_proxy: A, HTTPS_PROXY: B }, `${B} HTTPS_PROXY`],
    [HTTP, { HTTPS_PROXY: A }, undefined],
    [HTTP, { HTTP_PROXY: A }, `${A} HTTP_PROXY`],
    [HTTP, { http_proxy: A, HTTP_PROXY: B }, `${A} http_proxy`],
    [HTTP, { HTTP_PROXY: A, REQUEST_METHOD: 'GET' }, undefined],
    [HTTP, { http_proxy: A, REQUEST_METHOD: 'GET' }, `${A} http_proxy`],
    [HTTP, { ALL_PROXY: A }, `${A} ALL_PROXY`],
    [HTTP, { HTTP_PROXY: A, NO_PROXY: '127.0.0.1' }, undefined],
    [HTTPS, { HTTPS_PROXY: A, NO_PROXY: 'example.com' }, undefined],
    [HTTPS, { HTTPS_PROXY: A, no_proxy: 'example.com' }, undefined],
    [HTTPS, { HTTPS_PROXY: A, no_proxy: 'other.test', NO_PROXY: 'example.com' }, `${A} HTTPS_PROXY`],
    [HTTPS, { HTTPS_PROXY: A, no_proxy: '', NO_PROXY: 'example.com' }, undefined],
    [HTTPS, { HTTPS_PROXY: 'socks5://a.test', NO_PROXY: '*' }, undefined],
    [HTTPS, { ALL_PROXY: 'socks5://a.test', HTTPS_PROXY: A }, `${A} HTTPS_PROXY`],
    [HTTPS, { HTTPS_PROXY: 'proxy.corp:3128' }, 'http://proxy.corp:3128 HTTPS_PROXY'],
    [HTTPS, { HTTPS_PROXY: 'localhost:3128' }, 'http://localhost:3128 HTTPS_PROXY'],
    [HTTPS, { HTTPS_PROXY: 'proxy.corp' }, 'http://proxy.corp HTTPS_PROXY'],
    [HTTPS, { HTTPS_PROXY: '[::1]:3128' }, 'http://[::1]:3128 HTTPS_PROXY'],
    [HTTPS, { HTTPS_PROXY: 'https://proxy.corp' }, 'https://proxy.corp HTTPS_PROXY'],
    [HTTPS, { HTTPS_PROXY: 'HTTP://proxy.corp:3128/' }, 'http://proxy.corp:3128 HTTPS_PROXY'],
    [HTTPS, { HTTPS_PROXY: 'http://proxy.corp:3128/path' }, 'http://proxy.corp:3128 HTTPS_PROXY'],
  ])('%s with %j is %s', (address, env, proxy) => {
    expect(found(address, env)).toBe(proxy);
  });

  it.each<[text: string, user: string, password: string]>([
    ['http://user:secret@a.test:3128', 'user', 'secret'],
    ['user:secret@a.test:3128', 'user', 'secret'],
    ['http://user@a.test', 'user', ''],
    ['http://us%40er:s%3Ae%2Fc%23ret%25@a.test', 'us@er', 's:e/c#ret%'],
    ['http://user:sec@ret@a.test', 'user', 'sec@ret'],
    ['http://user:100%@a.test', 'user', '100%'],
  ])('%s is used as %s', (text, user, password) => {
    const proxy = findProxy(new URL(HTTPS), { HTTPS_PROXY: text });
    expect(proxy?.url.href).not.toContain('user');
    expect(proxy?.credentials?.user).toBe(user);
    expect(proxy?.credentials?.password.reveal()).toBe(password);
    if (password) expect(inspect(proxy, { depth: 5 }) + JSON.stringify(proxy)).not.toContain(password);
  });

  it.each([
    ['socks5://u:secret@a.test:1080', 'SOCKS'],
    ['SOCKS4A://a.test', 'SOCKS'],
    ['socks://a.test', 'SOCKS'],
    ['ftp://u:secret@a.test', 'http://host:port'],
    ['http://u:secret@', 'http://host:port'],
    ['http://u:12#secret@a.test:3128', '%XX'],
    ['u:12/secret@a.test:3128', '%XX'],
    ['http://a.test:99999', 'http://host:port'],
    ['http://', 'http://host:port'],
    ['a b', 'http://host:port'],
  ])('that is %s is rejected with the name of its variable, and not shown', (text, words) => {
    const refusal = (() => {
      try {
        return findProxy(new URL(HTTPS), { ALL_PROXY: text });
      } catch (error) {
        return error as CliError;
      }
    })() as CliError;
    expect(refusal).toBeInstanceOf(CliError);
    expect(refusal.outcome).toBe('usage');
    expect(refusal.message).toContain('ALL_PROXY');
    expect(refusal.message).toContain(words);
    expect(refusal.hint).toContain('NO_PROXY=api.example.com');
    expect(refusal.message + refusal.hint).not.toMatch(/secret|:12/);
  });
});

describe('NO_PROXY', () => {
  it.each<[list: string, address: string, exempt: boolean]>([
    ['', 'https://api.example.com', false],
    [' , ,', 'https://api.example.com', false],
    ['*', 'https://api.example.com', true],
    ['*', 'http://[::1]:8080', true],
    ['other.test,*', 'https://api.example.com', true],
    ['*:8443', 'https://api.example.com:8443', true],
    ['*:8443', 'https://api.example.com', false],
    ['api.example.com', 'https://api.example.com', true],
    ['example.com', 'https://api.example.com', true],
    ['.example.com', 'https://api.example.com', true],
    ['.example.com', 'https://example.com', true],
    ['*.example.com', 'https://api.example.com', true],
    ['*.example.com', 'https://a.b.example.com', true],
    ['example.com', 'https://notexample.com', false],
    ['example.com', 'https://example.com.evil.test', false],
    ['api.example.com', 'https://example.com', false],
    ['com', 'https://api.example.com', true],
    ['.', 'https://api.example.com', false],
    ['EXAMPLE.Com', 'https://api.example.com', true],
    ['example.com', 'https://API.Example.COM', true],
    ['example.com.', 'https://example.com', true],
    ['example.com', 'https://example.com.', true],
    ['bücher.example', 'https://shop.bücher.example', true],
    ['xn--bcher-kva.example', 'https://bücher.example', true],
    ['a.test, example.com', 'https://example.com', true],
    ['a.test example.com', 'https://example.com', true],
    ['a.test\texample.com\n', 'https://example.com', true],
    ['a.test,,example.com', 'https://example.com', true],
    ['a.test;example.com', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['example.com:80', 'http://example.com', true],
    ['example.com:80', 'https://example.com', false],
    ['example.com:8443', 'https://api.example.com:8443', true],
    ['.example.com:8443', 'https://api.example.com:8443', true],
    ['example.com:8443', 'https://example.com', false],
    ['example.com:x', 'https://example.com', false],
    ['https://example.com', 'https://example.com', false],
    ['localhost', 'http://localhost:8600', true],
    ['localhost', 'http://127.0.0.1:8600', false],
    ['127.0.0.1', 'http://127.0.0.1:8600', true],
    ['127.0.0.1', 'http://127.1:8600', true],
    ['127.0.0.1:8600', 'http://127.0.0.1:8600', true],
    ['127.0.0.1:8601', 'http://127.0.0.1:8600', false],
    ['0.0.1', 'http://127.0.0.1', false],
    ['.0.0.1', 'http://127.0.0.1', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['192.168.4.0/22', 'https://192.168.7.255', true],
    ['192.168.4.0/22', 'https://192.168.8.0', false],
    ['10.9.9.9/8', 'https://10.1.2.3', true],
    ['0.0.0.0/0', 'https://10.1.2.3', true],
    ['10.1.2.3/32', 'https://10.1.2.3', true],
    ['10.0.0.0/33', 'https://10.0.0.1', false],
    ['10.0.0.0/', 'https://10.0.0.1', false],
    ['10.0.0.0/x', 'https://10.0.0.1', false],
    ['10.0.0.0/8', 'https://ten.example.com', false],
    ['::1', 'http://[::1]:8600', true],
    ['[::1]', 'http://[::1]:8600', true],
    ['[::1]:8600', 'http://[::1]:8600', true],
    ['[::1]:8601', 'http://[::1]:8600', false],
    ['0:0:0:0:0:0:0:1', 'http://[::1]', true],
    ['FD00::/8', 'https://[fd12::1]', true],
    ['[fd00::]/8', 'https://[fd12::1]', true],
    ['fd00::/8', 'https://[fe80::1]', false],
    ['fd00::/129', 'https://[fd00::1]', false],
    ['::/0', 'https://[2001:db8::1]', true],
    ['::/0', 'https://10.0.0.1', false],
    ['10.0.0.0/8', 'https://[::ffff:10.1.2.3]', true],
    ['[', 'https://example.com', false],
    ['[]', 'https://[::1]', false],
  ])('%j exempts %s: %s', (list, address, exempt) => {
    expect(isExempt(new URL(address), list)).toBe(exempt);
  });
});
