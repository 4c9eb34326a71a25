/** Tests the connection to a service, and its TLS handshake. Sends no request, and no key. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { requirePermission } from '../../host/node-options.ts';
import type { HttpProxy } from '../../settings/resolve-target.ts';
import { toConnectError } from './http.ts';
import { type RouteOptions, resolveRoute } from './route.ts';

/** The host of a URL, without the brackets of IPv6. */
export const getHostname = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

export const getPort = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80));

/** Connects to the service, or to its proxy, and returns the remote IP address. Throws NetworkError. */
export async function probeTcp({ baseUrl, proxy }: RouteOptions, limitMs: number): Promise<string> {
  requirePermission('Net', 'connect');
  const url = proxy?.url ?? baseUrl;
  const socket = connectTcp({ host: getHostname(url), port: getPort(url), autoSelectFamily: true });
  await waitForEvent(socket, 'connect', limitMs, proxy);
  const { remoteAddress = '' } = socket;
  socket.destroy();
  return remoteAddress;
}

/** The certificate of a server. */
export interface CertificateInfo {
  protocol: string;
  subject: string;
  issuer: string;
  validFrom: Date;
  validUntil: Date;
}

/** Makes a TLS handshake as a request would, with the proxy and certificates of the settings. Throws NetworkError. */
export async function probeTls(routeOptions: RouteOptions, limitMs: number): Promise<CertificateInfo> {
  requirePermission('Net', 'connect');
  const { origin, connect } = resolveRoute(routeOptions, () => limitMs);
  const url = new URL(origin);
  const host = getHostname(url);
  const options = {
    host: url.host,
    hostname: host,
    protocol: url.protocol,
    port: String(getPort(url)),
    servername: isIP(host) ? '' : host,
  };
  const socket = await new Promise<Socket>((done, fail) => {
    connect(options, (...[error, connected]) => (connected ? done(connected as Socket) : fail(error)));
  });
  return readCertificate(socket as TLSSocket);
}

/** Reads a certificate that need not be trusted; undefined if the handshake fails. */
export async function probeUntrustedTls(url: URL, limitMs: number): Promise<CertificateInfo | undefined> {
  const host = getHostname(url);
  const servername = isIP(host) ? '' : host;
  const socket = connectTls({ host, port: getPort(url), servername, rejectUnauthorized: false });
  try {
    await waitForEvent(socket, 'secureConnect', limitMs);
    return readCertificate(socket);
  } catch {
    return undefined;
  }
}

function readCertificate(socket: TLSSocket): CertificateInfo {
  const { subject, issuer, valid_from: validFrom, valid_to: validUntil } = socket.getPeerCertificate();
  const protocol = socket.getProtocol() ?? 'TLS';
  socket.destroy();
  return {
    protocol,
    subject: getCommonName(subject),
    issuer: getCommonName(issuer),
    validFrom: new Date(validFrom),
    validUntil: new Date(validUntil),
  };
}

const getCommonName = (name: Partial<PeerCertificate['subject']> | undefined) => {
  const [first = 'nobody'] = [name?.CN ?? name?.O ?? []].flat();
  return first;
};

function waitForEvent(socket: Socket, event: string, limitMs: number, proxy?: HttpProxy): Promise<void> {
  return new Promise((done, fail) => {
    const end = (error: Error) => {
      socket.destroy();
      fail(toConnectError(error, limitMs, proxy));
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
