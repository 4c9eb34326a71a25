/** Doubles: the responses that a test gives to the calls of a formula. Types only. */

export interface Doubles {
  /** By the name that the code requires, the path of a CommonJS file in the formula's folder. */
  modules?: Readonly<Record<string, string>>;
  /** By the dotted path of a method of `bt`, the outcomes of its calls in order. */
  bt?: Readonly<Record<string, readonly BtOutcome[]>>;
  /** A request takes the first one that matches and is not used up. */
  http?: readonly HttpDouble[];
}

/** What a method of `bt` returns or throws; `throws` are the members of an Error. */
export type BtOutcome = { returns: unknown } | { throws: ThrownDouble };

interface ThrownDouble {
  message?: string;
  [member: string]: unknown;
}

/** A request and either its response or the code of the error with which it fails. */
export interface HttpDouble {
  /** Method and URL; `*` is any run of characters. */
  request: string;
  /** The part of the request's body that counts. */
  body?: unknown;
  /** How many requests it responds to (1). */
  times?: number | 'any';
  response?: HttpResponse;
  error?: string;
}

export interface HttpResponse {
  status: number;
  headers?: Readonly<Record<string, string | readonly string[]>>;
  json?: unknown;
  text?: string;
  base64?: string;
  delay_ms?: number;
}
