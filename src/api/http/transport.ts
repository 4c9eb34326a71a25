/** Sends requests over the network. The only place that reveals the key. */
import type { IncomingHttpHeaders } from 'node:http';
import { requirePermission, requireWebAssembly } from '../../host/node-options.ts';
import type { RemoteService } from '../../settings/resolve-target.ts';
import {
  createTimeoutSignal,
  type HttpExchange,
  type HttpRequest,
  type HttpResponse,
  NetworkError,
  toBodyError,
  toNetworkError,
} from './http.ts';
import { isProxyResponse, proxyError } from './proxy-responses.ts';
import { type Route, resolveRoute } from './route.ts';
import { Client, type Dispatcher, loadPool } from './undici.ts';

/** More than a page of 100 formulas of 1 MB. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;

/**
 * Opens the transport to a service. Redirects are not followed, to keep the key from being sent elsewhere. The time limit
 * includes the connection and the body. `connections` is the maximum number of requests in flight. Raises usage (2) if
 * an option of Node.js makes requests impossible.
 */
export function openTransport(
  service: RemoteService,
  { connections = 1, nodeVersion = '' }: { connections?: number; nodeVersion?: string } = {},
): HttpExchange {
  requirePermission('Net', 'connect to the service');
  // undici's parser needs it.
  requireWebAssembly('send requests');
  const { baseUrl, key, keyHeader, timeoutMs } = service;
  let limitMs = timeoutMs;
  const route = resolveRoute(service, () => limitMs);
  const sharedConnections = openConnections(route, connections);
  return async (httpRequest, attemptTimeoutMs = timeoutMs) => {
    // A connection for this attempt has the same time limit.
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
 * undici reuses a connection only after it has processed everything that arrived. Without this wait, the next request
 * would be queued until the responses that arrived at the same time were handled, and all would be sent at once.
 */
const waitForFreeConnection = () => new Promise<void>((done) => void setImmediate(done));

/** The maximum idle time of a connection that is used for a create, in milliseconds. */
const SHORT_KEEP_ALIVE = { keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000 };

/** Connections that are opened on demand and reused. */
function openConnections({ origin, connect, proxy, isForwarded }: Route, count: number) {
  let hasConnected = false;
  const options: Client.Options = {
    // undici's own timeouts are off: the signal below ends the request.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_BODY_BYTES,
    connect: (connectOptions, done) =>
      connect(connectOptions, (...result) => {
        hasConnected ||= result[0] === null;
        done(...result);
      }),
  };
  // Most commands send one request after the other, and do not need a pool.
  const dispatcher: Dispatcher | Promise<Dispatcher> =
    count === 1
      ? new Client(origin, options)
      : loadPool().then((Pool) => new Pool(origin, { ...options, ...SHORT_KEEP_ALIVE, connections: count }));
  const exchange = async (httpRequest: HttpRequest, limitMs: number): Promise<HttpResponse> => {
    try {
      const response = await sendRequest(await dispatcher, httpRequest, limitMs);
      if (!isForwarded || !isProxyResponse(response)) return response;
      // The proxy may have lost the connection after the request was sent.
      throw proxyError(response.status, { mayHaveArrived: response.status >= 500, limitMs, proxy });
    } catch (error) {
      const networkError = toNetworkError(error, limitMs);
      const isUnsent = !hasConnected && networkError.mayHaveArrived;
      throw isUnsent ? new NetworkError({ ...networkError, mayHaveArrived: false, cause: error }) : networkError;
    }
  };
  return { exchange, close: async () => (await dispatcher).close() };
}

async function sendRequest(dispatcher: Dispatcher, httpRequest: HttpRequest, limitMs: number): Promise<HttpResponse> {
  const { signal: ended, body, ...options } = httpRequest;
  const timeout = createTimeoutSignal(limitMs);
  const signal = ended ? AbortSignal.any([ended, timeout.signal]) : timeout.signal;
  let status = 0;
  try {
    const { headers, bytes } = await new Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }>((done, fail) => {
      const chunks: Buffer[] = [];
      let headers: IncomingHttpHeaders = {};
      let abort = (_: Error) => {};
      signal.addEventListener('abort', () => abort(signal.reason), { once: true });
      dispatcher.dispatch(
        { ...options, body: body ?? null },
        {
          onRequestStart: (controller) => {
            abort = (reason) => controller.abort(reason);
            if (signal.aborted) abort(signal.reason);
          },
          onResponseStart: (_, statusCode, receivedHeaders) => {
            if (statusCode >= 200) [status, headers] = [statusCode, receivedHeaders];
          },
          onResponseData: (_, chunk) => void chunks.push(chunk),
          onResponseEnd: () => done({ headers, bytes: Buffer.concat(chunks) }),
          onResponseError: (_, error) => fail(error),
        },
      );
    });
    return await toHttpResponse(status, headers, bytes);
  } catch (error) {
    throw status === 0 ? error : toBodyError(error, limitMs, status);
  } finally {
    timeout.clear();
  }
}

async function toHttpResponse(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Promise<HttpResponse> {
  const plainHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
  const encoding = plainHeaders['content-encoding'];
  return { status, headers: plainHeaders, body: encoding ? await decompress(bytes, encoding) : bytes };
}

/** Only gzip was accepted; another encoding is returned unchanged. Throws zlib's error for a truncated or too large body. */
async function decompress(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (!/^(x-)?gzip$/i.test(encoding.trim()) || bytes.length === 0) return bytes;
  const { gunzipSync } = await import('node:zlib');
  return gunzipSync(bytes, { maxOutputLength: MAX_BODY_BYTES });
}

/** Node.js majors that have the flags (each is tested); V8 prints an error for an unknown flag. */
const LIFTOFF_MAJORS: readonly number[] = [20, 22, 24, 26];
const LIFTOFF_ONLY = ['--liftoff-only'];
/** --liftoff-only turns the other two off. */
const DEFAULT_FLAGS = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'];

/**
 * Runs an exchange, the first of which compiles undici's WebAssembly parser, without TurboFan: Node.js waits for its
 * compilation at exit, longer than a request takes.
 */
async function withLiftoffOnly<T>(nodeVersion: string, exchange: () => Promise<T>): Promise<T> {
  if (!LIFTOFF_MAJORS.includes(Number.parseInt(nodeVersion, 10))) return exchange();
  const { setFlagsFromString } = await import('node:v8');
  LIFTOFF_ONLY.forEach(setFlagsFromString);
  try {
    return await exchange();
  } finally {
    DEFAULT_FLAGS.forEach(setFlagsFromString);
  }
}
