/** The embedded service: the whole interface of spec 4 as a Hono app over a store. */
import { Hono } from 'hono';
import { CliError } from '../errors.ts';
import { accessCheck, isInProcess, limitRate, refuseForeign, type ServiceEnv } from './access.ts';
import { type Author, createFormula, deleteFormula, getFormula, listFormulas, updateFormula } from './formulas.ts';
import { pagination, readPaging } from './paging.ts';
import { permissionsFor } from './permissions.ts';
import { Problem, problemResponse } from './problem.ts';
import { readJsonObject } from './request-body.ts';
import type { Application, Store } from './store.ts';

export interface ServiceOptions {
  /** The header that carries the key; default `SVC-API-KEY`. */
  apiKeyHeader?: string;
  /** Requests a second over HTTP before 429; default: no limit. */
  rate?: number;
  /** The clock of the audit fields and the rate limit. */
  now?: () => Date;
}

/**
 * The app. `app.fetch(request, {application})` asks in process as that application: no key, no rate limit.
 * Anything else counts as HTTP and needs a key in the header.
 */
export function createApp(store: Store, options: ServiceOptions = {}): Hono<ServiceEnv> {
  const now = options.now ?? (() => new Date());
  const app = new Hono<ServiceEnv>({ strict: false });
  app.onError((error, c) => {
    // In process there is no need to say it in HTTP: the user hears of the data file itself.
    if (error instanceof CliError && isInProcess(c)) throw error;
    return problemResponse(error, c.req.path);
  });
  app.notFound((c) => problemResponse(new Problem(404, 'There is nothing at this path.'), c.req.path));
  app.use(refuseForeign);
  if (options.rate !== undefined) app.use(limitRate(options.rate, now));
  const access = accessCheck(store, options.apiKeyHeader ?? 'SVC-API-KEY');

  app.get('/permissions', access(), (c) => c.json(permissionsFor(textOf(queryOf(c.req.raw), 'application_type'))));
  addFormulaRoutes(app, store, access, (application) => ({ id: application.id, now: now() }));

  refuseOtherMethods(app, '/permissions', 'GET, HEAD');
  refuseOtherMethods(app, '/reactor-formulas', 'GET, HEAD, POST');
  refuseOtherMethods(app, '/reactor-formulas/:id', 'GET, HEAD, PUT, DELETE');
  return app;
}

function addFormulaRoutes(
  app: Hono<ServiceEnv>,
  store: Store,
  access: ReturnType<typeof accessCheck>,
  author: (application: Application) => Author,
): void {
  app.get('/reactor-formulas', access('reactor:read'), (c) => {
    const query = queryOf(c.req.raw);
    const paging = readPaging(query);
    const { total, formulas } = listFormulas(store, textOf(query, 'name'), paging);
    return c.json({ pagination: pagination(total, paging), data: formulas });
  });
  app.post('/reactor-formulas', access('reactor:create'), async (c) => {
    const body = await readJsonObject(c.req.raw);
    return c.json(createFormula(store, body, author(c.var.application)), 201);
  });
  app.get('/reactor-formulas/:id', access('reactor:read'), (c) => c.json(getFormula(store, c.req.param('id'))));
  app.put('/reactor-formulas/:id', access('reactor:update'), async (c) => {
    const body = await readJsonObject(c.req.raw);
    return c.json(updateFormula(store, c.req.param('id'), body, author(c.var.application)));
  });
  app.delete('/reactor-formulas/:id', access('reactor:delete'), (c) => {
    deleteFormula(store, c.req.param('id'));
    return c.body(null, 204);
  });
}

function refuseOtherMethods(app: Hono<ServiceEnv>, path: string, allow: string): void {
  app.all(path, (c) => {
    throw new Problem(405, `${c.req.method} is not offered here, only ${allow}.`, { headers: { allow } });
  });
}

/** Not Hono's own reading of the query: here `+` and `%20` both are spaces, whatever else is in it. */
function queryOf(request: Request): URLSearchParams {
  return new URL(request.url).searchParams;
}

/** A query parameter that was sent empty counts as not sent. */
function textOf(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) || undefined;
}
