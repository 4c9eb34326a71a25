/** A small forward proxy on loopback: tunnels (CONNECT) and passes on http, or refuses, and records what it was asked. */
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type Certificate, listening, serverFor } from './loopback.ts';

export interface Asked {
  method: string;
  /** host:port of a tunnel, or the whole address. */
  target: string;
  headers: IncomingMessage['headers'];
}

/** Starts a proxy; with `status` it responds with that to everything. It resolves every name to 127.0.0.1. */
export async function forwardProxy({
  status,
  certificate,
}: {
  status?: number;
  certificate?: Certificate;
} = {}): Promise<{ host: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const open = new Set<Duplex>();
  const record = ({ method = '', url = '', headers }: IncomingMessage) => asked.push({ method, target: url, headers });
  const server = serverFor(certificate, (incoming, response) => {
    record(incoming);
    if (status) response.writeHead(status).end('written by the proxy');
    else passOn(incoming, response);
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    record(incoming);
    open.add(socket.on('error', () => undefined));
    if (status) {
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    open.add(onward.on('error', () => socket.destroy()));
  });
  const host = await listening(server);
  onTestFinished(() => {
    server.closeAllConnections();
    for (const socket of open) socket.destroy();
  });
  return { host, asked };
}

function passOn(incoming: IncomingMessage, response: ServerResponse): void {
  const { port, pathname, search } = new URL(incoming.url ?? '');
  const { method, headers } = incoming;
  const onward = forward({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(onward);
}
