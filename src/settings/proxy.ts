/** Which proxy the way to an address leads through, as the environment says it. Pure. */

import { CliError } from '../errors.ts';
import { ApiKey } from '../secrets/api-key.ts';
import { isExempt } from './no-proxy.ts';
import { assertUnquoted } from './quotes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface HttpProxy {
  /** http: or https:, a host and perhaps a port; without user and password. */
  url: URL;
  /** Who the proxy is told to be asked by; the password never shows. */
  credentials: { user: string; password: ApiKey } | undefined;
  /** The variable that names it. */
  source: string;
}

/**
 * The proxy for an address, or undefined where the way is direct. As with curl, the variable of the address's scheme
 * beats ALL_PROXY, lower case beats upper case, an empty variable counts as not set, and this machine is exempt only
 * if NO_PROXY says so. Raises usage (2) for a proxy that cannot be used, without showing what the variable holds.
 */
export function findProxy(url: URL, env: Environment): HttpProxy | undefined {
  const source = listProxyVariables(url.protocol, env).find((name) => env[name]?.trim());
  if (source === undefined || isExempt(url, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  return parseProxy(env[source]?.trim() ?? '', source, url);
}

function listProxyVariables(protocol: string, env: Environment): string[] {
  const forAll = ['all_proxy', 'ALL_PROXY'];
  if (protocol === 'https:') return ['https_proxy', 'HTTPS_PROXY', ...forAll];
  // To a CGI script HTTP_PROXY is a header of whoever asks (CVE-2016-5385).
  const isCgi = env['REQUEST_METHOD'] !== undefined;
  return ['http_proxy', ...(isCgi ? [] : ['HTTP_PROXY']), ...forAll];
}

function parseProxy(text: string, source: string, target: URL): HttpProxy {
  assertUnquoted(text, source);
  const hint = `set ${source} to http://host:port, or exempt the service with NO_PROXY=${target.hostname}`;
  const proxyError = (problem: string) => new CliError('usage', `${source} ${problem}`, { hint });
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(text) ?? [];
  if (scheme && /^socks/i.test(scheme)) {
    throw proxyError(
      `names a SOCKS proxy (${scheme}://), which cannot be used; wanted is a proxy with http:// or https://`,
    );
  }
  const url = URL.parse(scheme ? text : `http://${text}`);
  // An @ behind the host shows that the password is not encoded, and that what looks like the host is not one.
  if (!url || !/^https?:$/.test(url.protocol) || /@/.test(url.pathname + url.search + url.hash)) {
    throw proxyError(
      'is not the address of a proxy; wanted is http://host:port, or http://user:password@host:port with special characters as %XX',
    );
  }
  const password = new ApiKey(decodePercent(url.password), source);
  const credentials = url.username || url.password ? { user: decodePercent(url.username), password } : undefined;
  return { url: new URL(url.origin), credentials, source };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
