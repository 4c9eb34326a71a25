/** Error responses of the embedded service: RFC 9457, but as `application/json`, which more clients can read. */
import { CliError } from '../errors.ts';

/** Not from node:http, whose loading takes as long as a request. */
const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

type ProblemStatus = keyof typeof TITLES;

/** Errors by field: `{"configuration[0].type": ["must be one of: …"]}`. */
export type FieldErrors = Record<string, string[]>;

interface ProblemExtras {
  errors?: FieldErrors;
  headers?: Record<string, string>;
}

/** An error response; the app catches it. */
export class HttpProblem extends Error {
  readonly status: ProblemStatus;
  readonly errors: FieldErrors | undefined;
  readonly headers: Record<string, string>;

  constructor(status: ProblemStatus, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.name = 'HttpProblem';
    this.status = status;
    this.errors = extras.errors;
    this.headers = extras.headers ?? {};
  }
}

/** A 400 with errors by field, query parameter, or `body`. */
export function invalidRequestProblem(errors: FieldErrors): HttpProblem {
  return new HttpProblem(400, 'The request is not valid; see errors.', { errors });
}

/** A response; without a value, it has no body. */
export interface ServiceResponse {
  status: number;
  headers?: Record<string, string>;
  /** JSON. */
  value?: object;
}

/** Converts a thrown error to a response; an unexpected one is a 500 without its cause. */
export function toProblemResponse(error: unknown, instance: string): ServiceResponse {
  const problem = toProblem(error);
  const value = {
    type: 'about:blank',
    title: TITLES[problem.status],
    status: problem.status,
    detail: problem.message,
    instance,
    ...(problem.errors !== undefined && { errors: problem.errors }),
  };
  return { status: problem.status, headers: problem.headers, value };
}

function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  // Errors of the data file: 503 if they are temporary.
  if (error instanceof CliError)
    return new HttpProblem(error.outcome === 'unavailable' ? 503 : 500, `${error.message}.`);
  return new HttpProblem(500, 'The request failed because of an internal error.');
}
