/** Restricts the workbench to its own page, and to programs on this computer that have the token. */
import type { MiddlewareHandler } from 'hono';
import { HttpProblem } from '../service/problem.ts';
import { sha256 } from '../text/hash.ts';

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/i;

/** Nothing is loaded from elsewhere, and no page frames this one. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

export const addSecurityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
};

/** Refuses pages of other origins (forged requests) and names that resolve to this computer (DNS rebinding). */
export const rejectForeignRequests: MiddlewareHandler = async (c, next) => {
  const host = c.req.header('host') ?? '';
  const hosts = [host, new URL(c.req.url).host];
  const origin = c.req.header('origin');
  const isOwn =
    hosts.every((name) => LOOPBACK_HOST.test(name)) &&
    (origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`) &&
    isOwnFetch((name) => c.req.header(name), c.req.path);
  if (!isOwn) throw new HttpProblem(403, 'The workbench accepts only requests of its own page and of this computer.');
  await next();
};

/** Checks the fetch metadata of a browser. Links to the page itself may come from anywhere. */
function isOwnFetch(header: (name: string) => string | undefined, path: string): boolean {
  const site = header('sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return path === '/' && header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document';
}

/** 401 without `Authorization: Bearer TOKEN`. */
export function requireToken(token: string): MiddlewareHandler {
  const expected = sha256(`Bearer ${token}`);
  return async (c, next) => {
    // Hashes, so that the time of the comparison reveals nothing about the token.
    if (!sha256(c.req.header('authorization') ?? '').equals(expected))
      throw new HttpProblem(401, 'The Authorization header must contain the token: Bearer TOKEN.');
    await next();
  };
}

/** Proves to a page that the server has its token, without the token; with the port, so that no other server can pass it on. */
export const createProof = (token: string, nonce: string, port: number): string =>
  sha256(JSON.stringify([nonce, port, token])).toString('hex');
