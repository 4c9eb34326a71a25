/** Requests over the network. The only place where the key is opened. */
import type { RemoteService } from '../settings.ts';
import { type Exchange, ExchangeFault, faultOf, type WireAnswer } from './exchange.ts';
import { Client, loadPool, request } from './undici.ts';
import { unpacked } from './unpack.ts';

/** More than any page of formulas; JavaScript could not hold twice as much as one text. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

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
      : loadPool().then((Pool) => new Pool(baseUrl.origin, { ...options, connections }));
  return async ({ method, path, headers, body }) => {
    const sent = {
      method,
      path: baseUrl.pathname.replace(/\/$/, '') + path,
      headers: { ...headers, [keyHeader]: key.open() },
      body: body ?? null,
      signal: AbortSignal.timeout(timeoutMs),
    };
    try {
      const answer = await request.call(await opening, sent);
      const bytes = await wholeBody(answer.body, timeoutMs);
      return wireAnswer(answer.statusCode, answer.headers, bytes);
    } catch (error) {
      throw faultOf(error, timeoutMs);
    }
  };
}

async function wholeBody(body: AsyncIterable<Buffer>, limitMs: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new ExchangeFault('too-large', `over ${MAX_BODY_BYTES} bytes`, true, limitMs);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function wireAnswer(status: number, headers: Record<string, string | string[] | undefined>, bytes: Buffer): WireAnswer {
  const plain = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
  return { status, headers: plain, body: unpacked(bytes, plain['content-encoding'], MAX_BODY_BYTES) };
}
