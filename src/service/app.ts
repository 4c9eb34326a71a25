/** The embedded service over HTTP: the interface of spec 4, with the checks of origin, rate, key, and permission (spec 5). */
import { findApplication } from './applications.ts';
import { findOperation } from './operations.ts';
import { HttpProblem, type ServiceResponse, toProblemResponse } from './problem.ts';
import { readJsonObject } from './request-body.ts';
import { retryWhileBusy } from './store/libsql.ts';
import type { Application, Store } from './store/store.ts';

export interface ServiceOptions {
  /** The header of the key (default: `SVC-API-KEY`). */
  apiKeyHeader?: string;
  /** Requests per second before 429 (default: unlimited). */
  rate?: number | undefined;
  /** The clock of the audit fields and the rate limit. */
  now?: () => Date;
}

/** A function from request to response. */
export interface App {
  fetch(request: Request): Response | Promise<Response>;
}

export function createApp(store: Store, options: ServiceOptions = {}): App {
  const { apiKeyHeader = 'SVC-API-KEY', rate, now = () => new Date() } = options;
  const takeToken = rate === undefined ? () => 0 : createTokenBucket(rate);
  const handle = async (request: Request, { pathname, searchParams }: URL): Promise<ServiceResponse> => {
    assertOwnOrigin(request);
    const waitSeconds = takeToken(now().getTime());
    if (waitSeconds > 0) {
      const headers = { 'retry-after': String(waitSeconds) };
      throw new HttpProblem(429, `More than ${rate} requests per second.`, { headers });
    }
    const { operation, id } = findOperation(request.method, pathname);
    const application = requireApplication(store, apiKeyHeader, request.headers.get(apiKeyHeader));
    if (operation.permission !== undefined && !application.permissions.includes(operation.permission))
      throw new HttpProblem(403, `This operation needs the permission ${operation.permission}.`);
    const body = /^P/.test(operation.method) ? await readJsonObject(request) : {};
    const call = { id, query: searchParams, body, author: { ...application, now: now() } };
    return retryWhileBusy(() => operation.run(store, call));
  };
  return {
    fetch: async (request) => {
      const url = new URL(request.url);
      const response = await handle(request, url).catch((error: unknown) => toProblemResponse(error, url.pathname));
      const { status, headers, value } = response;
      if (value === undefined) return new Response(null, { status });
      const body = request.method === 'HEAD' ? null : JSON.stringify(value);
      return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
    },
  };
}

const OWN_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Rejects requests of other sites, which reach loopback through the user's browser (DNS rebinding, CSRF). */
function assertOwnOrigin({ url, headers }: Request): void {
  const origin = headers.get('origin');
  const hosts = [new URL(url).host, headers.get('host') ?? 'localhost'];
  if (origin !== null) hosts.push(origin.replace(/^https?:\/\//i, ''));
  if (hosts.every((host) => OWN_HOST.test(host))) return;
  throw new HttpProblem(
    403,
    'This service accepts only requests from this computer to 127.0.0.1, localhost, or [::1].',
  );
}

function requireApplication(store: Store, keyHeader: string, key: string | null): Application {
  if (!key) throw new HttpProblem(401, `The header ${keyHeader} is missing: send the key of an application.`);
  const application = findApplication(store, key);
  if (!application) throw new HttpProblem(401, `The key in the header ${keyHeader} is unknown.`);
  return application;
}

/**
 * A token bucket of one second of requests. Each call, with the time in milliseconds, takes a token and returns 0, or the
 * seconds to wait if it is empty.
 */
function createTokenBucket(perSecond: number): (nowMs: number) => number {
  const capacity = Math.max(1, perSecond);
  let tokens = capacity;
  let filledAt: number | undefined;
  return (nowMs) => {
    const passedMs = Math.max(0, nowMs - (filledAt ?? nowMs));
    tokens = Math.min(capacity, tokens + (passedMs * perSecond) / 1000);
    filledAt = nowMs;
    if (tokens < 1) return Math.ceil((1 - tokens) / perSecond);
    tokens -= 1;
    return 0;
  };
}
