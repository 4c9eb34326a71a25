/** Requests over the network: the connection they travel on, what is sent, and the whole answer. The key is opened here alone. */
import { requirePermission, requireWebAssembly } from '../../host/node-options.ts';
import type { RemoteService } from '../../settings/resolve-target.ts';
import { type Reading, shareRoom } from '../response-room.ts';
import {
  type HttpExchange,
  type HttpRequest,
  type HttpResponse,
  NetworkError,
  toBodyError,
  toNetworkError,
} from './http.ts';
import { classifyProxyStatus, isProxyResponse } from './proxy-responses.ts';
import { type Route, resolveRoute } from './route.ts';
import { createTimeoutSignal } from './timeout-signal.ts';
import { Client, type Dispatcher, loadPool, request } from './undici.ts';
import { withLiftoffOnly } from './wasm-baseline.ts';

/** More than a page of a hundred formulas of 1 MB; all responses that are in memory at one time have no more together. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;

/**
 * Opens the way to a service. Redirects are not followed (the key must not travel on), and one time limit
 * holds from the connection to the last byte of the body. At most so many requests travel at once. Raises usage (2)
 * where an option of Node.js makes requests impossible.
 */
export function openTransport(
  service: RemoteService,
  { connections = 1, nodeVersion = '' }: { connections?: number; nodeVersion?: string } = {},
): HttpExchange {
  requirePermission('Net', 'connect to the service');
  // undici parses responses with it.
  requireWebAssembly('send requests');
  const { baseUrl, key, keyHeader, timeoutMs } = service;
  let limitMs = timeoutMs;
  const route = resolveRoute(service, () => limitMs);
  const sharedConnections = openConnections(route, connections);
  return async (httpRequest, attemptTimeoutMs = timeoutMs) => {
    // A connection that is made for this try may take no longer either.
    limitMs = Math.min(timeoutMs, attemptTimeoutMs);
    // A service may drop an idle connection just as a request is sent, and a create cannot be sent a second time.
    // Among many requests none is idle for long, and a connection for each would cost several times as much.
    const ownConnection = httpRequest.method === 'POST' && connections === 1 ? openConnections(route, 1) : undefined;
    try {
      const path = route.prefix + baseUrl.pathname.replace(/\/$/, '') + httpRequest.path;
      const headers = { ...httpRequest.headers, ...route.headers, [keyHeader]: key.reveal() };
      const sendRequest = () =>
        (ownConnection ?? sharedConnections).exchange({ ...httpRequest, path, headers }, limitMs);
      if (connections === 1) return await withLiftoffOnly(nodeVersion, sendRequest);
      const response = await sendRequest();
      await waitForFreeConnection();
      return response;
    } finally {
      ownConnection?.close();
    }
  };
}

/**
 * undici uses a connection again only when what else had arrived has been read. Who goes on before that has its next
 * request wait until all who were answered at the same time have done their work, and then all are sent at once.
 */
const waitForFreeConnection = () => new Promise<void>((done) => void setImmediate(done));

/** How long a connection may be idle and yet be used for a create, in milliseconds. */
const SHORT_KEEP_ALIVE = { keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000 };

/** Connections that are made when they are first needed, and kept for the next request. */
function openConnections({ origin, connect, proxy, isForwarded }: Route, count: number) {
  let hasConnected = false;
  const room = shareRoom(MAX_BODY_BYTES);
  const options: Client.Options = {
    // undici's own limits are off: the signal below is the one that counts.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_BODY_BYTES,
    connect: (connectOptions, done) =>
      connect(connectOptions, (...result) => {
        hasConnected ||= result[0] === null;
        done(...result);
      }),
  };
  // Most commands send one request after the other, and need not load what shares several connections.
  const dispatcher: Dispatcher | Promise<Dispatcher> =
    count === 1
      ? new Client(origin, options)
      : loadPool().then((Pool) => new Pool(origin, { ...options, ...SHORT_KEEP_ALIVE, connections: count }));
  const exchange = async (httpRequest: HttpRequest, limitMs: number): Promise<HttpResponse> => {
    try {
      const response = await sendRequest(await dispatcher, httpRequest, limitMs, room());
      if (!isForwarded || !isProxyResponse(response)) return response;
      const { status } = response;
      // A proxy that reached nobody may have lost the connection after the request had gone out.
      const mayHaveArrived = status >= 500;
      throw new NetworkError({
        kind: classifyProxyStatus(status),
        code: String(status),
        mayHaveArrived,
        limitMs,
        proxy,
      });
    } catch (error) {
      const networkError = toNetworkError(error, limitMs);
      const isUnsent = !hasConnected && networkError.mayHaveArrived;
      throw isUnsent ? new NetworkError({ ...networkError, mayHaveArrived: false, cause: error }) : networkError;
    }
  };
  return { exchange, close: async () => (await dispatcher).close() };
}

async function sendRequest(
  dispatcher: Dispatcher,
  httpRequest: HttpRequest,
  limitMs: number,
  reading: Reading,
): Promise<HttpResponse> {
  const timeout = createTimeoutSignal(limitMs);
  try {
    const options = { ...httpRequest, body: httpRequest.body ?? null, signal: timeout.signal };
    const { statusCode, headers, body } = await request.call(dispatcher, options);
    try {
      const bytes = await readBody(body, Number(headers['content-length']), reading);
      return await toHttpResponse(statusCode, headers, bytes, reading);
    } catch (error) {
      throw toBodyError(error, limitMs, statusCode);
    }
  } finally {
    timeout.clear();
    reading.end();
  }
}

/** Into one buffer where the length is known: to keep the chunks until they are joined would take twice the memory. */
async function readBody(body: AsyncIterable<Buffer>, expected: number, reading: Reading): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(expected <= MAX_BODY_BYTES ? expected : 0);
  const rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    reading.take(chunk.length);
    const copied = chunk.copy(bytes, length);
    length += copied;
    if (copied < chunk.length) rest.push(chunk.subarray(copied));
  }
  const complete = bytes.subarray(0, length);
  return rest.length === 0 ? complete : Buffer.concat([complete, ...rest]);
}

async function toHttpResponse(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  bytes: Buffer,
  reading: Reading,
): Promise<HttpResponse> {
  const plainHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
  const encoding = plainHeaders['content-encoding'];
  if (!encoding) return { status, headers: plainHeaders, body: bytes };
  const { decompress } = await import('./decompress.ts');
  const body = decompress(bytes, encoding, Math.max(1, reading.left()));
  if (body !== bytes) reading.take(body.length);
  return { status, headers: plainHeaders, body };
}
