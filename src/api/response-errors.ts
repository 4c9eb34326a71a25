/** Converts error responses and unusable responses to errors for the user. Pure. */
import { CliError, type Outcome } from '../errors.ts';
import { KEY_SOURCES, type KeySource } from '../settings/key-sources.ts';
import { formatFieldErrors, parseErrorBody, truncateMessage } from './error-body.ts';
import type { HttpRequest, HttpResponse } from './http/http.ts';
import { isRateLimited } from './retry/retry-policy.ts';

export interface OperationInfo {
  method: HttpRequest['method'];
  /** Follows "could not" in messages: `create the formula "X"`. */
  description: string;
  /** The permission that the operation needs (spec 4). */
  permission?: string;
  /** A command that shows whether a write was applied. */
  check?: string;
}

/** Whose requests they are, for messages. */
export interface RequestIdentity {
  /** The base URL, to resolve links in responses; undefined for the embedded service. */
  baseUrl?: URL;
  /** Source and suffix of the key. */
  keyDescription: string;
  /** Where the key comes from; undefined if it is unknown. */
  keySource?: KeySource;
  /** --debug is set. */
  isDebugging?: boolean | undefined;
  /** Replaces the key in a string. */
  redact(text: string): string;
  /** Formats a command, such as `formula list`, for the same service. */
  command(line: string): string;
}

export interface ErrorContext {
  identity: RequestIdentity;
  operation: OperationInfo;
  request: HttpRequest;
  serviceName: string;
  /** An attempt before the last one may have been applied. */
  mayHaveBeenApplied: boolean;
}

/** A request in messages. `serviceName` is a base URL (perhaps with a note on the proxy), or the embedded service. */
export function describeRequest({ method, path }: HttpRequest, serviceName: string): string {
  const [url = '', ...note] = serviceName.split(' ');
  return url.includes('://') ? [method, url + path, ...note].join(' ') : `${method} ${path} of ${serviceName}`;
}

/** The hint for a write whose outcome is unknown. */
export const formatCheckHint = (check: string) => `The request may still have succeeded.\nTo check, run: ${check}`;

/** How the hint begins that names `doctor`. */
export const DIAGNOSE_HINT = 'To diagnose the connection, run: ';

export const formatDoctorHint = ({ command }: RequestIdentity) => DIAGNOSE_HINT + command('doctor');

const OUTCOME_BY_STATUS: Readonly<Record<number, Exclude<Outcome, 'ok'>>> = {
  401: 'denied',
  403: 'denied',
  404: 'not_found',
  409: 'conflict',
  412: 'conflict',
};

/** Converts a status to an outcome. A write may have been applied after a redirect, a 5xx, or an inconclusive attempt before. */
function classifyStatus(status: number, { operation, mayHaveBeenApplied }: ErrorContext): Exclude<Outcome, 'ok'> {
  const isWrite = operation.method !== 'GET';
  const isInconclusive = status < 400 || status === 408 || status === 425 || isRateLimited(status) || status >= 500;
  // The conflict may be with what an earlier attempt created.
  if (isWrite && mayHaveBeenApplied && (isInconclusive || OUTCOME_BY_STATUS[status] === 'conflict')) return 'unknown';
  if (!isInconclusive) return OUTCOME_BY_STATUS[status] ?? 'failed';
  return isWrite && !isRateLimited(status) ? 'unknown' : 'unavailable';
}

/** The error for a response other than 2xx; `excessiveWaitMs` is a required wait that is too long. */
export function responseError(response: HttpResponse, context: ErrorContext, excessiveWaitMs?: number): CliError {
  const { operation, request, serviceName, identity } = context;
  const { status } = response;
  const outcome = classifyStatus(status, context);
  const { message, errors, requestId } = parseErrorBody(response, identity.redact);
  const waitText =
    excessiveWaitMs === undefined ? '' : ` (rate limited; retry after ${Math.ceil(excessiveWaitMs / 1000)} s)`;
  const headline = `could not ${operation.description}: ${describeRequest(request, serviceName)} returned ${status}${describeRedirect(response, identity)}${waitText}${message ? `: ${message}` : ''}`;
  const hint =
    excessiveWaitMs === undefined
      ? chooseHint(outcome, status, context)
      : 'Try again later, or increase --retry-timeout.';
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
  return `, a redirect${location ? ` to ${truncateMessage(redact(location))}` : ''}`;
}

/** A saved key is not used while another source has a key. */
function formatRejectedKeyHint({ keyDescription, keySource, command }: RequestIdentity): string {
  const hint = `The service rejected ${keyDescription}. Check the key, --api-key-header, and the base URL.`;
  if (keySource === 'environment' || keySource === 'environment_file')
    return `${hint}\nTo log in instead, unset ${KEY_SOURCES[keySource]} and run: ${command('auth login')}`;
  return keySource === 'profile' || keySource === 'command'
    ? `${hint}\nTo save another key, run: ${command('auth login')}`
    : hint;
}

function chooseHint(
  outcome: Outcome,
  status: number,
  { operation, request, serviceName, identity }: ErrorContext,
): string {
  const { permission, check } = operation;
  if (status === 401) return formatRejectedKeyHint(identity);
  if (status === 403 && permission) {
    return `This requires the permission ${permission} (management applications only). Use the key of an application that has it.\nTo see which key is used, run: ${identity.command('auth status')}`;
  }
  if (status >= 300 && status < 400)
    return 'Redirects are not followed, to keep the API key from being sent elsewhere. Check the base URL.';
  if (outcome === 'unknown' && check) return formatCheckHint(check);
  if (status === 404) {
    return request.path.split('/').length > 2
      ? `To see existing formulas, run: ${identity.command('formula list')}`
      : `Check the base URL: ${serviceName} does not have this service.`;
  }
  if (isRateLimited(status)) return 'The service limits the request rate. Try again later.';
  if (outcome === 'conflict') return `To see existing formulas, run: ${check ?? identity.command('formula list')}`;
  if (outcome === 'unavailable') return `Try again later.\n${formatDoctorHint(identity)}`;
  if (isContentError(status)) return 'Fix the fields reported by the service and run the command again.';
  return formatSupportHint(identity);
}

const formatSupportHint = ({ isDebugging }: RequestIdentity) =>
  isDebugging
    ? "Send this output to the service's support."
    : "Run the command again with --debug and send the output to the service's support.";

/** Whether the status is about the content that was sent. */
const isContentError = (status: number) => status === 400 || status === 413 || status === 422;

/** A 2xx with another result than requested: the write may have been applied differently. */
export class ResponseMismatchError extends CliError {}

/** The error for an unusable 2xx: not JSON, truncated, of a wrong shape, or (ResponseMismatchError) of other content. */
export function unusableResponseError(
  problem: string,
  { status }: HttpResponse,
  context: ErrorContext,
  ErrorClass = CliError,
): CliError {
  const { operation, request, serviceName, identity } = context;
  const isWrite = operation.method !== 'GET';
  const message = `could not ${operation.description}: ${describeRequest(request, serviceName)} returned ${status}, but ${truncateMessage(identity.redact(problem))}`;
  const hint =
    isWrite && operation.check
      ? formatCheckHint(operation.check)
      : `Check the base URL.\n${formatDoctorHint(identity)}`;
  return new ErrorClass(isWrite ? 'unknown' : 'unavailable', message, { status, hint });
}
