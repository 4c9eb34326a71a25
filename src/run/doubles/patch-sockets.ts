/** Leads the connections of node:net and node:tls to the loopback server, without TLS. */
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { placeHere } from './call-places.ts';
import { addLink, closedError, linkOf } from './links.ts';
import { reportClosed } from './report-closed.ts';

interface ConnectOptions {
  host?: string | undefined;
  hostname?: string | undefined;
  port?: number | string | undefined;
  path?: string | null | undefined;
  socket?: Socket | undefined;
  servername?: string | undefined;
}

type Callback = () => void;

const { apply } = Reflect;
/** Sockets that were asked to use TLS. */
const encrypted = new WeakMap<Socket, object>();
/** Whether the connection that is being made is the server's own. */
let isDirect = false;

/** Makes a connection as if nothing was replaced. */
export function connectDirectly(connect: () => Socket): Socket {
  isDirect = true;
  try {
    return connect();
  } finally {
    isDirect = false;
  }
}

/** `isLed` tells for an origin whether its connections are led to the server; others are made as always. */
export function patchSockets(server: Server, isLed: (origin: string) => boolean, isClosed: boolean): void {
  patchConnect(server, isLed, isClosed);
  patchTls(isLed);
  // The places of requests on connections that are used again.
  const { ClientRequest } = require('node:http') as typeof import('node:http');
  const prototype = ClientRequest.prototype as unknown as {
    onSocket(this: object, socket: Socket | null, ...rest: unknown[]): void;
  };
  const { onSocket } = prototype;
  prototype.onSocket = function (socket, ...rest) {
    if (socket) places.set(socket, placeHere());
    const link = socket && linkOf(socket);
    if (link) link.stack = placeHere();
    apply(onSocket, this, [socket, ...rest]);
  };
}

/** Where the first request of a socket was made, before it is connected. */
const places = new WeakMap<Socket, string>();

function patchConnect(server: Server, isLed: (origin: string) => boolean, isClosed: boolean): void {
  const net = require('node:net') as typeof import('node:net');
  const prototype = net.Socket.prototype as unknown as { connect: (this: Socket, ...given: unknown[]) => Socket };
  const { connect: connectReally } = prototype;
  prototype.connect = function (...given) {
    const [options, callback] = readArguments(given);
    const { path } = options;
    const protocol = encrypted.has(this) ? 'https' : 'http';
    const host = String(options.host ?? 'localhost');
    const port = Number(options.port);
    const origin = originOf(protocol, host, port);
    if (typeof path === 'string' && path !== '') {
      if (!isClosed) return apply(connectReally, this, given);
      const what = `net.connect(${JSON.stringify(path)})`;
      reportClosed(what);
      return this.destroy(closedError(what));
    }
    if (isDirect || !isLed(origin)) return apply(connectReally, this, given);
    places.set(this, placeHere());
    if (callback) this.once('connect', callback);
    this.prependOnceListener('connect', () =>
      addLink({ socket: this, origin, host, port, tls: encrypted.get(this), stack: places.get(this) ?? '' }),
    );
    // Clients measure the time until a name is found.
    queueMicrotask(() => this.emit('lookup', null, '127.0.0.1', 4, host));
    whenListening(server, this, () => {
      apply(connectReally, this, [{ host: '127.0.0.1', port: (server.address() as AddressInfo).port }]);
    });
    return this;
  };
}

/** The server begins to listen a moment after it is created. */
function whenListening(server: Server, socket: Socket, work: () => void): void {
  if (server.listening) {
    work();
    return;
  }
  const holder = socket as { connecting: boolean };
  holder.connecting = true;
  server.once('listening', () => {
    holder.connecting = false;
    if (!socket.destroyed) work();
  });
}

/** The forms of `connect`: (options), (port, host), (path), each with a callback; or what net.connect makes of them. */
function readArguments(given: unknown[]): [ConnectOptions, Callback | undefined] {
  const [first, second] = given;
  if (Array.isArray(first)) return [first[0] as ConnectOptions, (first[1] as Callback | null) ?? undefined];
  const last = given[given.length - 1];
  const callback = typeof last === 'function' ? (last as Callback) : undefined;
  if (typeof first === 'object' && first !== null) return [first as ConnectOptions, callback];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return [{ path: first }, callback];
  return [{ port: first as number, ...(typeof second === 'string' && { host: second }) }, callback];
}

function originOf(protocol: string, host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  const isDefault = port === (protocol === 'https' ? 443 : 80);
  return `${protocol}://${name.toLowerCase()}${isDefault ? '' : `:${port}`}`;
}

function patchTls(isLed: (origin: string) => boolean): void {
  const net = require('node:net') as typeof import('node:net');
  const tls = require('node:tls') as { connect: (...given: unknown[]) => Socket };
  const { connect } = tls;
  tls.connect = (...given) => {
    const options = tlsOptions(given);
    const origin = originOf(
      'https',
      String(options.host ?? options.servername ?? 'localhost'),
      Number(options.port ?? 443),
    );
    if (isDirect || !isLed(origin)) return apply(connect, tls, given);
    const last = given[given.length - 1];
    const socket = options.socket ?? new net.Socket();
    encrypted.set(socket, clientOptions(options));
    Object.assign(socket, tlsFields(options));
    if (typeof last === 'function') socket.once('secureConnect', last as Callback);
    if (options.socket) {
      const link = linkOf(socket);
      if (link) link.origin = origin;
      queueMicrotask(() => socket.emit('secureConnect'));
      return socket;
    }
    socket.once('connect', () => socket.emit('secureConnect'));
    return socket.connect({ host: options.host ?? 'localhost', port: Number(options.port) });
  };
}

/** The options of the forms of tls.connect: (options), (port, host, options), (port, options). */
function tlsOptions(given: unknown[]): ConnectOptions {
  const options = given.find((one): one is ConnectOptions => typeof one === 'object' && one !== null) ?? {};
  const [first, second] = given;
  if (typeof first === 'object') return options;
  return { port: first as number, ...(typeof second === 'string' && { host: second }), ...options };
}

const TLS_OPTIONS = [
  'ca',
  'cert',
  'key',
  'passphrase',
  'pfx',
  'rejectUnauthorized',
  'servername',
  'checkServerIdentity',
];

const clientOptions = (options: object): object =>
  Object.fromEntries(
    Object.entries(options).filter(([name, value]) => TLS_OPTIONS.includes(name) && value !== undefined),
  );

/** What clients read of a socket with TLS. */
const tlsFields = ({ servername, host }: ConnectOptions) => ({
  encrypted: true,
  authorized: true,
  authorizationError: null,
  alpnProtocol: false,
  servername: servername ?? host,
  getPeerCertificate: () => ({ subject: {}, issuer: {}, raw: Buffer.alloc(0) }),
  getCertificate: () => ({}),
  getCipher: () => ({ name: 'TLS_AES_256_GCM_SHA384', standardName: 'TLS_AES_256_GCM_SHA384', version: 'TLSv1.3' }),
  getProtocol: () => 'TLSv1.3',
  getSession: () => undefined,
  isSessionReused: () => false,
  setServername: () => undefined,
  setMaxSendFragment: () => true,
  disableRenegotiation: () => undefined,
});
