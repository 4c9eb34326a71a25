/** Forwards the requests of a recorded run to the real service, and reports its responses. */
import type { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { attempt } from '../../errors.ts';
import { beginRecorded, request as invocation, reportRecorded, toJsonMember } from '../child/channel.ts';
import { createSystemError, type RedirectedConnection } from './connections.ts';
import { decompress } from './content-encoding.ts';
import type { DoubleResponse, HttpDouble } from './doubles.ts';
import { connectDirectly } from './patch-sockets.ts';
import { readBody } from './request-body.ts';

export interface Received {
  /** Method and URL. */
  request: string;
  incoming: IncomingMessage;
  bytes: Buffer;
  connection: RedirectedConnection;
}

/** Forwards a request, over TLS if its client asked for it. */
export function forwardRequest({ request, incoming, bytes, connection }: Received, out: ServerResponse): void {
  const isTls = connection.origin.startsWith('https:');
  const { request: send } = (isTls ? require('node:https') : require('node:http')) as typeof import('node:https');
  const { method, url, headers } = incoming;
  const position = beginRecorded();
  const record = (outcome: Pick<HttpDouble, 'response' | 'error'>) => {
    const double = { request, body: readBody(bytes, headers['content-type']), ...outcome };
    reportRecorded(position, toJsonMember('http', double).slice(1));
  };
  const { host, port, tls } = connection;
  const createConnection = () => connectTo(connection, isTls);
  const sent = send({ ...tls, host, port, method, path: url, createConnection }, (response) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('end', () => {
      const received = Buffer.concat(parts);
      record({ response: toDouble(response, received, method) });
      reply(response, received, out, method);
    });
    response.on('error', fail);
  });
  const fail = (error: NodeJS.ErrnoException) => {
    const code = error.code ?? 'ECONNRESET';
    record({ error: code });
    // The error that the double will have.
    connection.socket.destroy(createSystemError(code, connection));
  };
  sent.on('error', fail);
  // The forwarded request has its own connection and length.
  copyHeaders(incoming, sent, /^(connection|transfer-encoding|content-length|expect)$/i);
  sent.end(bytes);
}

function connectTo({ host, port, tls }: RedirectedConnection, isTls: boolean): Socket {
  const options = { ...tls, host, port };
  const net = require('node:net') as typeof import('node:net');
  return connectDirectly(() =>
    isTls ? (require('node:tls') as typeof import('node:tls')).connect(options) : net.connect({ host, port }),
  );
}

function reply(response: IncomingMessage, body: Buffer, out: ServerResponse, method?: string): void {
  out.sendDate = false;
  copyHeaders(response, out, /^(connection|keep-alive|transfer-encoding)$/i);
  if (method !== 'HEAD') out.removeHeader('content-length');
  out.statusCode = response.statusCode ?? 502;
  out.end(body);
}

function copyHeaders({ rawHeaders, headers }: IncomingMessage, to: OutgoingMessage, omitted: RegExp): void {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!omitted.test(name)) to.setHeader(name, headers[name.toLowerCase()] ?? '');
  }
}

/** The response as a double. Of its headers, those that the code can depend on. */
function toDouble({ statusCode = 502, headers }: IncomingMessage, bytes: Buffer, method?: string): DoubleResponse {
  const decoded = decompress(bytes, headers['content-encoding'] ?? '');
  const body = formatBody(decoded);
  const defaultType = 'json' in body ? 'application/json' : 'text' in body ? 'text/plain; charset=utf-8' : undefined;
  const kept = Object.entries(headers).filter(([name, value]) => {
    if (name === 'content-type') return value?.toString().toLowerCase() !== defaultType;
    // The double is compressed again.
    if (name === 'content-encoding') return decoded !== bytes;
    if (name === 'content-length' && method !== 'HEAD') return false;
    return !HOP_BY_HOP.test(name) && (STORED.test(name) || isNamedInCode(name));
  });
  return { status: statusCode, ...(kept.length > 0 && { headers: Object.fromEntries(kept) as Headers }), ...body };
}

type Headers = NonNullable<DoubleResponse['headers']>;

const STORED = /^(location|link|retry-after)$/;
const HOP_BY_HOP = /^(connection|keep-alive|transfer-encoding|date)$/;

const isNamedInCode = (name: string): boolean =>
  ["'", '"', '`', '.'].some((mark) => invocation.code.toLowerCase().includes(`${mark}${name}`));

function formatBody(bytes: Buffer): Pick<DoubleResponse, 'json' | 'text' | 'base64'> {
  if (bytes.length === 0) return {};
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') || text.startsWith('\ufeff')) return { base64: bytes.toString('base64') };
  const json: unknown = attempt(() => JSON.parse(text));
  return json !== undefined && JSON.stringify(json) === removeLayout(text) ? { json } : { text };
}

/** Without white space and optional escapes; large numbers, `1.0`, and duplicate keys stay, which a value would lose. */
const removeLayout = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => (token[0] === '"' ? JSON.stringify(JSON.parse(token)) : ''));
