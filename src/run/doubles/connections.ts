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

/** Reports a request without a double, or a connection that is not HTTP (no request), and destroys the connection. */
export function refuse(
  connection: RedirectedConnection,
  request: string | undefined,
  body?: unknown,
  headers?: object,
): void {
  const { socket, host, port } = connection;
  const what = request ?? `net.connect("${host}:${port}")`;
  const facts =
    request === undefined
      ? `"other":${stringify(what)}`
      : `"http":${stringify(request)}${toJsonMember('body', body)}${toJsonMember('headers', headers)}`;
  reportCall(`${facts},"stack":${stringify(connection.stack)}`);
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
