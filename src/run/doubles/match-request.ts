/** Patterns of requests (`POST https://api.example.com/charges`), where `*` matches any characters. Pure. */
import { attempt } from '../../errors.ts';
import { createWildcardMatcher } from '../../text/wildcard.ts';

const METHOD_AND_URL = /^([A-Z]+) (\S+)$/;
const ORIGIN = /^https?:\/\/[^/?#]+/;

/** Whether a pattern matches a method and a URL, whose parameters may be in any order and encoding. */
export function matchesRequest(pattern: string, request: string): boolean {
  const normalized = normalizeRequest(pattern);
  if (createWildcardMatcher(normalized)(request)) return true;
  const [, expectedBase = '', expectedQuery = ''] = SPLIT.exec(normalized) ?? [];
  const [, base = '', query = ''] = SPLIT.exec(request) ?? [];
  if (expectedQuery === '' || query === '' || !createWildcardMatcher(expectedBase)(base)) return false;
  const parameters = query.split('&').map(decodeParameter);
  const expected = expectedQuery.split('&').map((one) => createWildcardMatcher(decodeParameter(one)));
  return (
    expected.length === parameters.length &&
    expected.every((matches) => {
      const at = parameters.findIndex(matches);
      return at >= 0 && parameters.splice(at, 1).length === 1;
    })
  );
}

const SPLIT = /^([^?]*)\?(.*)$/s;

/** A parameter of a URL or a form; invalid text as it is. */
export const decodeParameter = (text: string): string =>
  attempt(() => decodeURIComponent(text.replaceAll('+', ' '))) ?? text;

/** Whether the listed headers have the expected values, in which `*` matches any characters. */
export const matchesHeaders = (
  expected: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string | readonly string[] | undefined>> = {},
): boolean =>
  Object.entries(expected).every(([name, value]) => {
    const actual = headers[name.toLowerCase()];
    return actual !== undefined && createWildcardMatcher(value)([actual].flat().join(', '));
  });

/** Whether a pattern may match requests to an origin such as `https://api.example.com`. */
export function matchesOrigin(pattern: string, origin: string): boolean {
  const [, , url = ''] = METHOD_AND_URL.exec(normalizeRequest(pattern)) ?? [];
  const [host = url] = ORIGIN.exec(url) ?? [];
  return createWildcardMatcher(host)(origin);
}

/** Method and normalized URL: with a path, without a default port. */
export function normalizeRequest(request: string): string {
  const [, method = '', url = ''] = METHOD_AND_URL.exec(request) ?? [];
  // A `*` in the port, for example, is not a valid URL.
  return attempt(() => `${method} ${new URL(url).href}`) ?? request;
}
