/** The base address of a service: what is accepted as one, and how it is written. */

import { CliError } from '../errors.ts';
import { isLikelyKey, REDACTED } from '../secrets/api-key.ts';
import { assertUnquoted } from './quotes.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const EXAMPLE_HINT = 'for instance --base-url https://api.example.com';

export const isLoopback = (url: URL) => LOOPBACK.test(url.hostname);

/** http:// to another machine. */
const isUnencrypted = (url: URL) => url.protocol === 'http:' && !isLoopback(url);

/** The address as text, without a final slash; two texts are equal for one and the same address. */
export const formatBaseUrl = (url: URL) => url.href.replace(/\/+$/, '');

/** Raises usage (2) for what is no bare http(s) address, or would carry a key unencrypted. `from` says who gave it. */
export function parseBaseUrl(text: string, source: string, allowsHttp: boolean): URL {
  assertUnquoted(text, source);
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new CliError('usage', `${source} is "${redactUrl(text)}"; wanted is an address with https://`, {
      hint: EXAMPLE_HINT,
    });
  }
  // The text, since a URL forgets a query or fragment that is empty.
  if (url.username || url.password || /[?#]/.test(text)) {
    throw new CliError(
      'usage',
      `${source} has ${url.username || url.password ? 'a user name or password' : 'a query or fragment'} in it; wanted is a bare address`,
      { hint: EXAMPLE_HINT },
    );
  }
  if (isUnencrypted(url) && !allowsHttp) {
    throw new CliError('usage', `${source} is http:// on ${url.hostname}: the key would travel unencrypted`, {
      hint: 'use https://, or allow it with --insecure-http; http:// without that is for this machine only',
    });
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** What was typed as an address, without what may be secret in it: user and password, a query, or a key at the wrong place. */
function redactUrl(text: string): string {
  const isUrl = /^[a-z]+:\/\//i.test(text);
  if (isLikelyKey(text) || (!isUrl && /[^\w.:/@?#[\]-]/.test(text))) return REDACTED;
  return text.replace(/[?#].*$/s, '').replace(/^.*@/s, `${REDACTED}@`);
}
