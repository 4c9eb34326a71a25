/** The HTTP server in the formula's process that responds to redirected requests. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { findPeer, type RedirectedConnection, refuse, refuseRaw } from './connections.ts';
import type { Received } from './forward-request.ts';
import { normalizeRequest } from './match-request.ts';

/** A client that sends nothing for this long waits for its server to start, so it is not HTTP. */
const SILENCE_MS = 1000;

/** Responds to a request. */
export type Serve = (received: Received, out: ServerResponse) => void;

/** Starts the server on loopback. */
export function startServer(serve: Serve): Server {
  const http = require('node:http') as typeof import('node:http');
  const server = http.createServer({ maxHeaderSize: 2 ** 20 });
  server.keepAliveTimeout = 0;
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => receive(request, response, serve));
  for (const event of ['upgrade', 'connect'] as const)
    server.on(event, (request: IncomingMessage, socket: Socket) => {
      const connection = findPeer(socket);
      if (connection) refuse(connection, formatRequest(request, connection));
    });
  server.on('clientError', (_, socket) => refusePeer(socket as Socket));
  server.on('connection', (socket: Socket) => {
    socket.unref();
    setTimeout(() => {
      if (socket.bytesRead === 0) refusePeer(socket);
    }, SILENCE_MS).unref();
  });
  server.listen(0, '127.0.0.1');
  return server.unref();
}

function refusePeer(socket: Socket): void {
  const connection = findPeer(socket);
  if (connection && !connection.socket.destroyed) refuseRaw(connection);
}

function receive(request: IncomingMessage, response: ServerResponse, serve: Serve): void {
  const connection = findPeer(request.socket);
  if (!connection) {
    request.socket.destroy();
    return;
  }
  const parts: Buffer[] = [];
  const received = { request: formatRequest(request, connection), incoming: request, connection };
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => serve({ ...received, bytes: Buffer.concat(parts) }, response));
}

/** Method and URL. A request through a proxy contains the complete URL. */
function formatRequest({ method = '', url = '' }: IncomingMessage, { origin }: RedirectedConnection): string {
  const target = /^https?:/.test(url) ? url : origin + (method === 'CONNECT' ? '' : url);
  return normalizeRequest(`${method} ${target}`);
}
