/** The embedded service over HTTP, on this machine only. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { CliError } from '../errors.ts';
import type { ServiceEnv } from './access.ts';

export interface Listening {
  /** The base address, such as `http://127.0.0.1:8080`. */
  address: string;
  /** Takes no more requests, lets running ones end for half a second, then cuts them off. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CLOSE_GRACE_MS = 500;

/**
 * Serves the app on 127.0.0.1; port 0 is any free one.
 * @throws CliError `usage` if the port is taken or not ours to take.
 */
export async function listen(app: Hono<ServiceEnv>, port: number): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: (request) => app.fetch(request),
    hostname: LOOPBACK,
    // The rest of the tool keeps Node's own Request and Response.
    overrideGlobalObjects: false,
    serverOptions: { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
  }) as Server;
  await bind(server, port);
  const { port: bound } = server.address() as AddressInfo;
  return { address: `http://${LOOPBACK}:${bound}`, close: () => close(server) };
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portRefusal(error, port)));
    server.listen(port, LOOPBACK, resolve);
  });
}

function portRefusal(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return error;
  const message = error.code === 'EACCES' ? `port ${port} is not open to you` : `port ${port} is in use`;
  return new CliError('usage', message, { hint: 'choose another with --port, or --port 0 for any', cause: error });
}

/** Harmless when called again: a closed server reports an error, which is no reason to fail. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
