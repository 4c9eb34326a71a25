/** Patterns of requests (`POST https://api.example.com/charges`), where `*` matches any characters. Pure. */
import { createWildcardMatcher } from '../../text/wildcard.ts';

const METHOD_AND_URL = /^([A-Z]+) (\S+)$/;
const ORIGIN = /^https?:\/\/[^/?#]+/;

/** Whether a pattern matches a method and a URL. */
export function matchesRequest(pattern: string, request: string): boolean {
  return createWildcardMatcher(normalizeRequest(pattern))(request);
}

/** Whether a pattern may match requests to an origin such as `https://api.example.com`. */
export function matchesOrigin(pattern: string, origin: string): boolean {
  const [, , url = ''] = METHOD_AND_URL.exec(normalizeRequest(pattern)) ?? [];
  const [host = url] = ORIGIN.exec(url) ?? [];
  return createWildcardMatcher(host)(origin);
}

/** Method and normalized URL: with a path, without a default port. */
export function normalizeRequest(request: string): string {
  const [, method = '', url = ''] = METHOD_AND_URL.exec(request) ?? [];
  try {
    return `${method} ${new URL(url).href}`;
  } catch {
    // A `*` in the port, for example, is not a valid URL.
    return request;
  }
}
