/** Requests over the network. The only user of undici, and the only place where the key is opened. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';
import type { RemoteService } from '../settings.ts';
import { type Exchange, faultOf } from './exchange.ts';

/**
 * Opens the way to a service. Redirects are not followed (the key must not travel on), and one time limit
 * holds from the connection to the last byte of the body. At most so many requests travel at once.
 */
export function openTransport({ baseUrl, key, keyHeader, timeoutMs }: RemoteService, connections = 1): Exchange {
  // undici's own limits are off: the signal below is the one that counts.
  const options = { headersTimeout: 0, bodyTimeout: 0, connectTimeout: timeoutMs };
  // Most commands send one request after the other, and need not load what shares several connections.
  const opening =
    connections === 1
      ? new Client(baseUrl.origin, options)
      : import('undici/lib/dispatcher/pool.js').then(({ default: Pool }) => {
          return new Pool(baseUrl.origin, { ...options, connections });
        });
  return async ({ method, path, headers, body }) => {
    try {
      const answer = await request.call(await opening, {
        method,
        path: baseUrl.pathname.replace(/\/$/, '') + path,
        headers: { ...headers, [keyHeader]: key.open() },
        body: body ?? null,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      const plain = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
      return {
        status: answer.statusCode,
        headers: Object.fromEntries(plain),
        body: unpacked(bytes, answer.headers['content-encoding']),
      };
    } catch (error) {
      throw faultOf(error, timeoutMs);
    }
  };
}

const PACKINGS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Undoes the compression of an answer; a body that was cut off raises zlib's error. */
function unpacked(bytes: Buffer, encoding: string | string[] | undefined): Buffer {
  const unpack = PACKINGS[String(encoding ?? '').toLowerCase()];
  return unpack && bytes.length > 0 ? unpack(bytes) : bytes;
}
