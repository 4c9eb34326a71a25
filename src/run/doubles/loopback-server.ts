/** The server that requests with a double are sent to, in the formula's process. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Received } from './forward-request.ts';
import { followLink, type Link, refuse } from './links.ts';
import { canonical } from './match-request.ts';

/** How long a connection may say nothing before it is not HTTP: its server would have to speak first. */
const SILENCE_MS = 1000;

/** Responds to a request. */
export type Serve = (received: Received, out: ServerResponse) => void;

/** Starts the server on loopback; requests are given to `serve`. */
export function startServer(serve: Serve): Server {
  const http = require('node:http') as typeof import('node:http');
  const server = http.createServer({ maxHeaderSize: 2 ** 20 });
  server.keepAliveTimeout = 0;
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => receive(request, response, serve));
  for (const event of ['upgrade', 'connect'] as const)
    server.on(event, (request: IncomingMessage, socket: Socket) => {
      const link = followLink(socket);
      if (link) refuse(link, requestOf(request, link), undefined);
    });
  server.on('clientError', (_, socket) => refuseRaw(socket as Socket));
  server.on('connection', (socket: Socket) => {
    socket.unref();
    setTimeout(() => {
      if (socket.bytesRead === 0) refuseRaw(socket);
    }, SILENCE_MS).unref();
  });
  server.listen(0, '127.0.0.1');
  return server.unref();
}

function refuseRaw(socket: Socket): void {
  const link = followLink(socket);
  if (link && !link.socket.destroyed) refuse(link, undefined, undefined);
}

function receive(request: IncomingMessage, response: ServerResponse, serve: Serve): void {
  const link = followLink(request.socket);
  if (!link) {
    request.socket.destroy();
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    serve({ request: requestOf(request, link), incoming: request, bytes: Buffer.concat(parts), link }, response);
  });
}

/** Method and URL. A request through a proxy has the whole URL. */
function requestOf({ method = '', url = '' }: IncomingMessage, { origin }: Link): string {
  const target = /^https?:/.test(url) ? url : origin + (method === 'CONNECT' ? '' : url);
  return canonical(`${method} ${target}`);
}
