/** Looks at the way to a service step by step: a connection, and the handshake on it. Sends no request, and no key. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { requirePermission } from '../../host/node-options.ts';
import type { HttpProxy } from '../../settings/resolve-target.ts';
import { connectFaultOf } from './http.ts';
import { roadTo, type Way } from './route.ts';

/** The host of an address, without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

export const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80));

/** The address that a connection to the service was made to, or to its proxy. Raises ExchangeFault. */
export async function reach({ baseUrl, proxy }: Way, limitMs: number): Promise<string> {
  requirePermission('Net', 'connect');
  const url = proxy?.url ?? baseUrl;
  const socket = connectTcp({ host: hostOf(url), port: portOf(url), autoSelectFamily: true });
  await opened(socket, 'connect', limitMs, proxy);
  const { remoteAddress = '' } = socket;
  socket.destroy();
  return remoteAddress;
}

/** What a server shows of itself in a handshake. */
export interface Shown {
  protocol: string;
  /** Whom the certificate is for, and who signed it. */
  subject: string;
  issuer: string;
  from: Date;
  until: Date;
}

/** Shakes hands as a request would: through the proxy, trusting what the settings trust. Raises ExchangeFault. */
export async function shakeHands(way: Way, limitMs: number): Promise<Shown> {
  requirePermission('Net', 'connect');
  const { origin, connect } = roadTo(way, () => limitMs);
  const url = new URL(origin);
  const host = hostOf(url);
  const options = {
    host: url.host,
    hostname: host,
    protocol: url.protocol,
    port: String(portOf(url)),
    servername: isIP(host) ? '' : host,
  };
  const socket = await new Promise<Socket>((done, fail) => {
    connect(options, (...[error, made]) => (made ? done(made as Socket) : fail(error)));
  });
  return shownBy(socket as TLSSocket);
}

/** What a server shows that need not be trusted; undefined where there is no handshake. */
export async function shownUntrusted(url: URL, limitMs: number): Promise<Shown | undefined> {
  const host = hostOf(url);
  const servername = isIP(host) ? '' : host;
  const socket = connectTls({ host, port: portOf(url), servername, rejectUnauthorized: false });
  try {
    await opened(socket, 'secureConnect', limitMs);
    return shownBy(socket);
  } catch {
    return undefined;
  }
}

function shownBy(socket: TLSSocket): Shown {
  const { subject, issuer, valid_from: from, valid_to: until } = socket.getPeerCertificate();
  const protocol = socket.getProtocol() ?? 'TLS';
  socket.destroy();
  return { protocol, subject: nameIn(subject), issuer: nameIn(issuer), from: new Date(from), until: new Date(until) };
}

const nameIn = (name: Partial<PeerCertificate['subject']> | undefined) => {
  const [first = 'nobody'] = [name?.CN ?? name?.O ?? []].flat();
  return first;
};

function opened(socket: Socket, event: string, limitMs: number, proxy?: HttpProxy): Promise<void> {
  return new Promise((done, fail) => {
    const end = (error: Error) => {
      socket.destroy();
      fail(connectFaultOf(error, limitMs, proxy));
    };
    const timer = setTimeout(() => end(Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' })), limitMs);
    socket.on('error', end);
    socket.once('close', () => clearTimeout(timer));
    socket.once(event, () => {
      clearTimeout(timer);
      done();
    });
  });
}
