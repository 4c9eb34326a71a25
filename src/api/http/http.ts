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

export interface NetworkErrorDetails {
  kind: NetworkErrorKind;
  /** The code of Node.js, OpenSSL, or undici, or the status of a proxy's response. */
  code: string;
  /** False only if the request was provably not sent. */
  mayHaveArrived: boolean;
  /** The time limit of the request, in milliseconds. */
  limitMs: number;
  /** The status, if a response began. */
  status?: number | undefined;
  /** The proxy, if the error is between this computer and the proxy. */
  proxy?: HttpProxy | undefined;
  cause?: unknown;
}

/** A request without a complete response. */
export class NetworkError extends Error {
  readonly kind: NetworkErrorKind;
  readonly code: string;
  readonly mayHaveArrived: boolean;
  readonly limitMs: number;
  readonly status: number | undefined;
  readonly proxy: HttpProxy | undefined;

  constructor({ kind, code, mayHaveArrived, limitMs, status, proxy, cause }: NetworkErrorDetails) {
    super(`${kind} (${code})`, { cause });
    this.name = 'NetworkError';
    this.kind = kind;
    this.code = code;
    this.mayHaveArrived = mayHaveArrived;
    this.limitMs = limitMs;
    this.status = status;
    this.proxy = proxy;
  }
}

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
export function toNetworkError(error: unknown, limitMs: number): NetworkError {
  return classifyError(error, { mayHaveArrived: true, limitMs });
}

/** Classifies an error after the response headers: a closed connection truncated the body. */
export function toBodyError(error: unknown, limitMs: number, status: number): NetworkError {
  const networkError = toNetworkError(error, limitMs);
  if (!['reset', 'truncated', 'undecodable', 'too-large'].includes(networkError.kind)) return networkError;
  return new NetworkError({
    ...networkError,
    kind: networkError.kind === 'reset' ? 'truncated' : networkError.kind,
    status,
    cause: error,
  });
}

/** Classifies an error of a new connection, to the service or to a proxy: nothing was sent. */
export function toConnectError(error: unknown, limitMs: number, proxy?: HttpProxy): NetworkError {
  const networkError = classifyError(error, { mayHaveArrived: false, limitMs, proxy });
  const kind = networkError.kind === 'reset' ? 'handshake' : networkError.kind;
  // undici would reconnect endlessly for these codes.
  const code = /^UND_ERR_(SOCKET|INFO)$/.test(networkError.code) ? 'ECONNRESET' : networkError.code;
  return kind === networkError.kind && code === networkError.code
    ? networkError
    : new NetworkError({ ...networkError, kind, code, cause: error });
}

/**
 * Classifies an error by its code (Node.js, OpenSSL, undici). An error without a code comes from a response that the
 * parser could not read.
 */
function classifyError(error: unknown, details: Omit<NetworkErrorDetails, 'kind' | 'code' | 'cause'>): NetworkError {
  if (error instanceof NetworkError) return error;
  const code = getErrorCode(error);
  if (code === undefined && error instanceof RangeError && /WebAssembly|allocation failed/i.test(error.message)) {
    // The HTTP parser is WebAssembly, and is created before anything is sent.
    const mayHaveArrived = details.mayHaveArrived && !error.message.includes('WebAssembly');
    return new NetworkError({ ...details, kind: 'memory', code: 'ENOMEM', mayHaveArrived, cause: error });
  }
  if (code === undefined) {
    return new NetworkError({ ...details, kind: 'not-http', code: getErrorName(error), cause: error });
  }
  const kind = ERROR_KINDS.find(([, codes]) => codes.test(code))?.[0] ?? 'other';
  return new NetworkError({ ...details, kind, code, cause: error });
}

function getErrorCode(error: unknown): string | undefined {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  // The code of the DOMException of a timeout is a number.
  if (name === 'TimeoutError') return 'ABORT_ERR';
  return typeof code === 'string' ? code : undefined;
}

const getErrorName = (error: unknown) => (error instanceof Error ? error.name : 'unknown');

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
