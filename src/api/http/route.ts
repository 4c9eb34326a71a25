/** The route to a service: direct, or through a proxy. Modules for proxies and certificates are loaded when needed. */
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { HttpProxy, RemoteService } from '../../settings/resolve-target.ts';
import { toConnectError } from './http.ts';
import { buildConnector, type Connect } from './undici.ts';

export type RouteOptions = Pick<RemoteService, 'baseUrl' | 'proxy' | 'certificates'>;

export interface Route {
  /** The origin that the HTTP client connects to. */
  origin: string;
  connect: Connect;
  /** URL prefix for forward-proxy requests (absolute-form target). */
  prefix: string;
  headers: Readonly<Record<string, string>>;
  proxy: HttpProxy | undefined;
  /** The proxy forwards the requests, so a response may be its own. */
  isForwarded: boolean;
}

/**
 * Uses a tunnel for https, in which the proxy sees only the host; http requests are forwarded by the proxy. `limitMs`
 * returns the time limit for a new connection.
 */
export function resolveRoute(service: RouteOptions, limitMs: () => number): Route {
  const { baseUrl, proxy } = service;
  const connect = createTlsConnector(service);
  const direct = { origin: baseUrl.origin, prefix: '', headers: {}, proxy, isForwarded: false };
  if (!proxy) return { ...direct, connect: withConnectTimeout(connect, limitMs) };
  const authHeader = buildProxyAuthHeader(proxy);
  if (baseUrl.protocol === 'https:') {
    return {
      ...direct,
      connect: withConnectTimeout(createTunnelConnector(proxy, authHeader, connect, limitMs), limitMs),
    };
  }
  return {
    origin: proxy.url.origin,
    prefix: baseUrl.origin,
    headers: { host: baseUrl.host, ...authHeader },
    proxy,
    isForwarded: true,
    // By default undici checks the certificate for the host of the request; here the certificate is the proxy's.
    connect: withConnectTimeout((options, done) => connect({ ...options, servername: '' }, done), limitMs, proxy),
  };
}

/** undici's own timeout is off, because it fires up to a second late. */
const NO_TIMEOUT = { timeout: 0 };

/** Connects with the certificates that Node.js trusts, and those of the settings. */
function createTlsConnector({ certificates }: RouteOptions): Connect {
  if (!certificates) return buildConnector(NO_TIMEOUT);
  let connector: Promise<Connect> | undefined;
  return (options, done) => {
    connector ??= createTlsContext(certificates).then((secureContext) =>
      buildConnector({ ...NO_TIMEOUT, secureContext }),
    );
    connector.then((connect) => connect(options, done)).catch((error: Error) => done(error, null));
    return undefined;
  };
}

/** Trusts these certificates (PEM) in addition to those of Node.js, which `ca` would replace. */
async function createTlsContext(certificates: readonly string[]): Promise<SecureContext> {
  const { default: tls } = await import('node:tls');
  // Newer than Node.js 20; includes the system's certificates if Node.js is configured to use them.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return tls.createSecureContext({
    ca: [...(getCACertificates?.('default') ?? tls.rootCertificates), ...certificates],
  });
}

function createTunnelConnector(
  proxy: HttpProxy,
  headers: Readonly<Record<string, string>>,
  connect: Connect,
  limit: () => number,
): Connect {
  return (options, done) => {
    const limitMs = limit();
    const target = `${options.host}${/:\d+$/.test(options.host ?? '') ? '' : ':443'}`;
    const toProxy = withConnectTimeout(connect, limit, proxy);
    import('./tunnel.ts')
      .then(({ openTunnel }) => openTunnel({ proxy, headers, connect: toProxy, limitMs }, target))
      .then((socket: Socket) => withConnectTimeout(connect, limit)({ ...options, httpSocket: socket }, done))
      .catch((error: Error) => done(error, null));
    return undefined;
  };
}

/** Ends an attempt at the time limit, and marks its errors as connection errors: nothing was sent. */
function withConnectTimeout(connect: Connect, limit: () => number, proxy?: HttpProxy): Connect {
  return (options, done) => {
    const limitMs = limit();
    let isSettled = false;
    const settle = (error: Error | null, socket: Socket | null) => {
      if (isSettled) socket?.destroy();
      else if (socket) done(null, socket);
      else done(toConnectError(error, limitMs, proxy), null);
      isSettled = true;
      clearTimeout(timer);
    };
    const timer = setTimeout(() => {
      attempt?.destroy();
      settle(Object.assign(new Error('no connection within the time limit'), { code: 'ETIMEDOUT' }), null);
    }, limitMs);
    const attempt = connect(options, settle);
    return attempt;
  };
}

function buildProxyAuthHeader({ credentials }: HttpProxy): Readonly<Record<string, string>> {
  if (!credentials) return {};
  return {
    'proxy-authorization': `Basic ${Buffer.from(`${credentials.user}:${credentials.password.reveal()}`).toString('base64')}`,
  };
}
