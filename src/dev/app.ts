/** The workbench as a Hono app: the page, the list of formulas, and an endpoint for each formula. */
import { type Context, Hono } from 'hono';
import page from '../generated/dev-page.js';
import { HttpProblem, invalidRequestProblem } from '../service/problem.ts';
import { readJsonObject } from '../service/request-body.ts';
import { findTest, type TestRef } from './chosen-test.ts';
import { addSecurityHeaders, rejectForeignRequests, requireToken } from './guard.ts';
import type { WorkbenchFormula } from './list-formulas.ts';
import type { LiveList } from './live-list.ts';
import { type RunContext, runFormula } from './run-formula.ts';
import { saveTest } from './save-test.ts';
import { createRunStore } from './saved-runs.ts';

export interface WorkbenchOptions {
  list: LiveList;
  token: string;
  context: Omit<RunContext, 'stop'>;
  /** Ends runs and pending requests. */
  closing: AbortSignal;
  log(event: string): void;
}

/** How long a request for the next version of the list waits. */
const POLL_MS = 25_000;
const MAX_RUNS_AT_ONCE = 8;

export function createWorkbenchApp({ list, token, context, closing, log }: WorkbenchOptions): Hono {
  const app = new Hono();
  const runs = createRunStore();
  let running = 0;
  app.use(addSecurityHeaders);
  app.use(rejectForeignRequests);
  app.onError(toErrorResponse);
  app.notFound(() => toErrorResponse(new HttpProblem(404, 'not found')));
  for (const [path, { type, text }] of Object.entries(page))
    app.get(path, (c) => c.body(text, 200, { 'content-type': type }));
  app.use('/formulas/*', requireToken(token));

  app.get('/formulas', async (c) => {
    const signal = AbortSignal.any([closing, c.req.raw.signal, AbortSignal.timeout(POLL_MS)]);
    await list.waitForChange(Number(c.req.query('after')), signal);
    const formulas = list.formulas().map(({ ref: _, ...listed }) => listed);
    return c.json({ version: list.version(), formulas });
  });

  app.post('/formulas/:id', async (c) => {
    const formula = findFormula(list, c);
    const { args = {}, configuration = {}, test } = await readJsonObject(c.req.raw);
    const request = { args, configuration, test: findChosenTest(formula, test) };
    if (running >= MAX_RUNS_AT_ONCE) throw new HttpProblem(429, `more than ${MAX_RUNS_AT_ONCE} runs at once`);
    running += 1;
    const stop = AbortSignal.any([closing, c.req.raw.signal]);
    const reply = await runFormula(formula.ref, request, { ...context, stop }).finally(() => {
      running -= 1;
    });
    log(`POST ${formula.endpoint} ${reply.status} ${reply.details.duration_ms} ms`);
    if (c.req.query('details') === undefined) return c.json(reply.body, reply.status);
    const run = runs.add({ ...request, folder: formula.ref.path, outcome: reply.outcome });
    return c.json({ ...reply.body, details: { ...reply.details, ...(reply.outcome && { run }) } }, reply.status);
  });

  app.post('/formulas/:id/tests', async (c) => {
    const formula = findFormula(list, c);
    const { name, run: id } = await readJsonObject(c.req.raw);
    const run = runs.find(id);
    if (run?.folder !== formula.ref.path)
      throw new HttpProblem(404, 'the run is no longer known; run the formula again');
    const saved = saveTest(name, run);
    if ('status' in saved) return c.json({ message: saved.message }, saved.status);
    log(`saved ${formula.folder}/${saved.file}`);
    return c.json(saved, 201);
  });
  return app;
}

function findFormula(list: LiveList, c: Context): WorkbenchFormula {
  const id = c.req.param('id');
  const formula = list.formulas().find((one) => one.id === id);
  if (formula) return formula;
  throw new HttpProblem(404, 'no such formula; GET /formulas lists the endpoints');
}

function findChosenTest({ ref }: WorkbenchFormula, test: unknown) {
  if (test === undefined || test === null) return undefined;
  const { file, index = 0 } = test as Partial<TestRef>;
  const found = typeof file === 'string' && typeof index === 'number' ? findTest(ref.path, { file, index }) : undefined;
  if (!found)
    throw invalidRequestProblem({ test: ['must be {"file": "tests/NAME.json", "index": N} of an existing test'] });
  return found;
}

function toErrorResponse(error: Error): Response {
  const { status, message, headers, errors } =
    error instanceof HttpProblem ? error : new HttpProblem(500, 'internal error');
  return Response.json({ message, ...(errors && { errors }) }, { status, headers });
}
