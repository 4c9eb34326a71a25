/** An HTTP request, its complete response, and the errors without one. */
import type { HttpProxy } from '../../settings/resolve-target.ts';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query under the base URL, encoded, with a leading slash. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  /** Ends a request whose response is no longer needed. */
  signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

/**
 * Sends one request and returns its complete response, of any status. Throws NetworkError without one, at the
 * latest after the time limit of a request or `timeoutMs`, whichever is shorter.
 */
export type HttpExchange = (request: HttpRequest, timeoutMs?: number) => Promise<HttpResponse>;

/** `handshake`: the connection was closed during the TLS handshake. `proxy-…`: the proxy responded instead of the service. */
export type NetworkErrorKind =
  | 'refused'
  | 'host-not-found'
  | 'certificate'
  | 'tls'
  | 'handshake'
  | 'timeout'
  | 'reset'
  | 'truncated'
  /** The body does not match its Content-Encoding. */
  | 'undecodable'
  /** The response is not HTTP. */
  | 'not-http'
  | 'too-large'
  /** The memory limit of the process is too low. */
  | 'memory'
  | 'proxy-auth'
  | 'proxy-denied'
  | 'proxy-unreachable'
  | 'other';

/** A request without a complete response. */
export class NetworkError extends Error {
  declare readonly kind: NetworkErrorKind;
  /** The code of Node.js, OpenSSL, or undici, or the status of a proxy's response. */
  declare readonly code: string;
  /** False only if the request was provably not sent. */
  declare readonly mayHaveArrived: boolean;
  /** The time limit of the request, in milliseconds. */
  declare readonly limitMs: number;
  /** The status, if a response began. */
  declare readonly status: number | undefined;
  /** The proxy, if the error is between this computer and the proxy. */
  declare readonly proxy: HttpProxy | undefined;

  constructor({ cause, ...details }: NetworkErrorDetails) {
    super(`${details.kind} (${details.code})`, { cause });
    const { kind, code, mayHaveArrived, limitMs, status, proxy } = details;
    Object.assign(this, { name: 'NetworkError', kind, code, mayHaveArrived, limitMs, status, proxy });
  }
}

type Details = Omit<NetworkError, keyof Error>;
export type NetworkErrorDetails = Omit<Details, 'status' | 'proxy'> &
  Partial<Pick<Details, 'status' | 'proxy'>> & { cause?: unknown };

const ERROR_KINDS: readonly [kind: NetworkErrorKind, codes: RegExp][] = [
  ['refused', /^ECONNREFUSED$/],
  ['host-not-found', /^(ENOTFOUND|EAI_[A-Z]+)$/],
  ['certificate', /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/],
  ['tls', /^(ERR_SSL_|ERR_TLS_|EPROTO$)/],
  ['timeout', /^(ABORT_ERR|ETIMEDOUT|UND_ERR_((CONNECT|HEADERS|BODY)_TIMEOUT|ABORTED))$/],
  ['truncated', /^(UND_ERR_RES_CONTENT_LENGTH_MISMATCH|Z_BUF_ERROR|HPE_INVALID_EOF_STATE)$/],
  ['undecodable', /^(Z_DATA_ERROR|ERR__ERROR_FORMAT_\w+)$/],
  ['reset', /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/],
  ['not-http', /^HPE_/],
  ['too-large', /^(ERR_BUFFER_TOO_LARGE|UND_ERR_(RES_EXCEEDED_MAX_SIZE|HEADERS_OVERFLOW))$/],
];

/** Classifies an error of a request on an open connection, from a socket, zlib, or the HTTP parser: it may have arrived. */
export const toNetworkError = (error: unknown, limitMs: number): NetworkError =>
  classifyError(error, { mayHaveArrived: true, limitMs });

/** Classifies an error after the response headers: a closed connection truncated the body. */
export function toBodyError(error: unknown, limitMs: number, status: number): NetworkError {
  const found = toNetworkError(error, limitMs);
  if (!['reset', 'truncated', 'undecodable', 'too-large'].includes(found.kind)) return found;
  return new NetworkError({ ...found, kind: found.kind === 'reset' ? 'truncated' : found.kind, status, cause: error });
}

/** Classifies an error of a new connection, to the service or to a proxy: nothing was sent. */
export function toConnectError(error: unknown, limitMs: number, proxy?: HttpProxy): NetworkError {
  const found = classifyError(error, { mayHaveArrived: false, limitMs, proxy });
  // undici would reconnect endlessly for these codes.
  const isEndless = /^UND_ERR_(SOCKET|INFO)$/.test(found.code);
  if (found.kind !== 'reset' && !isEndless) return found;
  const kind = found.kind === 'reset' ? 'handshake' : found.kind;
  return new NetworkError({ ...found, kind, code: isEndless ? 'ECONNRESET' : found.code, cause: error });
}

/**
 * Classifies an error by its code (Node.js, OpenSSL, undici). An error without a code comes from a response that the
 * parser could not read.
 */
function classifyError(error: unknown, details: Omit<NetworkErrorDetails, 'kind' | 'code'>): NetworkError {
  if (error instanceof NetworkError) return error;
  const { code: found, name = 'unknown', message = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  // The code of the DOMException of a timeout is a number.
  const code = name === 'TimeoutError' ? 'ABORT_ERR' : found;
  const known = { ...details, cause: error };
  if (typeof code === 'string') {
    const kind = ERROR_KINDS.find(([, codes]) => codes.test(code))?.[0] ?? 'other';
    return new NetworkError({ ...known, kind, code });
  }
  if (!(error instanceof RangeError && /WebAssembly|allocation failed/i.test(message)))
    return new NetworkError({ ...known, kind: 'not-http', code: name });
  // The HTTP parser is WebAssembly, and is created before anything is sent.
  const mayHaveArrived = details.mayHaveArrived && !message.includes('WebAssembly');
  return new NetworkError({ ...known, kind: 'memory', code: 'ENOMEM', mayHaveArrived });
}

/**
 * A signal that aborts after a time, unless it is cleared before. `AbortSignal.timeout` would keep its listeners until the
 * time is over, long after the request has ended.
 */
export function createTimeoutSignal(milliseconds: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException('timed out', 'TimeoutError'));
  const timer = setTimeout(expire, milliseconds);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
