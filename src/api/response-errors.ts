/** What a refusal or a useless answer means for the user: one message, one exit code. Pure. */
import { CliError, type Outcome } from '../errors.ts';
import { formatFieldErrors, parseErrorBody, truncate } from './error-body.ts';
import type { HttpRequest, HttpResponse } from './http/http.ts';

export interface OperationInfo {
  method: HttpRequest['method'];
  /** What is being done, in words that follow "could not": `create the formula "X"`. */
  description: string;
  /** The permission that the operation needs (spec 4). */
  permission?: string;
  /** How to see whether a write has happened after all: a command to type. */
  check?: string;
}

/** As whom the requests are made. */
export interface RequestIdentity {
  /** Where the links of responses are followed; the embedded service has no base URL. */
  baseUrl?: URL;
  /** The key in words, for a person who must find it: where it came from, and how it ends. */
  keyDescription: string;
  /** Takes the key out of a text. */
  redact(text: string): string;
  /** A command to type, such as `formula list`, that asks the same service. */
  command(line: string): string;
}

export interface ErrorContext {
  identity: RequestIdentity;
  operation: OperationInfo;
  request: HttpRequest;
  serviceName: string;
  /** A try before the last one may have done it. */
  mayHaveBeenApplied: boolean;
}

const OUTCOME_BY_STATUS: Readonly<Record<number, Exclude<Outcome, 'ok'>>> = {
  401: 'denied',
  403: 'denied',
  404: 'not_found',
  409: 'conflict',
  412: 'conflict',
};

/** The status of a refusal as an outcome; a write after which there was a redirect, a 5xx, or an open end before, may have been done. */
function classifyStatus(status: number, { operation, mayHaveBeenApplied }: ErrorContext): Exclude<Outcome, 'ok'> {
  const isWrite = operation.method !== 'GET';
  const isInconclusive = status < 400 || status === 408 || status === 429 || status >= 500;
  // What an earlier try has done may be what a conflict is about.
  if (isWrite && mayHaveBeenApplied && (isInconclusive || OUTCOME_BY_STATUS[status] === 'conflict')) return 'unknown';
  if (!isInconclusive) return OUTCOME_BY_STATUS[status] ?? 'failed';
  return isWrite && status !== 429 ? 'unknown' : 'unavailable';
}

/** An answer that is no 2xx; `tooLongMs` is a wait that the service asked for and that was not kept. */
export function responseError(response: HttpResponse, context: ErrorContext, excessiveWaitMs?: number): CliError {
  const { operation, request, serviceName, identity } = context;
  const { status } = response;
  const outcome = classifyStatus(status, context);
  const { message, errors, requestId } = parseErrorBody(response, identity.redact);
  const waitText = excessiveWaitMs === undefined ? '' : `, and wants a wait of ${Math.ceil(excessiveWaitMs / 1000)} s`;
  const headline = `could not ${operation.description}: ${serviceName} answered ${operation.method} ${request.path} with ${status}${describeRedirect(response, identity)}${waitText}${message ? `: ${message}` : ''}`;
  const hint =
    excessiveWaitMs === undefined
      ? chooseHint(outcome, status, context)
      : 'try again after that time, or allow it with --retry-timeout';
  return new CliError(outcome, [headline, ...formatFieldErrors(errors)].join('\n'), {
    status,
    hint,
    requestId,
    ...(errors.length > 0 && { details: { errors } }),
  });
}

function describeRedirect({ status, headers }: HttpResponse, { redact }: RequestIdentity): string {
  if (status < 300 || status > 399) return '';
  const { location } = headers;
  return `, a redirect${location ? ` to ${truncate(redact(location))}` : ''}, which is not followed`;
}

function chooseHint(
  outcome: Outcome,
  status: number,
  { operation, request, serviceName, identity }: ErrorContext,
): string {
  const { permission, check } = operation;
  if (status === 401) {
    return `the service does not take ${identity.keyDescription}; check it, its header and the base address, or keep another key with: ${identity.command('auth login')}`;
  }
  if (status === 403 && permission) {
    return `the operation needs the permission ${permission}, which only a management application can have: use a key of one that has it (${identity.command('auth status')} says which key is used)`;
  }
  if (status >= 300 && status < 400) return 'check the base address: a redirect could lead the key elsewhere';
  if (outcome === 'unknown' && check) return `it may have been done all the same; look with: ${check}`;
  if (status === 404) {
    return request.path.split('/').length > 2
      ? `${identity.command('formula list')} shows what is there; if nothing is, check the base address`
      : `check the base address: there is no such service below ${serviceName}`;
  }
  if (status === 429) return 'the service limits the rate; wait a moment and try again';
  if (outcome === 'conflict') return `see what the service has with: ${check ?? identity.command('formula list')}`;
  if (outcome === 'unavailable') return `try again later; ${identity.command('doctor')} looks at each step of the way`;
  return isContentError(status)
    ? 'mend what the service names, and type the command again'
    : 'type the command again with --debug, which shows the request and its answer, for who runs the service';
}

/** Whether a refusal says that what was sent is wrong. */
const isContentError = (status: number) => status === 400 || status === 413 || status === 422;

/** A 2xx that proves nothing: not JSON, truncated, or of a wrong shape. */
export function invalidResponseError(problem: string, { status }: HttpResponse, context: ErrorContext): CliError {
  return new CliError(...buildInconclusiveError(problem, status, context));
}

/** A 2xx that shows something else than what was requested: it may have been done in another way. */
export class ResponseMismatchError extends CliError {}

export function responseMismatchError(
  problem: string,
  { status }: HttpResponse,
  context: ErrorContext,
): ResponseMismatchError {
  return new ResponseMismatchError(...buildInconclusiveError(problem, status, context));
}

function buildInconclusiveError(
  problem: string,
  status: number,
  context: ErrorContext,
): ConstructorParameters<typeof CliError> {
  const { operation, request, serviceName, identity } = context;
  const isWrite = operation.method !== 'GET';
  const message = `could not ${operation.description}: ${serviceName} answered ${operation.method} ${request.path} with ${status}, but ${truncate(identity.redact(problem))}`;
  const hint =
    isWrite && operation.check
      ? `it may have been done all the same; look with: ${operation.check}`
      : `check the base address: is this the service? ${identity.command('doctor')} looks at each step of the way`;
  return [isWrite ? 'unknown' : 'unavailable', message, { status, hint }];
}
