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

const bySocket = new WeakMap<Socket, RedirectedConnection>();
const byPort = new Map<number, RedirectedConnection>();
const { stringify } = JSON;

/** Adds a connection before it is made. */
export function addConnection(connection: RedirectedConnection): void {
  const { socket } = connection;
  bySocket.set(socket, connection);
  socket.prependOnceListener('connect', () => {
    const port = socket.localPort;
    if (port === undefined) return;
    byPort.set(port, connection);
    socket.once('close', () => byPort.delete(port));
  });
}

/** The connection at the other end of a socket of the server. */
export const findPeer = (socket: Socket): RedirectedConnection | undefined => byPort.get(socket.remotePort ?? 0);

export const findConnection = (socket: Socket): RedirectedConnection | undefined => bySocket.get(socket);

/** Reports a request without a double, and destroys the connection. */
export function refuse(connection: RedirectedConnection, request: string, body?: unknown, headers?: object): void {
  const facts = `"http":${stringify(request)}${toJsonMember('body', body)}${toJsonMember('headers', headers)}`;
  connection.socket.destroy(refuseCall(request, connection, connection.stack, facts));
}

/** Reports and destroys a connection that is not HTTP. */
export function refuseRaw(connection: RedirectedConnection): void {
  const { socket, host, port, stack } = connection;
  socket.destroy(refuseCall(`net.connect(${stringify(`${host}:${port}`)})`, connection, stack));
}

/** Reports a call without a double, by default one that cannot have any; returns the error with which it fails. */
export function refuseCall(
  what: string,
  { host = '', port = 0 } = {},
  stack = captureCallStack(),
  facts = `"other":${stringify(what)}`,
): Error {
  reportCall(`${facts},"stack":${stringify(stack)}`);
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
  const isLookup = syscall === 'getaddrinfo';
  const target = isLookup ? ` ${host}` : syscall === 'connect' ? ` ${host}:${port}` : '';
  const members = { code, errno: errno === undefined ? -3008 : -errno, syscall, ...(isLookup && { hostname: host }) };
  return Object.assign(new Error(`${syscall} ${code}${target}`), members);
}
