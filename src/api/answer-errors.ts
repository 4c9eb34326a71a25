/** What a refusal, a useless answer or no answer at all means for the user: one message, one exit code. Pure. */
import { CliError, type Outcome } from '../errors.ts';
import type { ExchangeFault, FaultKind, WireAnswer, WireRequest } from './exchange.ts';

export interface Operation {
  method: WireRequest['method'];
  /** What is being done, in words that follow "could not": `create the formula "X"`. */
  doing: string;
  /** The permission that the operation needs (spec 4). */
  permission?: string;
  /** How to see whether a write has happened after all: a command to type. */
  check?: string;
}

interface Context {
  operation: Operation;
  request: WireRequest;
  where: string;
}

const MAX_TEXT = 500;
const cut = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** The status of a refusal as an outcome; a write that met a 5xx may have been done. */
function statusOutcome(status: number, isWrite: boolean): Exclude<Outcome, 'ok'> {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'not_found';
  if (status === 409 || status === 412) return 'conflict';
  if (status === 408 || status >= 500) return isWrite ? 'unknown' : 'unavailable';
  if (status >= 400 && status !== 429) return 'failed';
  return 'unavailable';
}

/** An answer that is no 2xx; `tooLongMs` is a wait that the service asked for and that was not kept. */
export function answerError(answer: WireAnswer, context: Context, tooLongMs?: number): CliError {
  const { operation, request, where } = context;
  const { status, headers } = answer;
  const outcome = statusOutcome(status, operation.method !== 'GET');
  const said = serviceWords(answer);
  const location = headers['location'];
  const redirect =
    status >= 300 && status < 400 ? `, a redirect${location ? ` to ${cut(location)}` : ''}, which is not followed` : '';
  const asked = tooLongMs === undefined ? '' : `, and wants a wait of ${Math.ceil(tooLongMs / 1000)} s`;
  const message = `could not ${operation.doing}: ${where} answered ${operation.method} ${request.path} with ${status}${redirect}${asked}${said.text ? `: ${said.text}` : ''}`;
  const hint =
    tooLongMs === undefined
      ? hintFor(outcome, status, operation)
      : 'try again after that time, or allow it with --retry-timeout';
  return new CliError(outcome, message, {
    status,
    ...(hint !== undefined && { hint }),
    ...(said.errors !== undefined && { details: { errors: said.errors } }),
    ...(said.requestId !== undefined && { requestId: said.requestId }),
  });
}

function hintFor(outcome: Outcome, status: number, { permission, check }: Operation): string | undefined {
  if (status === 401) return 'the service does not take this API key; check the key, its header and the base address';
  if (status === 403 && permission) {
    return `the operation needs the permission ${permission}, which only a management application can have`;
  }
  if (status >= 300 && status < 400) return 'check the base address: a redirect could lead the key elsewhere';
  if (outcome === 'unknown' && check) return `it may have been done all the same; look with: ${check}`;
  if (status === 404) return 'formulary formula list shows what is there; if nothing is, check the base address';
  if (status === 429) return 'the service limits the rate; wait a moment and try again';
  return outcome === 'unavailable' ? 'try again later' : undefined;
}

interface ServiceWords {
  text: string;
  errors?: unknown;
  requestId?: string;
}

/** What the service itself says, whichever of the usual forms it says it in; cut to a readable length. */
function serviceWords({ body, headers }: WireAnswer): ServiceWords {
  const text = body
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim();
  const json = parsed(text);
  const requestId = headers['x-request-id'] ?? textOf(json['traceId']) ?? textOf(json['request_id']);
  const withId = requestId === undefined ? {} : { requestId };
  if (/html/i.test(headers['content-type'] ?? '') || text.startsWith('<')) {
    const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1]?.trim();
    return { text: `a web page${title ? ` ("${cut(title)}")` : ''}`, ...withId };
  }
  const nested = (json['error'] ?? {}) as Record<string, unknown>;
  const words = [json['title'], json['detail'], json['message'], json['error'], nested['message']]
    .map(textOf)
    .filter(Boolean);
  const errors = json['errors'];
  const lines = [[...new Set(words)].join(': ') || cut(text.split('\n')[0] ?? ''), ...fieldLines(errors)];
  return { text: cut(lines.filter(Boolean).join('\n')), ...(errors !== undefined && { errors }), ...withId };
}

function fieldLines(errors: unknown): string[] {
  if (typeof errors !== 'object' || errors === null) return [];
  return Object.entries(errors).map(([field, messages]) => `  ${field}: ${[messages].flat().map(String).join(' ')}`);
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** A 2xx that proves nothing: not JSON, cut off, or of a wrong shape. */
export function unusable(problem: string, { status }: WireAnswer, { operation, request, where }: Context): CliError {
  const isWrite = operation.method !== 'GET';
  const message = `could not ${operation.doing}: ${where} answered ${operation.method} ${request.path} with ${status}, but ${problem}`;
  const hint =
    isWrite && operation.check
      ? `it may have been done all the same; look with: ${operation.check}`
      : 'check the base address: is this the service?';
  return new CliError(isWrite ? 'unknown' : 'unavailable', message, { status, hint });
}

const CAUSES: Readonly<Record<FaultKind, string>> = {
  refused: 'the connection was refused',
  'host-not-found': 'the host was not found',
  certificate: 'its certificate is not trusted',
  tls: 'no secure connection could be made',
  'time-limit': 'there was no whole answer within the limit of',
  reset: 'the connection was reset before the answer was complete',
  cut: 'the answer was cut off',
  other: 'the connection failed',
};

const FAULT_HINTS: Partial<Record<FaultKind, string>> = {
  refused: 'is the service running there? check the base address and its port',
  'host-not-found': 'check the spelling of the base address, and the network',
  certificate: 'if the certificate is your company’s own, name its file in NODE_EXTRA_CA_CERTS',
  tls: 'check that the address should begin with https://',
  'time-limit': 'try again, or allow more time with --timeout',
};

/** No complete answer at all. Nothing changed if the request was never sent; a write that was sent is unknown. */
export function faultError(fault: ExchangeFault, { operation, request, where }: Context, tries: number): CliError {
  const isOpen = operation.method !== 'GET' && fault.mayHaveArrived;
  const limit = fault.kind === 'time-limit' ? ` ${fault.limitMs / 1000} s` : '';
  const message = `could not ${operation.doing}: ${operation.method} ${request.path} to ${where} failed, ${CAUSES[fault.kind]}${limit} (${fault.code})${tries > 1 ? `, ${tries} times` : ''}`;
  const hint =
    isOpen && operation.check
      ? `it may have been done all the same; look with: ${operation.check}`
      : (FAULT_HINTS[fault.kind] ?? 'try again later');
  return new CliError(isOpen ? 'unknown' : 'unavailable', message, { cause: fault, hint });
}
