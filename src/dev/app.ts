/** The workbench as a Hono app: the page, the list of formulas, and an endpoint for each formula. */
import { type Context, Hono } from 'hono';
import { CliError } from '../errors.ts';
import page from '../generated/dev-page.js';
import type { Redactor } from '../host/host.ts';
import type { FormulaTest } from '../run/cases/parse-tests.ts';
import { HttpProblem, invalidRequestProblem } from '../service/problem.ts';
import { readJsonObject } from '../service/request-body.ts';
import { findTest, type TestRef } from './chosen-test.ts';
import { addSecurityHeaders, rejectForeignRequests, requireToken } from './guard.ts';
import { toListedFormula, type WorkbenchFormula } from './list-formulas.ts';
import type { LiveList } from './live-list.ts';
import { type RunContext, runFormula } from './run-formula.ts';
import { createRunStore, type RunStore, saveTest } from './save-test.ts';

export interface WorkbenchOptions {
  list: LiveList;
  token: string;
  context: Omit<RunContext, 'abortSignal'>;
  /** Ends runs and pending requests. */
  closing: AbortSignal;
  log(event: string): void;
  /** Redacts the tool's keys in responses and saved tests. */
  redact: Redactor;
}

/** How long a request for the next version of the list waits. */
const POLL_MS = 25_000;
const MAX_RUNS_AT_ONCE = 8;

export function createWorkbenchApp(options: WorkbenchOptions): Hono {
  const app = new Hono();
  app.use(addSecurityHeaders);
  app.use(rejectForeignRequests);
  app.onError(toErrorResponse);
  app.notFound(() => toErrorResponse(new HttpProblem(404, 'not found')));
  for (const [path, { type, text }] of Object.entries(page))
    app.get(path, (c) => c.body(text, 200, { 'content-type': type }));
  app.use('/formulas/*', requireToken(options.token));
  app.get('/formulas', (c) => sendList(c, options));
  const runs = createRunStore();
  const limitRuns = createLimit(MAX_RUNS_AT_ONCE);
  app.post('/formulas/:id', (c) => limitRuns(() => sendRun(c, options, runs)));
  app.get('/formulas/:id/tests', (c) => sendTest(c, options));
  app.post('/formulas/:id/tests', (c) => sendSavedTest(c, options, runs));
  return app;
}

/** Runs work unless too many runs are active (429). */
function createLimit(max: number) {
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= max) throw new HttpProblem(429, `more than ${max} runs at once`);
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
}

/** Sends the list when its version differs from `?after`. */
async function sendList(c: Context, { list, closing, redact }: WorkbenchOptions): Promise<Response> {
  const signal = AbortSignal.any([closing, c.req.raw.signal, AbortSignal.timeout(POLL_MS)]);
  await list.waitForChange(Number(c.req.query('after')), signal);
  return sendJson({ version: list.version(), formulas: list.formulas().map(toListedFormula) }, 200, redact);
}

async function sendRun(
  c: Context,
  { list, context, closing, log, redact }: WorkbenchOptions,
  runs: RunStore,
): Promise<Response> {
  const formula = findFormula(list, c);
  const { args = {}, configuration = {}, test } = await readJsonObject(c.req.raw);
  const hasDetails = c.req.query('details') !== undefined;
  const request = {
    args,
    configuration,
    test: test == null ? undefined : requireTest(formula, test),
    isRecorded: hasDetails,
  };
  const abortSignal = AbortSignal.any([closing, c.req.raw.signal]);
  const { status, body, details, saveable } = await runFormula(formula.ref, request, { ...context, abortSignal });
  log(`POST ${formula.endpoint} ${status} ${details.duration_ms} ms`);
  if (!hasDetails) return sendJson(body, status, redact);
  const run = saveable && runs.add({ ...request, ...saveable, folder: formula.ref.path });
  return sendJson({ ...body, details: { ...details, run } }, status, redact);
}

/** Args and configuration of the test `?file` and `&index`. */
async function sendTest(c: Context, { list, redact }: WorkbenchOptions): Promise<Response> {
  const test = { file: c.req.query('file'), index: Number(c.req.query('index') ?? 0) };
  const { args, configuration } = requireTest(findFormula(list, c), test);
  return sendJson({ args, configuration }, 200, redact);
}

async function sendSavedTest(
  c: Context,
  { list, context, closing, log, redact }: WorkbenchOptions,
  runs: RunStore,
): Promise<Response> {
  const formula = findFormula(list, c);
  const { name, run: id } = await readJsonObject(c.req.raw);
  const run = runs.find(id);
  if (run?.folder !== formula.ref.path) throw new HttpProblem(404, 'the run is no longer known; run the formula again');
  const { nodePath, timeoutSeconds } = context;
  const saved = await saveTest(
    name,
    run,
    { nodePath, timeoutSeconds, hasNetwork: false, abortSignal: closing },
    redact,
  );
  if ('status' in saved) return sendJson({ message: saved.message }, saved.status, redact);
  log(`saved ${formula.folder}/${saved.file}`);
  return sendJson(saved, 201, redact);
}

function findFormula(list: LiveList, c: Context): WorkbenchFormula {
  const id = c.req.param('id');
  const formula = list.formulas().find((one) => one.id === id);
  if (formula) return formula;
  throw new HttpProblem(404, 'no such formula; GET /formulas lists the endpoints');
}

function requireTest({ ref }: WorkbenchFormula, test: unknown): FormulaTest {
  const { file, index = 0 } = (test ?? {}) as Partial<TestRef>;
  const found = typeof file === 'string' && typeof index === 'number' ? findTest(ref.path, { file, index }) : undefined;
  if (found) return found;
  const message = 'must be {"file": "tests/NAME.json", "index": N} of an existing test';
  throw invalidRequestProblem({ test: [message] });
}

/** Redacts the tool's keys. */
const sendJson = (body: object, status: number, redact: Redactor): Response =>
  new Response(redact(JSON.stringify(body)), { status, headers: { 'content-type': 'application/json' } });

function toErrorResponse(error: Error): Response {
  // For example, a folder that cannot be read.
  if (error instanceof CliError) return Response.json({ message: error.message }, { status: 422 });
  const { status, message, headers, errors } =
    error instanceof HttpProblem ? error : new HttpProblem(500, 'internal error');
  return Response.json({ message, ...(errors && { errors }) }, { status, headers });
}
