/** Requests over the network: the connection they travel on, what is sent, and the whole answer. The key is opened here alone. */
import { requirePermission, requireWebAssembly } from '../../host/node-options.ts';
import type { RemoteService } from '../../settings/resolve-target.ts';
import { type Reading, shareRoom } from '../response-room.ts';
import { bodyFaultOf, type Exchange, ExchangeFault, faultOf, type WireAnswer, type WireRequest } from './http.ts';
import { isOfProxy, refusalKind } from './proxy-responses.ts';
import { type Road, roadTo } from './route.ts';
import { timeLimit } from './timeout-signal.ts';
import { namingTls } from './tls-mismatch.ts';
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
): Exchange {
  requirePermission('Net', 'connect to the service');
  // undici parses responses with it.
  requireWebAssembly('send requests');
  const { baseUrl, key, keyHeader, timeoutMs } = service;
  let limitMs = timeoutMs;
  const road = roadTo(service, () => limitMs);
  const kept = openConnections(road, connections);
  const exchange: Exchange = async (wire, mostMs = timeoutMs) => {
    // A connection that is made for this try may take no longer either.
    limitMs = Math.min(timeoutMs, mostMs);
    // A service may drop an idle connection just as a request is sent, and a create cannot be sent a second time.
    // Among many requests none is idle for long, and a connection for each would cost several times as much.
    const own = wire.method === 'POST' && connections === 1 ? openConnections(road, 1) : undefined;
    try {
      const path = road.prefix + baseUrl.pathname.replace(/\/$/, '') + wire.path;
      const headers = { ...wire.headers, ...road.headers, [keyHeader]: key.open() };
      const answering = () => (own ?? kept).exchange({ ...wire, path, headers }, limitMs);
      if (connections === 1) return await withLiftoffOnly(nodeVersion, answering);
      const answer = await answering();
      await connectionIsFree();
      return answer;
    } finally {
      own?.close();
    }
  };
  return baseUrl.protocol === 'http:' && !road.proxy ? namingTls(exchange, baseUrl) : exchange;
}

/**
 * undici uses a connection again only when what else had arrived has been read. Who goes on before that has its next
 * request wait until all who were answered at the same time have done their work, and then all are sent at once.
 */
const connectionIsFree = () => new Promise<void>((done) => void setImmediate(done));

/** How long a connection may be idle and yet be used for a create, in milliseconds. */
const SHORT_IDLE = { keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000 };

/** Connections that are made when they are first needed, and kept for the next request. */
function openConnections({ origin, connect, proxy, isForwarded }: Road, count: number) {
  let hasConnected = false;
  const room = shareRoom(MAX_BODY_BYTES);
  const options: Client.Options = {
    // undici's own limits are off: the signal below is the one that counts.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_BODY_BYTES,
    connect: (asked, done) =>
      connect(asked, (...result) => {
        hasConnected ||= result[0] === null;
        done(...result);
      }),
  };
  // Most commands send one request after the other, and need not load what shares several connections.
  const opening: Dispatcher | Promise<Dispatcher> =
    count === 1
      ? new Client(origin, options)
      : loadPool().then((Pool) => new Pool(origin, { ...options, ...SHORT_IDLE, connections: count }));
  const exchange = async (wire: WireRequest, limitMs: number): Promise<WireAnswer> => {
    try {
      const answer = await answerTo(await opening, wire, limitMs, room());
      if (!isForwarded || !isOfProxy(answer)) return answer;
      const { status } = answer;
      // A proxy that reached nobody may have lost the connection after the request had gone out.
      const mayHaveArrived = status >= 500;
      throw new ExchangeFault({ kind: refusalKind(status), code: String(status), mayHaveArrived, limitMs, proxy });
    } catch (error) {
      const fault = faultOf(error, limitMs);
      const isUnsent = !hasConnected && fault.mayHaveArrived;
      throw isUnsent ? new ExchangeFault({ ...fault, mayHaveArrived: false, cause: error }) : fault;
    }
  };
  return { exchange, close: async () => (await opening).close() };
}

async function answerTo(
  dispatcher: Dispatcher,
  wire: WireRequest,
  limitMs: number,
  reading: Reading,
): Promise<WireAnswer> {
  const limit = timeLimit(limitMs);
  try {
    const sent = { ...wire, body: wire.body ?? null, signal: limit.signal };
    const { statusCode, headers, body } = await request.call(dispatcher, sent);
    try {
      const bytes = await readBody(body, Number(headers['content-length']), reading);
      return await wireAnswer(statusCode, headers, bytes, reading);
    } catch (error) {
      throw bodyFaultOf(error, limitMs, statusCode);
    }
  } finally {
    limit.end();
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
  const whole = bytes.subarray(0, length);
  return rest.length === 0 ? whole : Buffer.concat([whole, ...rest]);
}

async function wireAnswer(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  bytes: Buffer,
  reading: Reading,
): Promise<WireAnswer> {
  const plain = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
  const encoding = plain['content-encoding'];
  if (!encoding) return { status, headers: plain, body: bytes };
  const { unpacked } = await import('./decompress.ts');
  const body = unpacked(bytes, encoding, Math.max(1, reading.left()));
  if (body !== bytes) reading.take(body.length);
  return { status, headers: plain, body };
}
