/** Finds the next page of a list: the `next` of its body, or a Link header (RFC 8288). Pure. */
import { truncateMessage } from './error-body.ts';

/** The query of the next page, or a URL that is not followed: requests, and the key, stay under the base URL. */
export type NextPage = { query: string } | { foreignUrl: string };

/** `next` is tried before `link`. */
interface Continuations {
  next: unknown;
  link: string | undefined;
}

/**
 * The next page of the list at `url`, from a response to it: the first continuation that can be followed, otherwise the
 * first one. A `next` that is not a link is a cursor, sent as `start`. Undefined where the response names none.
 */
export function findNextPage({ next, link = '' }: Continuations, url: URL): NextPage | undefined {
  const candidates = [
    ...(typeof next === 'string' && next !== '' ? [parseNext(next, url)] : []),
    ...parseNextLinks(link).map((target) => resolveLink(target, url)),
  ];
  return candidates.find((one) => 'query' in one) ?? candidates[0];
}

/** Cursors are opaque, but contain no question mark or scheme, not even in base64. */
function parseNext(next: string, url: URL): NextPage {
  if (/^[a-z][a-z\d+.-]*:\/\/|\?/i.test(next)) return resolveLink(next, url);
  const query = new URLSearchParams(url.search);
  query.delete('page');
  query.set('start', next.toWellFormed());
  // Not every service decodes `+` as a space.
  return { query: `${query}`.replaceAll('+', '%20') };
}

/** A link is followed only to another query of the same list. */
function resolveLink(target: string, url: URL): NextPage {
  if (!URL.canParse(target, url.href)) return { foreignUrl: truncateMessage(target) };
  const { origin, pathname, search, protocol, host } = new URL(target, url);
  const isSameList = origin === url.origin && stripTrailingSlash(pathname) === stripTrailingSlash(url.pathname);
  return isSameList ? { query: search.slice(1) } : { foreignUrl: truncateMessage(`${protocol}//${host}${pathname}`) };
}

const stripTrailingSlash = (path: string) => path.replace(/\/$/, '');

/** The targets of links with the relation `next`. Of several `rel`, the first counts (RFC 8288, section 3.3). */
function parseNextLinks(header: string): string[] {
  return [...header.matchAll(/<([^>]*)>((?:[^",<]|"[^"]*")*)/g)].flatMap(([, target = '', parameters = '']) => {
    const [, quoted, plain = ''] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;"]*))/i.exec(parameters) ?? [];
    const isNext = (quoted ?? plain).toLowerCase().split(/\s+/).includes('next');
    // A link with an anchor is about another resource.
    return isNext && !/;\s*anchor\s*=/i.test(parameters) ? [target.trim()] : [];
  });
}
