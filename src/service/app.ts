/** The embedded service over HTTP: the interface of spec 4 as a Hono app. */
import { Hono } from 'hono';
import { createAccessCheck, createRateLimit, rejectForeignOrigins, type ServiceEnv } from './access.ts';
import { OPERATIONS } from './operations.ts';
import { HttpProblem, toProblemResponse } from './problem.ts';
import { readJsonObject } from './request-body.ts';
import { retryWhileBusy } from './store/libsql.ts';
import type { Store } from './store/store.ts';

export interface ServiceOptions {
  /** The header of the key (default: `SVC-API-KEY`). */
  apiKeyHeader?: string;
  /** Requests per second before 429 (default: unlimited). */
  rate?: number;
  /** The clock of the audit fields and the rate limit. */
  now?: () => Date;
}

export function createApp(store: Store, options: ServiceOptions = {}): Hono<ServiceEnv> {
  const now = options.now ?? (() => new Date());
  const app = new Hono<ServiceEnv>({ strict: false });
  app.onError((error, c) => createProblemResponse(error, c.req.url));
  app.notFound((c) => createProblemResponse(new HttpProblem(404, 'Nothing exists at this path.'), c.req.url));
  app.use(rejectForeignOrigins);
  if (options.rate !== undefined) app.use(createRateLimit(options.rate, now));
  const requireAccess = createAccessCheck(store, options.apiKeyHeader ?? 'SVC-API-KEY');
  for (const { method, path, permission, run } of OPERATIONS) {
    app.on(method, path, requireAccess(permission), async (c) => {
      const body = /^P/.test(method) ? await readJsonObject(c.req.raw) : {};
      const author = { id: c.var.application.id, now: now() };
      // Not Hono's own query parser: `+` and `%20` both must be spaces in every query.
      const query = new URL(c.req.url).searchParams;
      const call = { id: c.req.param('id') ?? '', query, body, author };
      const { status, value } = await retryWhileBusy(() => run(store, call));
      return status === 204 ? c.body(null, status) : c.json(value, status);
    });
  }
  for (const path of new Set(OPERATIONS.map((operation) => operation.path))) rejectOtherMethods(app, path);
  return app;
}

function rejectOtherMethods(app: Hono<ServiceEnv>, path: string): void {
  const methods = OPERATIONS.filter((operation) => operation.path === path).map(({ method }) => method);
  // Hono handles HEAD like GET.
  const allow = methods.join(', ').replace('GET', 'GET, HEAD');
  app.all(path, (c) => {
    throw new HttpProblem(405, `${c.req.method} is not allowed at this path, only ${allow}.`, { headers: { allow } });
  });
}

function createProblemResponse(error: unknown, url: string): Response {
  const { status, headers, document } = toProblemResponse(error, new URL(url).pathname);
  return new Response(JSON.stringify(document), { status, headers });
}
