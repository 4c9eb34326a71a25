/** One request and one complete answer, as bytes; and the ways in which there is no such answer. */
import type { HttpProxy } from '../../settings/resolve-target.ts';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query below the base address, encoded, with a slash first. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

/**
 * Sends one request and gives its whole answer, whatever the status. Raises ExchangeFault when there is none; at the
 * time limit of a request, or after `mostMs` milliseconds where that is sooner.
 */
export type HttpExchange = (request: HttpRequest, timeoutMs?: number) => Promise<HttpResponse>;

/** `handshake`: the connection ended before it was secure. `proxy-…`: what a proxy answered instead of the service. */
export type NetworkErrorKind =
  | 'refused'
  | 'host-not-found'
  | 'certificate'
  | 'tls'
  | 'handshake'
  | 'time-limit'
  | 'reset'
  | 'cut'
  /** The body is not what its Content-Encoding says. */
  | 'undecodable'
  /** What came is no HTTP. */
  | 'unreadable'
  | 'too-large'
  /** This process may not use as much memory as it takes. */
  | 'memory'
  | 'proxy-login'
  | 'proxy-denied'
  | 'proxy-unreached'
  | 'other';

export interface NetworkErrorDetails {
  kind: NetworkErrorKind;
  /** As Node.js, OpenSSL or undici names it; of a proxy's answer its status. */
  code: string;
  /** False only where the request was provably not sent. */
  mayHaveArrived: boolean;
  /** The time limit that the request had, in milliseconds. */
  limitMs: number;
  /** The status, where the response began. */
  status?: number | undefined;
  /** The proxy, where the fault lies there and not at the service. */
  proxy?: HttpProxy | undefined;
  cause?: unknown;
}

/** No complete answer came. */
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
  ['time-limit', /^(ABORT_ERR|ETIMEDOUT|UND_ERR_((CONNECT|HEADERS|BODY)_TIMEOUT|ABORTED))$/],
  ['cut', /^(UND_ERR_RES_CONTENT_LENGTH_MISMATCH|Z_BUF_ERROR|HPE_INVALID_EOF_STATE)$/],
  ['undecodable', /^(Z_DATA_ERROR|ERR__ERROR_FORMAT_\w+)$/],
  ['reset', /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/],
  ['unreadable', /^HPE_/],
  ['too-large', /^(ERR_BUFFER_TOO_LARGE|UND_ERR_(RES_EXCEEDED_MAX_SIZE|HEADERS_OVERFLOW))$/],
];

/** Sorts what ended a request that had a connection, thrown by a socket, zlib or the HTTP parser: it may have arrived. */
export function toNetworkError(error: unknown, limitMs: number): NetworkError {
  return classifyError(error, { mayHaveArrived: true, limitMs });
}

/** Sorts what ended a response after its headers: a connection that is closed then has truncated the body. */
export function toBodyError(error: unknown, limitMs: number, status: number): NetworkError {
  const networkError = toNetworkError(error, limitMs);
  if (!['reset', 'cut', 'undecodable', 'too-large'].includes(networkError.kind)) return networkError;
  return new NetworkError({
    ...networkError,
    kind: networkError.kind === 'reset' ? 'cut' : networkError.kind,
    status,
    cause: error,
  });
}

/** Sorts what kept a connection from being made, to the service or to a proxy: nothing was sent. */
export function toConnectError(error: unknown, limitMs: number, proxy?: HttpProxy): NetworkError {
  const networkError = classifyError(error, { mayHaveArrived: false, limitMs, proxy });
  const kind = networkError.kind === 'reset' ? 'handshake' : networkError.kind;
  // With one of these codes undici would connect again at once, and without end.
  const code = /^UND_ERR_(SOCKET|INFO)$/.test(networkError.code) ? 'ECONNRESET' : networkError.code;
  return kind === networkError.kind && code === networkError.code
    ? networkError
    : new NetworkError({ ...networkError, kind, code, cause: error });
}

/**
 * The codes are those of Node.js, OpenSSL and undici. What has no code comes from an answer that the parser could not
 * make sense of.
 */
function classifyError(error: unknown, details: Omit<NetworkErrorDetails, 'kind' | 'code' | 'cause'>): NetworkError {
  if (error instanceof NetworkError) return error;
  const code = getErrorCode(error);
  if (code === undefined && error instanceof RangeError && /WebAssembly|allocation failed/i.test(error.message)) {
    // The HTTP parser is WebAssembly, and is made before anything is sent.
    const mayHaveArrived = details.mayHaveArrived && !error.message.includes('WebAssembly');
    return new NetworkError({ ...details, kind: 'memory', code: 'ENOMEM', mayHaveArrived, cause: error });
  }
  if (code === undefined) {
    return new NetworkError({ ...details, kind: 'unreadable', code: getErrorName(error), cause: error });
  }
  const kind = ERROR_KINDS.find(([, codes]) => codes.test(code))?.[0] ?? 'other';
  return new NetworkError({ ...details, kind, code, cause: error });
}

function getErrorCode(error: unknown): string | undefined {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  // The time limit ends a request with a DOMException, whose code is a number.
  if (name === 'TimeoutError') return 'ABORT_ERR';
  return typeof code === 'string' ? code : undefined;
}

const getErrorName = (error: unknown) => (error instanceof Error ? error.name : 'unknown');
