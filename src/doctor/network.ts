/** Checks the way to the service: the proxy, DNS, and the TLS handshake with its certificate. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type CertificateInfo, getHostname, probeTls, probeUntrustedTls } from '../api/http/connection-probe.ts';
import { NetworkError } from '../api/http/http.ts';
import { describeNetworkError } from '../api/http/network-errors.ts';
import { requirePermission } from '../host/node-options.ts';
import { isLoopback } from '../settings/base-url.ts';
import type { CheckResult } from '../views/doctor-view.ts';
import { type Check, toFailedResult } from './check.ts';

export const checkProxy: Check = ({ settings }) => {
  if (!settings) return undefined;
  if (settings.error) return toFailedResult(settings.error);
  const used = settings.value.proxy;
  if (!used) return { status: 'ok', found: 'none; requests are sent directly' };
  return { status: 'ok', found: `${used.url.origin} (${used.source})${used.credentials ? ', with a user name' : ''}` };
};

export const checkDns: Check = async ({ remote, settings, limits: { timeoutMs } }) => {
  if (!remote || !settings?.value) return undefined;
  const { proxy } = settings.value;
  const host = getHostname(proxy?.url ?? remote.baseUrl);
  const rest = proxy ? `; the proxy resolves ${remote.baseUrl.hostname}` : '';
  if (isIP(host)) return { status: 'ok', found: `${host} is an IP address${rest}` };
  requirePermission('Net', 'look up the host');
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail({ code: `no response within ${timeoutMs / 1000} s` }), timeoutMs);
  });
  try {
    const addresses = (await Promise.race([lookup(host, { all: true }), timedOut])).map(({ address }) => address);
    return { status: 'ok', found: `${host} resolves to ${[...new Set(addresses)].join(', ')}${rest}` };
  } catch (error) {
    const found = `host ${host} not found (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`;
    const advice = `Check the spelling of the ${proxy ? 'proxy' : 'base'} URL, and the network connection.`;
    return { status: 'failed', found, advice, code: 'unavailable' };
  } finally {
    clearTimeout(timer);
  }
};

export const checkTls: Check = async ({ remote, settings, limits: { timeoutMs }, host }) => {
  if (!remote || !settings?.value) return undefined;
  const { baseUrl } = remote;
  const { proxy, certificates, unencryptedHost } = settings.value;
  if (baseUrl.protocol === 'http:') {
    if (unencryptedHost === undefined && isLoopback(baseUrl))
      return { status: 'ok', found: 'not used: http:// on this computer' };
    const advice = 'Use a base URL with https://.';
    return { status: 'warning', found: 'not used: the key is sent unencrypted', advice };
  }
  try {
    return checkCertificate(await probeTls({ baseUrl, proxy, certificates }, timeoutMs), host.now());
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    const isUntrusted = error.kind === 'certificate' && !proxy;
    return toFailedHandshake(error, isUntrusted ? await probeUntrustedTls(baseUrl, timeoutMs) : undefined);
  }
};

const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRES_SOON_DAYS = 14;

function checkCertificate(certificate: CertificateInfo, now: Date): CheckResult {
  const days = Math.floor((certificate.validUntil.getTime() - now.getTime()) / DAY_MS);
  const found = `${certificate.protocol}, ${formatCertificate(certificate)}, ${days} days left`;
  return days < EXPIRES_SOON_DAYS
    ? { status: 'warning', found, advice: 'Ask the service operator to renew it.' }
    : { status: 'ok', found };
}

function toFailedHandshake(error: NetworkError, certificate: CertificateInfo | undefined): CheckResult {
  const { cause, hint } = describeNetworkError(error);
  const location = error.proxy ? 'at the proxy: ' : '';
  const certificateText = certificate ? `: ${formatCertificate(certificate)}` : '';
  const found = `${location}${cause} (${error.code})${certificateText}`;
  return { status: 'failed', found, advice: hint, code: 'unavailable' };
}

const formatCertificate = ({ subject, issuer, validFrom, validUntil }: CertificateInfo) =>
  `certificate for ${subject} by ${issuer}, valid from ${formatDay(validFrom)} to ${formatDay(validUntil)}`;

const formatDay = (date: Date) => (Number.isNaN(date.getTime()) ? 'an unknown date' : date.toISOString().slice(0, 10));
