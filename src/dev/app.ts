/** The workbench as a Hono app: the page, the list of formulas, and an endpoint for each formula. */
import { type Context, Hono } from 'hono';
import { CliError } from '../errors.ts';
import type { Folder } from '../folder/find-folders.ts';
import page from '../generated/dev-page.js';
import type { Redactor } from '../host/host.ts';
import type { FormulaTest } from '../run/cases/parse-tests.ts';
import { HttpProblem, invalidRequestProblem } from '../service/problem.ts';
import { readJsonObject } from '../service/request-body.ts';
import { type FormulaRequest, findTest, parseDoubles } from './chosen-test.ts';
import { addSecurityHeaders, createProof, rejectForeignRequests, requireToken } from './guard.ts';
import { toListedFormula, type WorkbenchFormula } from './list-formulas.ts';
import type { LiveList } from './live-list.ts';
import { type RunContext, type RunReply, runFormula } from './run-formula.ts';
import { findNewFile, saveTest } from './save-test.ts';
import type { TestRef } from './wire.ts';

export interface WorkbenchOptions {
  list: LiveList;
  token: string;
  /** The port that the server listens on. */
  getPort(): number;
  context: Omit<RunContext, 'abortSignal'>;
  /** Ends runs and pending requests. */
  closing: AbortSignal;
  log(event: string): void;
  /** Redacts the tool's keys in responses and saved tests. */
  redact: Redactor;
  /** Shows what push would change; undefined without a service. */
  comparePublished: ((folder: Folder) => Promise<string>) | undefined;
}

/** How long a request for the next version of the list waits. */
const POLL_MS = 25_000;

export function createWorkbenchApp(options: WorkbenchOptions): Hono {
  const app = new Hono();
  app.use(addSecurityHeaders);
  app.use(rejectForeignRequests);
  app.onError(toErrorResponse);
  app.notFound(() => toErrorResponse(new HttpProblem(404, 'not found')));
  for (const [path, { type, text }] of Object.entries(page))
    app.get(path, (c) => c.body(text, 200, { 'content-type': type }));
  app.get('/proof', (c) => {
    const proof = createProof(options.token, c.req.query('nonce') ?? '', options.getPort());
    return sendJson({ proof }, 200, options.redact);
  });
  app.use('/formulas/*', requireToken(options.token));
  app.get('/formulas', (c) => sendList(c, options));
  const lastRuns = new Map<string, RunReply>();
  app.post('/formulas/:id', (c) => sendRun(c, options, lastRuns));
  app.get('/formulas/:id/tests', (c) => sendTest(c, options));
  app.post('/formulas/:id/tests', (c) => sendSavedTest(c, options, lastRuns));
  app.get('/formulas/:id/published', async (c) => {
    const text = await options.comparePublished?.(findFormula(options.list, c).ref);
    return sendJson({ text: text ?? 'no service is configured' }, 200, options.redact);
  });
  return app;
}

/** Sends the list when its version differs from `?after`. */
async function sendList(c: Context, options: WorkbenchOptions): Promise<Response> {
  const { list, closing, redact } = options;
  const signal = AbortSignal.any([closing, c.req.raw.signal, AbortSignal.timeout(POLL_MS)]);
  await list.waitForChange(Number(c.req.query('after')), signal);
  const formulas = list.formulas().map(toListedFormula);
  return sendJson({ version: list.version(), has_service: Boolean(options.comparePublished), formulas }, 200, redact);
}

/** The last run of each formula without doubles, by path, which is saved if neither input nor code has changed. */
type LastRuns = Map<string, RunReply>;

async function sendRun(c: Context, options: WorkbenchOptions, lastRuns: LastRuns): Promise<Response> {
  const formula = findFormula(options.list, c);
  const hasDetails = c.req.query('details') !== undefined;
  const request = parseRunRequest(await readJsonObject(c.req.raw), formula);
  const reply = await runOnce(c, formula, { ...request, isRecorded: hasDetails }, options);
  // Another run with doubles changes nothing elsewhere.
  if (hasDetails && !request.doubles && !request.test) lastRuns.set(formula.ref.path, reply);
  return sendJson(hasDetails ? withDetails(reply) : reply.body, reply.status, options.redact);
}

const withDetails = ({ body, details, status }: RunReply) => ({ ...body, details: { ...details, status } });

/** What is not in the request is that of its test. */
function parseRunRequest(body: Record<string, unknown>, formula: WorkbenchFormula): Omit<FormulaRequest, 'isRecorded'> {
  const test = body['test'] == null ? undefined : requireTest(formula, body['test']);
  const { args = test?.args ?? {}, configuration = test?.configuration ?? {}, doubles } = body;
  if (doubles == null) return { args, configuration, doubles: test?.doubles, test };
  const parsed = parseDoubles(doubles);
  if (parsed.problems.length > 0) throw invalidRequestProblem({ doubles: [...parsed.problems] });
  return { args, configuration, doubles: parsed.doubles, test };
}

async function runOnce(
  c: Context,
  { ref, endpoint }: WorkbenchFormula,
  request: FormulaRequest,
  { context, closing, log }: WorkbenchOptions,
  last?: RunReply,
): Promise<RunReply> {
  const abortSignal = AbortSignal.any([closing, c.req.raw.signal]);
  const reply = await runFormula(ref, request, { ...context, abortSignal }, last);
  if (reply !== last) log(`POST ${endpoint} ${reply.status} ${reply.details.duration_ms} ms`);
  return reply;
}

/** Args, configuration, and doubles of the test `?file` and `&index`. */
async function sendTest(c: Context, { list, redact }: WorkbenchOptions): Promise<Response> {
  const test = { file: c.req.query('file'), index: Number(c.req.query('index') ?? 0) };
  const { args, configuration, doubles } = requireTest(findFormula(list, c), test);
  return sendJson({ args, configuration, doubles }, 200, redact);
}

/** Saves the last run, or with other input or code a new one. */
async function sendSavedTest(c: Context, options: WorkbenchOptions, lastRuns: LastRuns): Promise<Response> {
  const { list, context, closing, log, redact } = options;
  const formula = findFormula(list, c);
  const { name, ...body } = await readJsonObject(c.req.raw);
  const request = { ...parseRunRequest(body, formula), isRecorded: true };
  const found = findNewFile(formula.ref.path, name);
  if ('status' in found) return sendJson({ message: found.message }, found.status, redact);
  const reply = await runOnce(c, formula, request, options, lastRuns.get(formula.ref.path));
  if (!reply.saveable) return sendJson(withDetails(reply), reply.status === 200 ? 422 : reply.status, redact);
  const { nodePath, timeoutSeconds } = context;
  const limits = { nodePath, timeoutSeconds, abortSignal: closing };
  const saved = await saveTest(found.file, reply.saveable, limits, redact);
  if ('message' in saved) return sendJson(saved, 500, redact);
  log(`saved ${formula.folder}/${found.file}`);
  return sendJson({ ...withDetails(reply), saved: { file: found.file, ...saved } }, 201, redact);
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
  if (error instanceof CliError) return Response.json({ message: error.message, hint: error.hint }, { status: 422 });
  const { status, message, headers, errors } =
    error instanceof HttpProblem ? error : new HttpProblem(500, 'internal error');
  return Response.json({ message, ...(errors && { errors }) }, { status, headers });
}
