/** Serves an app over HTTP, on this computer only. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { CliError } from '../errors.ts';
import { requireFetchClasses, requirePermission } from '../host/node-options.ts';

/** A function from request to response. */
interface App {
  fetch(request: Request): Response | Promise<Response>;
}

export interface RunningService {
  /** The base address, such as `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** Takes no more requests, and ends when those that have begun are answered; what does not get on is cut off. */
  close(): Promise<void>;
}

/** Times in milliseconds. */
export interface ServerLimits {
  /** For the headers of a request, from the opening of the connection or the request's first byte. */
  headersMs: number;
  /** For a whole request, body included. */
  requestMs: number;
  /** For the next request on a connection that is kept. */
  idleMs: number;
  /** How long closing waits for connections on which no request has begun, */
  closeIdleMs: number;
  /** and for all. */
  closeMs: number;
}

const LOOPBACK = '127.0.0.1';
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 4096;
const LIMITS: ServerLimits = { headersMs: 10_000, requestMs: 60_000, idleMs: 5000, closeIdleMs: 500, closeMs: 2500 };

/**
 * Serves the app on 127.0.0.1; port 0 is any free one.
 * @throws CliError `usage` if the port is taken or not ours to take, or an option of Node.js makes it impossible.
 */
export async function listen(app: App, port: number, overrides: Partial<ServerLimits> = {}): Promise<RunningService> {
  requirePermission('Net', 'serve HTTP');
  requireFetchClasses('serve HTTP');
  // Imported after that: it uses the classes as it is loaded.
  const { createAdaptorServer } = await import('@hono/node-server');
  const limits = { ...LIMITS, ...overrides };
  const server = createAdaptorServer({
    fetch: (request) => app.fetch(request),
    hostname: LOOPBACK,
    // The rest of the tool keeps Node's own Request and Response.
    overrideGlobalObjects: false,
    serverOptions: {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      // How often the limits are looked after; Node's own half a minute is longer than they are.
      connectionsCheckingInterval: Math.min(1000, limits.headersMs / 2),
      maxHeaderSize: MAX_HEADER_BYTES,
    },
  }) as Server;
  server.maxConnections = MAX_CONNECTIONS;
  const close = createClose(server, limits);
  await bind(server, port);
  const { port: boundPort } = server.address() as AddressInfo;
  return { baseUrl: `http://${LOOPBACK}:${boundPort}`, close };
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toPortError(error, port)));
    server.listen(port, LOOPBACK, resolve);
  });
}

function toPortError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return error;
  const message = error.code === 'EACCES' ? `port ${port} is not open to you` : `port ${port} is in use`;
  return new CliError('usage', message, { hint: 'choose another with --port, or --port 0 for any', cause: error });
}

/** Makes the function that closes the server; called again, it does no harm. */
function createClose(server: Server, { closeIdleMs, closeMs }: ServerLimits): () => Promise<void> {
  const connections = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy.add(socket);
    response.once('close', () => {
      busy.delete(socket);
      // Else the connection would wait for a next request that is not taken any more.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });
  return () =>
    new Promise((resolve) => {
      const timers = [
        setTimeout(() => {
          for (const socket of connections) if (!busy.has(socket)) socket.destroy();
        }, closeIdleMs),
        setTimeout(() => server.closeAllConnections(), closeMs),
      ];
      // A server that is closed already reports an error, which is no reason to fail.
      server.close(() => {
        timers.forEach(clearTimeout);
        resolve();
      });
      server.closeIdleConnections();
    });
}
