/** Parses and formats the base URL of a service. */
import { CliError } from '../errors.ts';
import { isLikelyKey, REDACTED } from '../secrets/api-key.ts';
import { assertUnquoted } from './quotes.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const EXAMPLE_HINT = 'Example: --base-url https://api.example.com';

export const isLoopback = (url: URL) => LOOPBACK.test(url.hostname);

/** http:// to another computer. */
const isUnencrypted = (url: URL) => url.protocol === 'http:' && !isLoopback(url);

/** Formats a base URL without a final slash; equal base URLs have equal strings. */
export const formatBaseUrl = (url: URL) => url.href.replace(/\/+$/, '');

/** Raises usage (2) for anything but a plain http(s) URL, and for http:// to another computer. `source` is a flag or variable. */
export function parseBaseUrl(text: string, source: string, allowsHttp: boolean): URL {
  assertUnquoted(text, source);
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new CliError('usage', `${source} must be a URL with https:// (got "${redactUrl(text)}")`, {
      hint: EXAMPLE_HINT,
    });
  }
  // In the text, because URL drops an empty query or fragment.
  if (url.username || url.password || /[?#]/.test(text)) {
    const message = `${source} must not contain ${url.username || url.password ? 'a user name or password' : 'a query or fragment'}`;
    throw new CliError('usage', message, { hint: EXAMPLE_HINT });
  }
  if (isUnencrypted(url) && !allowsHttp) {
    throw new CliError('usage', `${source} is http:// to ${url.hostname}: the key would be sent unencrypted`, {
      hint: 'Use https://, or pass --insecure-http. Without it, http:// is allowed for this computer only.',
    });
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** Removes what may be secret in an invalid base URL: user and password, a query, or a key that was passed by mistake. */
function redactUrl(text: string): string {
  const isUrl = /^[a-z]+:\/\//i.test(text);
  if (isLikelyKey(text) || (!isUrl && /[^\w.:/@?#[\]-]/.test(text))) return REDACTED;
  return text.replace(/[?#].*$/s, '').replace(/^.*@/s, `${REDACTED}@`);
}
