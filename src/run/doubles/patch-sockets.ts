/** Redirects the connections of node:net and node:tls to the loopback server, without TLS. */
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { captureCallStack } from './call-stacks.ts';
import { addConnection, findConnection, refuseCall, refuseRaw } from './connections.ts';

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
/** The TLS options of sockets that would use TLS. */
const encrypted = new WeakMap<Socket, object>();
/** Whether the socket that is being connected is one of `connectDirectly`. */
let isDirect = false;

/** Makes a connection that is not redirected. */
export function connectDirectly(connect: () => Socket): Socket {
  isDirect = true;
  try {
    return connect();
  } finally {
    isDirect = false;
  }
}

/** Where connections go. */
interface Redirection {
  server: Server;
  /** Whether connections to an origin go to the server. */
  isRedirected(origin: string): boolean;
  hasDouble(origin: string): boolean;
  isClosed: boolean;
}

export function patchSockets(redirection: Redirection): void {
  patchConnect(redirection);
  patchTls(redirection);
  // Records the stack of each request on a connection that is reused.
  const { ClientRequest } = require('node:http') as typeof import('node:http');
  const prototype = ClientRequest.prototype as unknown as {
    onSocket(this: object, socket: Socket | null, ...rest: unknown[]): void;
  };
  const { onSocket } = prototype;
  prototype.onSocket = function (socket, ...rest) {
    if (socket) setStack(socket, captureCallStack());
    apply(onSocket, this, [socket, ...rest]);
  };
  watchUndici();
}

function setStack(socket: Socket, stack: string): void {
  const connection = findConnection(socket);
  if (connection) connection.stack = stack;
}

/** Origins to which undici connects; it sends nothing before it is connected. */
const connecting = new Set<string>();

/** fetch and packages of undici announce what they do. */
function watchUndici(): void {
  const { channel } = require('node:diagnostics_channel') as typeof import('node:diagnostics_channel');
  const callStacks = new WeakMap<object, string>();
  channel('undici:client:beforeConnect').subscribe((message) => {
    const { protocol, hostname, port } = (message as { connectParams: Record<string, string> }).connectParams;
    const isDefault = !port || port === (protocol === 'https:' ? '443' : '80');
    connecting.add(`//${hostname}${isDefault ? '' : `:${port}`}`);
  });
  channel('undici:request:create').subscribe((message) =>
    callStacks.set((message as { request: object }).request, captureCallStack()),
  );
  channel('undici:client:sendHeaders').subscribe((message) => {
    const { request, socket } = message as { request: object; socket: Socket };
    const stack = callStacks.get(request);
    if (stack !== undefined) setStack(socket, stack);
  });
}

function patchConnect({ server, isRedirected, hasDouble, isClosed }: Redirection): void {
  const net = require('node:net') as typeof import('node:net');
  const prototype = net.Socket.prototype as unknown as { connect: (this: Socket, ...args: unknown[]) => Socket };
  const { connect: connectReally } = prototype;
  prototype.connect = function (...args) {
    const [options, callback] = parseConnectArguments(args);
    const { path } = options;
    const tls = encrypted.get(this);
    const [host, port] = [String(options.host ?? 'localhost'), Number(options.port)];
    const origin = formatOrigin(tls ? 'https' : 'http', host, port);
    const isPath = typeof path === 'string' && path !== '';
    if (isPath && isClosed) return this.destroy(refuseCall(`net.connect(${JSON.stringify(path)})`));
    if (isPath || isDirect || !isRedirected(origin)) return apply(connectReally, this, args);
    const connection = { socket: this, origin, host, port, tls, stack: captureCallStack() };
    if (callback) this.once('connect', callback);
    addConnection(connection);
    // Clients measure the time until a name is found.
    queueMicrotask(() => this.emit('lookup', null, '127.0.0.1', 4, host));
    connectLater(server, this, () => {
      if (!hasDouble(origin) && isRaw(this, origin)) refuseRaw(connection);
      else apply(connectReally, this, [{ host: '127.0.0.1', port: (server.address() as AddressInfo).port }]);
    });
    return this;
  };
}

/** When the server listens, and clients have attached to their sockets. */
function connectLater(server: Server, socket: Socket, connect: () => void): void {
  const holder = socket as { connecting: boolean };
  holder.connecting = true;
  const proceed = () => {
    holder.connecting = false;
    if (!socket.destroyed) connect();
  };
  if (server.listening) later(proceed);
  else server.once('listening', proceed);
}

const later = setImmediate;

/** Whether a client that is not HTTP opened the socket. An HTTP client has a parser, or has written a request. */
function isRaw(socket: Socket, origin: string): boolean {
  const { parser } = socket as { parser?: object | null };
  return !parser && socket.writableLength === 0 && !connecting.has(origin.replace(/^https?:/, ''));
}

/** Parses the forms of `connect`: (options), (port, host), (path), with a callback; or the array of net.connect. */
function parseConnectArguments(args: unknown[]): [ConnectOptions, Callback | undefined] {
  const [first, second] = args;
  if (Array.isArray(first)) return [first[0] as ConnectOptions, (first[1] as Callback | null) ?? undefined];
  const last = args[args.length - 1];
  const callback = typeof last === 'function' ? (last as Callback) : undefined;
  if (typeof first === 'object' && first !== null) return [first as ConnectOptions, callback];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return [{ path: first }, callback];
  return [{ port: first as number, ...(typeof second === 'string' && { host: second }) }, callback];
}

function formatOrigin(protocol: string, host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  const isDefault = port === (protocol === 'https' ? 443 : 80);
  return `${protocol}://${name.toLowerCase()}${isDefault ? '' : `:${port}`}`;
}

function patchTls({ isRedirected }: Redirection): void {
  const net = require('node:net') as typeof import('node:net');
  const tls = require('node:tls') as { connect: (...args: unknown[]) => Socket };
  const { connect } = tls;
  tls.connect = (...args) => {
    const options = parseTlsArguments(args);
    const { host, servername, port } = options;
    const origin = formatOrigin('https', String(host ?? servername ?? 'localhost'), Number(port ?? 443));
    if (isDirect || !isRedirected(origin)) return apply(connect, tls, args);
    const last = args[args.length - 1];
    const socket = options.socket ?? new net.Socket();
    encrypted.set(socket, pickTlsOptions(options));
    Object.assign(socket, createTlsFields(options));
    if (typeof last === 'function') socket.once('secureConnect', last as Callback);
    if (options.socket) {
      const connection = findConnection(socket);
      if (connection) connection.origin = origin;
      queueMicrotask(() => socket.emit('secureConnect'));
      return socket;
    }
    socket.once('connect', () => socket.emit('secureConnect'));
    return socket.connect({ host: host ?? 'localhost', port: Number(port) });
  };
}

/** Parses the forms of tls.connect: (options), (port, host, options), (port, options). */
function parseTlsArguments(args: unknown[]): ConnectOptions {
  const options = args.find((one): one is ConnectOptions => typeof one === 'object' && one !== null) ?? {};
  const [first, second] = args;
  if (typeof first === 'object') return options;
  return { port: first as number, ...(typeof second === 'string' && { host: second }), ...options };
}

const TLS_OPTION = /^(ca|cert|key|passphrase|pfx|rejectUnauthorized|servername|checkServerIdentity)$/;

const pickTlsOptions = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([name, value]) => TLS_OPTION.test(name) && value !== undefined));

/** The members of a TLS socket that clients read. */
const createTlsFields = ({ servername, host }: ConnectOptions) => ({
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
