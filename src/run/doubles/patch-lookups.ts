/** Blocks the network functions that do not use a socket of node:net: name lookups, datagrams, and HTTP/2. */
import { refuseCall } from './connections.ts';

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string, Method>;
type Fail = (error: Error) => unknown;

const NAMES = /^(lookup|lookupService|resolve\w*|reverse)$/;
const { apply } = Reflect;

export function blockOthers(): void {
  const dns = require('node:dns') as typeof import('node:dns');
  for (const methods of [dns, dns.Resolver.prototype] as unknown[]) blockLookups(methods as Methods, fail);
  for (const methods of [dns.promises, dns.promises.Resolver.prototype] as unknown[])
    blockLookups(methods as Methods, (error) => Promise.reject(error));
  const { Socket: Datagrams } = require('node:dgram') as typeof import('node:dgram');
  for (const name of ['send', 'connect'])
    block(Datagrams.prototype as unknown as Methods, name, () => `dgram.${name}()`, fail);
  block(require('node:http2'), 'connect', ([authority]) => `http2.connect(${JSON.stringify(`${authority}`)})`, fail);
}

function fail(error: Error): never {
  throw error;
}

function blockLookups(methods: Methods, fail: Fail): void {
  for (const name of Object.getOwnPropertyNames(methods).filter((name) => NAMES.test(name)))
    block(methods, name, ([host]) => (isLocal(host) ? undefined : `dns.${name}(${JSON.stringify(host)})`), fail);
}

/** Whether a name is resolved without a network. */
function isLocal(name: unknown): boolean {
  const { isIP } = require('node:net') as typeof import('node:net');
  return typeof name !== 'string' || isIP(name) !== 0 || name === 'localhost';
}

/** `format` describes a call that is blocked. */
function block(methods: Methods, name: string, format: (args: unknown[]) => string | undefined, fail: Fail): void {
  const method = methods[name];
  if (typeof method !== 'function') return;
  const blocked: Method = function (this: unknown, ...args) {
    const call = format(args);
    return call === undefined ? apply(method, this, args) : fail(refuseCall(call));
  };
  // Keeps the symbol that util.promisify reads.
  Object.defineProperties(blocked, Object.getOwnPropertyDescriptors(method));
  methods[name] = blocked;
}
