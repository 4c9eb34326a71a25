/** Closes what does not use a connection of node:net: name lookups, datagrams, and HTTP/2. */
import type { Socket } from 'node:net';
import { closedError } from './links.ts';
import { reportClosed } from './report-closed.ts';

type Work = (...given: unknown[]) => unknown;
type Methods = Record<string, Work>;

const NAMES = /^(lookup|lookupService|resolve\w*|reverse)$/;
const { apply } = Reflect;

export function closeLookups(): void {
  const dns = require('node:dns') as typeof import('node:dns');
  const objects = [dns, dns.Resolver.prototype] as unknown[];
  const promising = [dns.promises, dns.promises.Resolver.prototype] as unknown[];
  for (const methods of objects) closeMethods(methods as Methods, failLater);
  for (const methods of promising) closeMethods(methods as Methods, (_, error) => Promise.reject(error));
}

type Failing = (given: unknown[], error: Error) => unknown;

function closeMethods(methods: Methods, fail: Failing): void {
  for (const name of Object.getOwnPropertyNames(methods)) {
    const method = NAMES.test(name) ? methods[name] : undefined;
    if (typeof method !== 'function') continue;
    const closed: Work = function (this: unknown, ...given) {
      if (isLocal(given[0])) return apply(method, this, given);
      const what = `dns.${name}(${JSON.stringify(given[0])})`;
      reportClosed(what);
      const hostname = String(given[0]);
      const facts = { code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo', hostname };
      return fail(given, Object.assign(closedError(what), facts));
    };
    // util.promisify reads a symbol of the function.
    Object.defineProperties(closed, Object.getOwnPropertyDescriptors(method));
    methods[name] = closed;
  }
}

/** What is found without a network. */
function isLocal(name: unknown): boolean {
  const { isIP } = require('node:net') as typeof import('node:net');
  return typeof name !== 'string' || isIP(name) !== 0 || name === 'localhost';
}

function failLater(given: unknown[], error: Error): void {
  const callback = given[given.length - 1];
  if (typeof callback === 'function') queueMicrotask(() => (callback as Work)(error));
}

export function closeDatagrams(): void {
  const { Socket: Datagrams } = require('node:dgram') as typeof import('node:dgram');
  const methods = Datagrams.prototype as unknown as Methods;
  for (const name of ['send', 'connect']) {
    methods[name] = function (this: NodeJS.EventEmitter, ...given: unknown[]) {
      const what = `dgram.${name}()`;
      reportClosed(what);
      const callback = given[given.length - 1];
      if (typeof callback === 'function') failLater(given, closedError(what));
      else queueMicrotask(() => this.emit('error', closedError(what)));
    } as Work;
  }
}

export function closeHttp2(): void {
  const http2 = require('node:http2') as unknown as { connect: Work };
  const net = require('node:net') as typeof import('node:net');
  const { connect } = http2;
  http2.connect = (authority, ...rest) => {
    const what = `http2.connect(${JSON.stringify(String(authority))})`;
    reportClosed(what);
    const options = typeof rest[0] === 'object' ? rest[0] : {};
    const createConnection = (): Socket => {
      const socket = new net.Socket();
      queueMicrotask(() => socket.destroy(closedError(what)));
      return socket;
    };
    return apply(connect, http2, [authority, { ...options, createConnection }]);
  };
}
