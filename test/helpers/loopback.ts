/** A real HTTP server on loopback with the responses of a test; it records the requests. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as SocketServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { folderWith } from './folders.ts';

export interface Recorded {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Respond = (request: Recorded, response: ServerResponse) => void;

/** The certificates of test/fixtures/tls that a server can show. */
export type Certificate = 'loopback' | 'other-host' | 'expired' | 'self-signed';

/** The file of the authority that signed them. */
export const AUTHORITY = join(import.meta.dirname, '../fixtures/tls/authority.pem');

export interface LoopbackService {
  url: string;
  /** The environment of a computer that uses the service, with state of its own. */
  env: Record<string, string>;
  requests: Recorded[];
}

/** Starts the server, over TLS when a certificate is named; it ends with the test. */
export async function loopback(
  respond: Respond,
  host = '127.0.0.1',
  certificate?: Certificate,
): Promise<LoopbackService> {
  const requests: Recorded[] = [];
  const server = serverFor(certificate, async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = incoming;
    const recorded = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
    requests.push(recorded);
    respond(recorded, response);
  });
  const address = await listening(server, host);
  onTestFinished(() => server.closeAllConnections());
  const url = `http${certificate ? 's' : ''}://${address}`;
  const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_of_the_test', XDG_STATE_HOME: folderWith() };
  return { url, env, requests };
}

/** A server with the certificate, or without TLS. */
export function serverFor(certificate: Certificate | undefined, listener: RequestListener): Server {
  const file = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/tls', name));
  return certificate
    ? createSecureServer({ key: file('test-only.key'), cert: file(`${certificate}.pem`) }, listener)
    : createServer(listener);
}

/** Lets a server listen until the test ends; gives its host and port. */
export async function listening(server: SocketServer, host = '127.0.0.1'): Promise<string> {
  await new Promise<void>((done) => server.listen(0, host, done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A port that responds to every request with these bytes, HTTP or not, and closes the connection. */
export async function bareLoopback(answer: () => Buffer | string): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      requests.push(bytes.toString('latin1'));
      socket.end(answer());
    });
  });
  return { url: `http://${await listening(server)}`, requests };
}

/** Responds with JSON. */
export function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}) {
  const body = value === undefined ? '' : JSON.stringify(value);
  response.writeHead(status, { ...(body && { 'content-type': 'application/json' }), ...headers }).end(body);
}
