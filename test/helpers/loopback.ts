/** A real HTTP server on loopback whose answers a test writes; it records what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Recorded {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Respond = (request: Recorded, response: ServerResponse) => void;

/** Starts the server; it ends with the test. */
export async function loopback(respond: Respond, host = '127.0.0.1'): Promise<{ url: string; requests: Recorded[] }> {
  const requests: Recorded[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = incoming;
    const recorded = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
    requests.push(recorded);
    respond(recorded, response);
  });
  await new Promise<void>((done) => server.listen(0, host, done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, requests };
}

/** A port that answers every request with these bytes and ends the connection: what comes need not be HTTP. */
export async function bareLoopback(answer: () => Buffer | string): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      requests.push(bytes.toString('latin1'));
      socket.end(answer());
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const body = value === undefined ? '' : JSON.stringify(value);
  response.writeHead(status, { ...(body && { 'content-type': 'application/json' }), ...headers }).end(body);
}
