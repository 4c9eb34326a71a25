/** Blocks the network functions that do not use a socket of node:net: name lookups, datagrams, and HTTP/2. */
import type { Socket } from 'node:net';
import { refuseCall } from './connections.ts';

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string, Method>;

const NAMES = /^(lookup|lookupService|resolve\w*|reverse)$/;
const { apply } = Reflect;

export function blockLookups(): void {
  const dns = require('node:dns') as typeof import('node:dns');
  const objects = [dns, dns.Resolver.prototype] as unknown[];
  const promising = [dns.promises, dns.promises.Resolver.prototype] as unknown[];
  for (const methods of objects) blockMethods(methods as Methods, failLater);
  for (const methods of promising) blockMethods(methods as Methods, (_, error) => Promise.reject(error));
}

function blockMethods(methods: Methods, fail: (args: unknown[], error: Error) => unknown): void {
  for (const name of Object.getOwnPropertyNames(methods)) {
    const method = NAMES.test(name) ? methods[name] : undefined;
    if (typeof method !== 'function') continue;
    const blocked: Method = function (this: unknown, ...args) {
      if (isLocal(args[0])) return apply(method, this, args);
      const error = refuseCall(`dns.${name}(${JSON.stringify(args[0])})`);
      const facts = { code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo', hostname: String(args[0]) };
      return fail(args, Object.assign(error, facts));
    };
    // Keeps the symbol that util.promisify reads.
    Object.defineProperties(blocked, Object.getOwnPropertyDescriptors(method));
    methods[name] = blocked;
  }
}

/** Whether a name is resolved without a network. */
function isLocal(name: unknown): boolean {
  const { isIP } = require('node:net') as typeof import('node:net');
  return typeof name !== 'string' || isIP(name) !== 0 || name === 'localhost';
}

function failLater(args: unknown[], error: Error): void {
  const callback = args[args.length - 1];
  if (typeof callback === 'function') queueMicrotask(() => (callback as Method)(error));
}

export function blockDatagrams(): void {
  const { Socket: Datagrams } = require('node:dgram') as typeof import('node:dgram');
  const methods = Datagrams.prototype as unknown as Methods;
  for (const name of ['send', 'connect']) {
    methods[name] = function (this: NodeJS.EventEmitter, ...args: unknown[]) {
      const error = refuseCall(`dgram.${name}()`);
      if (typeof args[args.length - 1] === 'function') failLater(args, error);
      else queueMicrotask(() => this.emit('error', error));
    } as Method;
  }
}

export function blockHttp2(): void {
  const http2 = require('node:http2') as unknown as { connect: Method };
  const net = require('node:net') as typeof import('node:net');
  const { connect } = http2;
  http2.connect = (authority, ...rest) => {
    const error = refuseCall(`http2.connect(${JSON.stringify(String(authority))})`);
    const options = typeof rest[0] === 'object' ? rest[0] : {};
    const createConnection = (): Socket => {
      const socket = new net.Socket();
      queueMicrotask(() => socket.destroy(error));
      return socket;
    };
    return apply(connect, http2, [authority, { ...options, createConnection }]);
  };
}
