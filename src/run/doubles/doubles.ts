/** Doubles: the outcomes of a formula's calls in a test. Types only. */

export interface Doubles {
  /** Paths of CommonJS files in the formula's folder, by the required name. */
  modules?: Readonly<Record<string, string>>;
  /** The outcomes of calls in order, by the dotted path of a method of `bt`. */
  bt?: Readonly<Record<string, readonly BtOutcome[]>>;
  /** The first one that matches and is not used up responds. */
  http?: readonly HttpDouble[];
}

/** The value that a method of `bt` returns, or the members of the Error that it throws. */
export type BtOutcome = { returns: unknown } | { throws: ThrownDouble };

interface ThrownDouble {
  message?: string;
  [member: string]: unknown;
}

/** A request, and its response or the code of its error. */
export interface HttpDouble {
  /** Method and URL; `*` matches any characters. */
  request: string;
  /** A subset of the request's body. */
  body?: unknown;
  /** Some of the request's headers, with names in any letter case; `*` matches any characters. */
  headers?: Readonly<Record<string, string>>;
  /** How many requests it responds to (default: 1). */
  times?: number | 'any';
  response?: DoubleResponse;
  error?: string;
}

export interface DoubleResponse {
  status: number;
  headers?: Readonly<Record<string, string | readonly string[]>>;
  json?: unknown;
  text?: string;
  base64?: string;
  delay_ms?: number;
}
