/** Opens a tunnel through a proxy (CONNECT, RFC 9110 section 9.3.6). */
import type { Socket } from 'node:net';
import type { HttpProxy } from '../../settings/resolve-target.ts';
import { createTimeoutSignal, toConnectError } from './http.ts';
import { proxyError } from './proxy-responses.ts';
import { Client, type Connect, loadConnectRequest } from './undici.ts';

interface TunnelOptions {
  proxy: HttpProxy;
  /** Headers for the proxy only. */
  headers: Readonly<Record<string, string>>;
  /** Connects to the proxy. */
  connect: Connect;
  limitMs: number;
}

/** Opens a tunnel to `target` (host:port). Throws NetworkError; nothing was sent to the target. */
export async function openTunnel({ proxy, headers, connect, limitMs }: TunnelOptions, target: string): Promise<Socket> {
  const client = new Client(proxy.url.origin, { headersTimeout: 0, bodyTimeout: 0, connect: connectOnce(connect) });
  const connectRequest = await loadConnectRequest();
  const timeout = createTimeoutSignal(limitMs);
  const options = { path: target, headers: { host: target, ...headers }, signal: timeout.signal };
  const { statusCode, socket } = await connectRequest
    .call(client, options)
    .catch((error: unknown) => {
      throw toConnectError(error, limitMs, proxy);
    })
    .finally(timeout.clear);
  if (statusCode >= 200 && statusCode <= 299) return socket;
  socket.on('error', () => undefined).destroy();
  throw proxyError(statusCode, { mayHaveArrived: false, limitMs, proxy });
}

/** Connects only once: undici would reconnect endlessly to a proxy that closes the connection. */
function connectOnce(connect: Connect): Connect {
  let hasConnected = false;
  return (options, done) => {
    if (hasConnected) {
      done(Object.assign(new Error('the proxy closed the connection'), { code: 'ECONNRESET' }), null);
      return undefined;
    }
    hasConnected = true;
    return connect(options, done);
  };
}
