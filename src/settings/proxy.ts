/** Finds the proxy for a URL in the environment. Pure. */
import { attempt, CliError } from '../errors.ts';
import { ApiKey } from '../secrets/api-key.ts';
import { isExempt } from './no-proxy.ts';
import { assertUnquoted } from './quotes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface HttpProxy {
  /** http: or https:, without user and password. */
  url: URL;
  credentials: { user: string; password: ApiKey } | undefined;
  /** The environment variable. */
  source: string;
}

/**
 * The proxy for a URL; undefined for a direct connection. As in curl, the variable of the URL's scheme takes precedence
 * over ALL_PROXY, lower case over upper case, an empty variable counts as unset, and loopback is exempt only with NO_PROXY.
 * Raises usage (2) for an invalid proxy, without showing the value.
 */
export function findProxy(url: URL, env: Environment): HttpProxy | undefined {
  const source = listProxyVariables(url.protocol, env).find((name) => env[name]?.trim());
  if (source === undefined || isExempt(url, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  return parseProxy(env[source]?.trim() ?? '', source, url);
}

function listProxyVariables(protocol: string, env: Environment): string[] {
  const forAll = ['all_proxy', 'ALL_PROXY'];
  if (protocol === 'https:') return ['https_proxy', 'HTTPS_PROXY', ...forAll];
  // For a CGI script, HTTP_PROXY is a header of the request (CVE-2016-5385).
  const isCgi = env['REQUEST_METHOD'] !== undefined;
  return ['http_proxy', ...(isCgi ? [] : ['HTTP_PROXY']), ...forAll];
}

function parseProxy(text: string, source: string, target: URL): HttpProxy {
  assertUnquoted(text, source);
  const hint = `Set ${source} to http://host:port, or bypass the proxy with NO_PROXY=${target.hostname}.`;
  const proxyError = (problem: string) => new CliError('usage', `${source} ${problem}`, { hint });
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(text) ?? [];
  if (scheme && /^socks/i.test(scheme)) {
    throw proxyError(`must be a proxy with http:// or https:// (got a SOCKS proxy, ${scheme}://)`);
  }
  const url = URL.parse(scheme ? text : `http://${text}`);
  // An @ after the host means that the password is not encoded, so the parsed host is wrong.
  if (!url || !/^https?:$/.test(url.protocol) || /@/.test(url.pathname + url.search + url.hash)) {
    throw proxyError(
      'must be a proxy URL: http://host:port or http://user:password@host:port (special characters as %XX)',
    );
  }
  const password = new ApiKey(decodePercent(url.password), source);
  const credentials = url.username || url.password ? { user: decodePercent(url.username), password } : undefined;
  return { url: new URL(url.origin), credentials, source };
}

const decodePercent = (text: string) => attempt(() => decodeURIComponent(text)) ?? text;
