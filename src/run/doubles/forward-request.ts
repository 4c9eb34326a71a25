/** Forwards the requests of a recorded run to the real service, and reports its responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { reportRecorded, toJsonMember } from '../child/channel.ts';
import type { RedirectedConnection } from './connections.ts';
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
  const { method, url, rawHeaders, headers } = incoming;
  const body = readBody(bytes, headers['content-type']);
  const facts = { request, ...(body !== undefined && { body }) };
  const options = { ...connection.tls, host: connection.host, port: connection.port, method, path: url };
  const sent = send({ ...options, createConnection: () => connectTo(connection, isTls) }, (response) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('end', () => {
      const received = Buffer.concat(parts);
      record({ ...facts, response: describeResponse(response, received) });
      reply(response, received, out);
    });
    response.on('error', (error) => fail(error));
  });
  const fail = (error: NodeJS.ErrnoException) => {
    record({ ...facts, error: error.code ?? 'ECONNRESET' });
    connection.socket.destroy(error);
  };
  sent.on('error', fail);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    // The forwarded request has its own connection and length.
    if (!/^(connection|transfer-encoding|content-length|expect)$/i.test(name))
      sent.setHeader(name, headers[name.toLowerCase()] ?? '');
  }
  sent.end(bytes);
}

function connectTo({ host, port, tls }: RedirectedConnection, isTls: boolean): Socket {
  const options = { ...tls, host, port };
  const net = require('node:net') as typeof import('node:net');
  return connectDirectly(() =>
    isTls ? (require('node:tls') as typeof import('node:tls')).connect(options) : net.connect({ host, port }),
  );
}

function reply(response: IncomingMessage, body: Buffer, out: ServerResponse): void {
  const { rawHeaders, statusCode = 502 } = response;
  out.sendDate = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (/^(connection|keep-alive|transfer-encoding|content-length)$/i.test(name)) continue;
    out.setHeader(name, response.headers[name.toLowerCase()] ?? '');
  }
  out.statusCode = statusCode;
  out.end(body);
}

const record = (double: HttpDouble) => {
  const { request, ...others } = double;
  reportRecorded(
    `"http":{"request":${JSON.stringify(request)}${toJsonMember('body', others.body)}${toJsonMember('response', others.response)}${toJsonMember('error', others.error)}}`,
  );
};

/** The response as a double, with two of its headers: the type, and the location of a redirect. */
function describeResponse({ statusCode = 502, headers }: IncomingMessage, bytes: Buffer): DoubleResponse {
  const { 'content-type': type, location, 'content-encoding': encoding = '' } = headers;
  const isRedirect = statusCode >= 300 && statusCode < 400 && location !== undefined;
  const body = describeBody(decode(bytes, encoding));
  const isDefault = 'json' in body ? /^application\/json$/i.test(type ?? '') : type === 'text/plain; charset=utf-8';
  const recorded = { ...(type && !isDefault && { 'content-type': type }), ...(isRedirect && { location }) };
  return { status: statusCode, ...(Object.keys(recorded).length > 0 && { headers: recorded }), ...body };
}

function describeBody(bytes: Buffer): Pick<DoubleResponse, 'json' | 'text' | 'base64'> {
  if (bytes.length === 0) return {};
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd')) return { base64: bytes.toString('base64') };
  try {
    const json: unknown = JSON.parse(text);
    // A number that JavaScript cannot represent exactly is kept as text.
    return JSON.stringify(json) === text || typeof json === 'object' ? { json } : { text };
  } catch {
    return { text };
  }
}

function decode(bytes: Buffer, encoding: string): Buffer {
  const { brotliDecompressSync, gunzipSync, inflateSync } = require('node:zlib') as typeof import('node:zlib');
  try {
    if (/gzip/i.test(encoding)) return gunzipSync(bytes);
    if (/br/i.test(encoding)) return brotliDecompressSync(bytes);
    return /deflate/i.test(encoding) ? inflateSync(bytes) : bytes;
  } catch {
    return bytes;
  }
}
