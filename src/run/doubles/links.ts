/** Connections that lead to the loopback server: where each was meant to go, and who opened it. */
import type { Socket } from 'node:net';
import { jsonOrNothing, reportCall } from '../child/calls.ts';
import { placeHere } from './call-places.ts';

export interface Link {
  /** The formula's end. */
  socket: Socket;
  /** Such as `https://api.example.com`, without a default port. */
  origin: string;
  host: string;
  port: number;
  /** The options of its client for TLS. */
  tls?: object | undefined;
  /** Where the latest request on it was made. */
  stack: string;
}

const links = new Map<number, Link>();
/** Requests of undici and fetch that are not sent yet. */
const pending: { request: string; stack: string }[] = [];
const MAX_PENDING = 1000;
const { stringify } = JSON;

export function addLink(link: Link): void {
  const port = link.socket.localPort;
  if (port === undefined) return;
  links.set(port, link);
  link.socket.once('close', () => links.delete(port));
}

/** The link that ends in a socket of the server. */
export const followLink = (socket: Socket): Link | undefined => links.get(socket.remotePort ?? 0);

export const linkOf = (socket: Socket): Link | undefined => links.get(socket.localPort ?? 0);

/** Remembers where a request of undici or fetch was made. */
export function addPending(request: string): void {
  pending.push({ request, stack: placeHere() });
  if (pending.length > MAX_PENDING) pending.shift();
}

/** The stack of the code that made a request. */
export function takeStack(request: string, link: Link): string {
  const at = pending.findIndex((one) => one.request === request);
  return pending.splice(at, at < 0 ? 0 : 1)[0]?.stack ?? link.stack;
}

/** Reports a request without a double, or a connection that is not HTTP, and lets it fail as a closed network would. */
export function refuse(link: Link, request: string | undefined, body: unknown): void {
  const { socket, host, port } = link;
  const what = request ?? `net.connect("${host}:${port}")`;
  const stack = request === undefined ? link.stack : takeStack(request, link);
  const facts = request === undefined ? `"other":${stringify(what)}` : `"http":${stringify(request)}${bodyText(body)}`;
  reportCall(`${facts},"stack":${stringify(stack)}`);
  socket.destroy(closedError(what, host, port));
}

export const bodyText = (body: unknown): string => jsonOrNothing('body', body);

/** The error of code that calls what has no double. */
export function closedError(what: string, host = '', port = 0): Error {
  const members = { code: 'ECONNREFUSED', errno: -111, syscall: 'connect', address: host, port };
  return Object.assign(new Error(`no double for ${what}: tests have no network`), members);
}
