/** One request and one complete answer, as bytes; and the ways in which there is no such answer. */

export interface WireRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query below the base address, encoded, with a slash first. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

export interface WireAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

/** Sends one request and gives its whole answer, whatever the status. Raises ExchangeFault when there is none. */
export type Exchange = (request: WireRequest) => Promise<WireAnswer>;

export type FaultKind =
  | 'refused'
  | 'host-not-found'
  | 'certificate'
  | 'tls'
  | 'time-limit'
  | 'reset'
  | 'cut'
  /** What came is no HTTP. */
  | 'unreadable'
  | 'too-large'
  | 'other';

/** No complete answer came. `mayHaveArrived` is false only where the request was provably not sent. */
export class ExchangeFault extends Error {
  readonly kind: FaultKind;
  readonly code: string;
  readonly mayHaveArrived: boolean;
  /** The time limit that the request had, in milliseconds. */
  readonly limitMs: number;

  constructor(kind: FaultKind, code: string, mayHaveArrived: boolean, limitMs: number, cause?: unknown) {
    super(`${kind} (${code})`, { cause });
    this.name = 'ExchangeFault';
    this.kind = kind;
    this.code = code;
    this.mayHaveArrived = mayHaveArrived;
    this.limitMs = limitMs;
  }
}

const NEVER_SENT: readonly [kind: FaultKind, codes: RegExp][] = [
  ['refused', /^ECONNREFUSED$/],
  ['host-not-found', /^(ENOTFOUND|EAI_[A-Z]+)$/],
  ['certificate', /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/],
  ['tls', /^(ERR_SSL_|ERR_TLS_|EPROTO$)/],
  ['time-limit', /^UND_ERR_CONNECT_TIMEOUT$/],
  ['other', /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)$/],
];

const PERHAPS_SENT: readonly [kind: FaultKind, codes: RegExp][] = [
  ['time-limit', /^(ABORT_ERR|ETIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT|UND_ERR_ABORTED)$/],
  ['cut', /^(UND_ERR_RES_CONTENT_LENGTH_MISMATCH|Z_BUF_ERROR|Z_DATA_ERROR|HPE_INVALID_EOF_STATE)$/],
  ['reset', /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/],
  ['unreadable', /^(HPE_.*|UND_ERR_HEADERS_OVERFLOW)$/],
  ['too-large', /^ERR_BUFFER_TOO_LARGE$/],
];

/**
 * Sorts what a socket, TLS, zlib or the HTTP parser threw; the codes are those of Node.js and undici. What has no code
 * comes from an answer that the parser could not make sense of.
 */
export function faultOf(error: unknown, limitMs: number): ExchangeFault {
  if (error instanceof ExchangeFault) return error;
  const code = codeOf(error);
  if (code === undefined) return new ExchangeFault('unreadable', nameOf(error), true, limitMs, error);
  const unsent = NEVER_SENT.find(([, codes]) => codes.test(code));
  if (unsent) return new ExchangeFault(unsent[0], code, false, limitMs, error);
  const kind = PERHAPS_SENT.find(([, codes]) => codes.test(code))?.[0] ?? 'other';
  return new ExchangeFault(kind, code, true, limitMs, error);
}

function codeOf(error: unknown): string | undefined {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  // AbortSignal.timeout ends a request with a DOMException, whose code is a number.
  if (name === 'TimeoutError') return 'ABORT_ERR';
  return typeof code === 'string' ? code : undefined;
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'unknown');
