/** What a proxy itself answers, in the place of the service. Pure. */
import type { HttpResponse, NetworkErrorKind } from './http.ts';

/** Why a proxy did not let a request through. Some ask for a login with 401, which is the service's (RFC 9110, 15.5.8). */
export function classifyProxyStatus(status: number): NetworkErrorKind {
  if (status === 407 || status === 401) return 'proxy-login';
  return status >= 500 ? 'proxy-unreached' : 'proxy-denied';
}

/** Whether an answer to a request that a proxy passes on is the proxy's own, as far as its headers show it. */
export function isProxyResponse({ status, headers }: HttpResponse): boolean {
  if (status === 407) return true;
  const server = headers['server'] ?? '';
  const isNamed = headers['x-squid-error'] !== undefined || /^(squid|tinyproxy)\b/i.test(server);
  return status >= 400 && (isNamed || /;\s*error=/i.test(headers['proxy-status'] ?? ''));
}
