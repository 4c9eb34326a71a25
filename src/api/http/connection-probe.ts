/** Tests the TLS handshake with a service. Sends no request, and no key. */
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { requirePermission } from '../../host/node-options.ts';
import { type RouteOptions, resolveRoute } from './route.ts';

/** The host of a URL, without the brackets of IPv6. */
export const getHostname = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

const getPort = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80));

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
export function probeUntrustedTls(url: URL, limitMs: number): Promise<CertificateInfo | undefined> {
  const host = getHostname(url);
  const servername = isIP(host) ? '' : host;
  return new Promise((done) => {
    const socket = connectTls({ host, port: getPort(url), servername, rejectUnauthorized: false });
    socket.once('secureConnect', () => done(readCertificate(socket)));
    socket.on('error', () => done(undefined));
    socket.setTimeout(limitMs, () => socket.destroy(new Error('timed out')));
  });
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
