/** Serves an app over HTTP, on this computer only. */
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '../errors.ts';
import { requireFetchClasses, requirePermission } from '../host/node-options.ts';
import type { App } from './app.ts';

interface RunningService {
  /** For example `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** Stops accepting requests, and resolves after those in flight; connections that make no progress are closed. */
  close(): Promise<void>;
}

/** Times in milliseconds. */
export interface ServerLimits {
  /** For the headers, from the start of the connection or the first byte of the request. */
  headersMs: number;
  /** For a complete request, body included. */
  requestMs: number;
  /** For the next request on an idle connection. */
  idleMs: number;
  /** How long `close` waits for requests in flight. */
  closeMs: number;
}

const LOOPBACK = '127.0.0.1';
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 4096;
const LIMITS: ServerLimits = { headersMs: 10_000, requestMs: 60_000, idleMs: 5000, closeMs: 2500 };

/**
 * Serves the app on 127.0.0.1; port 0 selects a free one.
 * @throws CliError `usage` if the port is in use or not permitted, or an option of Node.js makes it impossible.
 */
export async function listen(app: App, port: number, overrides: Partial<ServerLimits> = {}): Promise<RunningService> {
  requirePermission('Net', 'serve HTTP');
  requireFetchClasses('serve HTTP');
  // Imported here, because loading it needs these classes.
  const { createAdaptorServer } = await import('@hono/node-server');
  const limits = { ...LIMITS, ...overrides };
  const server = createAdaptorServer({
    fetch: (request) => app.fetch(request),
    hostname: LOOPBACK,
    // The rest of the process uses Node's own Request and Response.
    overrideGlobalObjects: false,
    serverOptions: {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      // The default interval of 30 s is longer than the limits.
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
  const message = error.code === 'EACCES' ? `no permission to use port ${port}` : `port ${port} is in use`;
  return new CliError('usage', message, {
    hint: 'Pass another port with --port; --port 0 selects a free one.',
    cause: error,
  });
}

/** Returns the function that closes the server; it can be called more than once. */
function createClose(server: Server, { closeMs }: ServerLimits): () => Promise<void> {
  let running = 0;
  const closeIfIdle = () => {
    if (!server.listening && running === 0) server.closeAllConnections();
  };
  server.on('request', (_, response: ServerResponse) => {
    running += 1;
    response.once('close', () => {
      running -= 1;
      setImmediate(closeIfIdle);
    });
  });
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), closeMs);
      // The error of a server that is already closed is ignored.
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      closeIfIdle();
    });
}
