/** Sends calls to the service, and converts responses to results or errors. */
import { CliError } from '../errors.ts';
import { type CommandFormatter, createCommandFormatter } from '../text/shell-quote.ts';
import { decodeBody } from './http/body-text.ts';
import { type HttpExchange, type HttpRequest, type HttpResponse, NetworkError } from './http/http.ts';
import { parseJsonBody } from './http/json-body.ts';
import { requestFailedError } from './http/network-errors.ts';
import {
  type OperationInfo,
  type RequestIdentity,
  ResponseMismatchError,
  responseError,
  unusableResponseError,
} from './response-errors.ts';
import { createRateLimiter } from './retry/rate-limiter.ts';
import { type RetryContext, sendWithRetry } from './retry/send-with-retry.ts';

declare const FORMULARY_VERSION: string;

/** A call of one operation of the service. */
export interface ServiceCall<T> extends OperationInfo {
  /** Segments of the path under the base URL; each is encoded, so that no id can change the path. */
  path: readonly string[];
  /** Values by name, or the encoded query of a link. */
  query?: Readonly<Record<string, string | undefined>> | string;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /**
   * Converts the body's JSON (undefined for an empty body), the headers, and the URL of the request to the result;
   * undefined for a wrong shape.
   */
  decode(body: unknown, headers: HttpResponse['headers'], url: URL): T | undefined;
  /** A problem of a result of the right shape, which follows "but" in messages. */
  validate?(result: T): string | undefined;
}

export interface ServiceClient {
  /**
   * Sends a call, with retries where they are safe. Raises CliError: denied, not_found, conflict, failed, unavailable,
   * unknown; interrupted for a call that was not sent because the command was interrupted.
   */
  send<T>(call: ServiceCall<T>): Promise<T>;
  /** Formats a command, such as `formula list`, for the same service. */
  command: CommandFormatter;
  /** Replaces the key in a string. */
  redact(text: string): string;
  /** The number of connections. */
  concurrency?: number | undefined;
}

const ANONYMOUS: RequestIdentity = {
  keyDescription: 'the API key',
  redact: (text) => text,
  command: createCommandFormatter('linux'),
};

/** `serviceName` is the base URL, or the embedded service, in messages. */
export function createServiceClient(
  exchange: HttpExchange,
  serviceName: string,
  retryContext: RetryContext & Pick<ServiceClient, 'concurrency'>,
  identity: RequestIdentity = ANONYMOUS,
): ServiceClient {
  const baseUrl = (identity.baseUrl?.href ?? 'http://localhost').replace(/\/$/, '');
  const rateLimiter = createRateLimiter(retryContext);
  const send = async <T>(call: ServiceCall<T>): Promise<T> => {
    const request = buildHttpRequest(call);
    const final = await sendWithRetry(exchange, request, retryContext, rateLimiter);
    if (!final) {
      throw new CliError('interrupted', `interrupted: could not ${call.description}; the request was not sent`);
    }
    const { outcome, attempts, mayHaveBeenApplied, excessiveWaitMs } = final;
    const context = { identity, operation: call, request, serviceName, mayHaveBeenApplied };
    if (outcome instanceof NetworkError) throw requestFailedError(outcome, context, attempts);
    if (outcome.status < 200 || outcome.status > 299) throw responseError(outcome, context, excessiveWaitMs);
    const toError = (problem: string) => unusableResponseError(problem, outcome, context);
    const value = parseResponseBody(outcome, toError);
    const result = call.decode(value, outcome.headers, new URL(baseUrl + request.path));
    if (result === undefined) throw toError('the response has an unexpected format');
    const mismatch = call.validate?.(result);
    if (mismatch !== undefined) throw unusableResponseError(mismatch, outcome, context, ResponseMismatchError);
    return result;
  };
  return { send, command: identity.command, redact: identity.redact, concurrency: retryContext.concurrency };
}

function buildHttpRequest({ method, description, path, query = {}, body, signal }: ServiceCall<unknown>): HttpRequest {
  const search = typeof query === 'string' ? query : encodeQuery(query);
  const unsafeSegment = path.find((segment) => ['', '.', '..'].includes(segment) || !segment.isWellFormed());
  if (unsafeSegment !== undefined) {
    const message = `could not ${description}: the id ${JSON.stringify(unsafeSegment)} cannot be used in a URL`;
    throw new CliError('unavailable', message, { hint: 'Report the id to the service operator.' });
  }
  return {
    method,
    path: `/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': `formulary/${FORMULARY_VERSION}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  };
}

function encodeQuery(query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');
}

const EMPTY_BODY = Buffer.alloc(0);

/** Parses the body of a 2xx; undefined for an empty one. Removes the bytes from the response. */
function parseResponseBody(response: HttpResponse, toError: (problem: string) => CliError): unknown {
  if (response.body.every(isWhitespace)) return undefined;
  const type = response.headers['content-type'] ?? '';
  if (type && !/^application\/([\w.-]+\+)?json\b/i.test(type)) {
    throw toError(`the response is ${type.split(';')[0]}, not JSON`);
  }
  const decoded = decodeBody(response);
  if ('problem' in decoded) throw toError(decoded.problem);
  // Keeping the bytes while parsing would raise the peak memory.
  response.body = EMPTY_BODY;
  const parsed = parseJsonBody(decoded.utf8);
  if ('problem' in parsed) throw toError(parsed.problem);
  return parsed.value;
}

const isWhitespace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
