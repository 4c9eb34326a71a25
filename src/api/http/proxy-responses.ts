/** Recognizes responses of a proxy. Pure. */
import { type HttpResponse, NetworkError, type NetworkErrorDetails, type NetworkErrorKind } from './http.ts';

/** Why a proxy rejected a request. Some proxies use 401 instead of 407 (RFC 9110, 15.5.8). */
export function classifyProxyStatus(status: number): NetworkErrorKind {
  if (status === 407 || status === 401) return 'proxy-auth';
  return status >= 500 ? 'proxy-unreachable' : 'proxy-denied';
}

/** The error for a proxy's rejection. */
export const proxyError = (status: number, details: Omit<NetworkErrorDetails, 'kind' | 'code'>): NetworkError =>
  new NetworkError({ ...details, kind: classifyProxyStatus(status), code: String(status) });

/** Whether a response to a forwarded request is the proxy's own, judging by its headers. */
export function isProxyResponse({ status, headers }: HttpResponse): boolean {
  if (status === 407) return true;
  const server = headers['server'] ?? '';
  const isNamed = headers['x-squid-error'] !== undefined || /^(squid|tinyproxy)\b/i.test(server);
  return status >= 400 && (isNamed || /;\s*error=/i.test(headers['proxy-status'] ?? ''));
}
