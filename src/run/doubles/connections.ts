/** Connections that are redirected to the loopback server, with their targets and the code that opened them. */
import type { Socket } from 'node:net';
import { reportCall, toJsonMember } from '../child/channel.ts';
import { captureCallStack } from './call-stacks.ts';

export interface RedirectedConnection {
  /** The formula's end. */
  socket: Socket;
  /** The target, such as `https://api.example.com`; without a default port. */
  origin: string;
  host: string;
  port: number;
  /** The TLS options of its client. */
  tls?: object | undefined;
  /** The stack of the latest request on it. */
  stack: string;
}

const connections = new Map<number, RedirectedConnection>();
/** Requests of undici and fetch that have not been sent yet. */
const pending: { request: string; stack: string }[] = [];
const MAX_PENDING = 1000;
const { stringify } = JSON;

export function addConnection(connection: RedirectedConnection): void {
  const port = connection.socket.localPort;
  if (port === undefined) return;
  connections.set(port, connection);
  connection.socket.once('close', () => connections.delete(port));
}

/** The connection at the other end of a socket of the server. */
export const findPeer = (socket: Socket): RedirectedConnection | undefined => connections.get(socket.remotePort ?? 0);

export const findConnection = (socket: Socket): RedirectedConnection | undefined =>
  connections.get(socket.localPort ?? 0);

/** Stores the stack of a request of undici or fetch until it is sent. */
export function addPending(request: string): void {
  pending.push({ request, stack: captureCallStack() });
  if (pending.length > MAX_PENDING) pending.shift();
}

/** The stack of the code that made a request. */
export function takeStack(request: string, connection: RedirectedConnection): string {
  const at = pending.findIndex((one) => one.request === request);
  return pending.splice(at, at < 0 ? 0 : 1)[0]?.stack ?? connection.stack;
}

/** Reports a request without a double, or a connection that is not HTTP (no request), and destroys the connection. */
export function refuse(connection: RedirectedConnection, request: string | undefined, body: unknown): void {
  const { socket, host, port } = connection;
  const what = request ?? `net.connect("${host}:${port}")`;
  const stack = request === undefined ? connection.stack : takeStack(request, connection);
  const facts =
    request === undefined ? `"other":${stringify(what)}` : `"http":${stringify(request)}${toJsonMember('body', body)}`;
  reportCall(`${facts},"stack":${stringify(stack)}`);
  socket.destroy(createClosedError(what, host, port));
}

/** Reports a call that cannot have a double; returns the error with which it fails. */
export function refuseCall(what: string, { host = '', port = 0 } = {}, stack = captureCallStack()): Error {
  reportCall(`"other":${stringify(what)},"stack":${stringify(stack)}`);
  return createClosedError(what, host, port);
}

function createClosedError(what: string, host: string, port: number): Error {
  const members = { code: 'ECONNREFUSED', errno: -111, syscall: 'connect', address: host, port };
  return Object.assign(new Error(`no double for ${what}: tests have no network`), members);
}

const SYSCALLS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'getaddrinfo',
  EAI_AGAIN: 'getaddrinfo',
  ECONNRESET: 'read',
  EPIPE: 'write',
};

const REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self signed certificate in certificate chain',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unable to verify the first certificate',
};

/** The error that Node.js creates for a code. */
export function createSystemError(code: string, { host, port }: RedirectedConnection): Error {
  const { constants } = require('node:os') as typeof import('node:os');
  const errno = (constants.errno as Record<string, number>)[code];
  if (errno === undefined && !Object.hasOwn(SYSCALLS, code))
    return Object.assign(new Error(REASONS[code] ?? code), { code });
  const syscall = SYSCALLS[code] ?? 'connect';
  const target = syscall === 'getaddrinfo' ? ` ${host}` : syscall === 'connect' ? ` ${host}:${port}` : '';
  const members = { code, errno: errno === undefined ? -3008 : -errno, syscall };
  return Object.assign(
    new Error(`${syscall} ${code}${target}`),
    members,
    syscall === 'getaddrinfo' && { hostname: host },
  );
}
