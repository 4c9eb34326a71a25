/** Checks the TLS handshake and the certificate of the service. */
import { type CertificateInfo, probeTls, probeUntrustedTls } from '../api/http/connection-probe.ts';
import { NetworkError } from '../api/http/http.ts';
import { describeNetworkError } from '../api/http/network-errors.ts';
import { isLoopback } from '../settings/base-url.ts';
import type { CheckResult } from '../views/doctor-view.ts';
import { type Check, defineCheck } from './check.ts';
import type { DoctorContext } from './context.ts';
import { asNetworkError } from './network.ts';

export interface TlsFacts {
  scheme: 'https' | 'http to loopback' | 'http';
  certificate: CertificateInfo | undefined;
  error: NetworkError | undefined;
  now: Date;
}

export const tls: Check = defineCheck('TLS', gatherTls, evaluateTls);

async function gatherTls({ remote, settings, timeoutMs, host }: DoctorContext): Promise<TlsFacts | undefined> {
  if (!remote || !settings?.value) return undefined;
  const { baseUrl } = remote;
  const { proxy, certificates, unencryptedHost } = settings.value;
  const facts = { certificate: undefined, error: undefined, now: host.now() };
  if (baseUrl.protocol === 'http:') {
    const staysLocal = unencryptedHost === undefined && isLoopback(baseUrl);
    return { ...facts, scheme: staysLocal ? 'http to loopback' : 'http' };
  }
  const result = await probeTls({ baseUrl, proxy, certificates }, timeoutMs).catch(asNetworkError);
  if (!(result instanceof NetworkError)) return { ...facts, scheme: 'https', certificate: result };
  const isUntrusted = result.kind === 'certificate' && !proxy;
  const certificate = isUntrusted ? await probeUntrustedTls(baseUrl, timeoutMs) : undefined;
  return { ...facts, scheme: 'https', certificate, error: result };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRES_SOON_DAYS = 14;
const NOT_REACHED = ['host-not-found', 'refused'];

/** Pure. */
export function evaluateTls(facts: TlsFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { scheme, certificate, error, now } = facts;
  if (scheme === 'http to loopback') return { status: 'ok', found: 'not used: http:// on this computer' };
  if (scheme === 'http') {
    const advice = 'Use a base URL with https://.';
    return { status: 'warning', found: 'not used: the key is sent unencrypted', advice };
  }
  if (error) return toFailedHandshake(error, certificate);
  if (!certificate) return undefined;
  const days = Math.floor((certificate.validUntil.getTime() - now.getTime()) / DAY_MS);
  const found = `${certificate.protocol}, ${describeCertificate(certificate)}, ${days} days left`;
  return days < EXPIRES_SOON_DAYS
    ? { status: 'warning', found, advice: 'Ask the service operator to renew it.' }
    : { status: 'ok', found };
}

function toFailedHandshake(error: NetworkError, certificate: CertificateInfo | undefined): CheckResult {
  if (!error.proxy && NOT_REACHED.includes(error.kind)) {
    return { status: 'unknown', found: 'not checked, because the connection failed' };
  }
  const { cause, hint } = error.kind === 'timeout' ? describeTimeout(error) : describeNetworkError(error);
  const location = error.proxy ? 'at the proxy: ' : '';
  const certificateText = certificate ? `: ${describeCertificate(certificate)}` : '';
  return {
    status: 'failed',
    found: `${location}${cause} (${error.code})${certificateText}`,
    advice: hint,
    code: 'unavailable',
  };
}

const describeTimeout = ({ limitMs }: NetworkError) => ({
  cause: `no TLS handshake within ${limitMs / 1000} s`,
  hint: 'Check that the port uses HTTPS, or increase --timeout.',
});

const describeCertificate = ({ subject, issuer, validFrom, validUntil }: CertificateInfo) =>
  `certificate for ${subject} by ${issuer}, valid from ${formatDay(validFrom)} to ${formatDay(validUntil)}`;

const formatDay = (date: Date) => (Number.isNaN(date.getTime()) ? 'an unknown date' : date.toISOString().slice(0, 10));
