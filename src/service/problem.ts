/** How the embedded service reports errors: objects as in RFC 9457, but as `application/json`, which more clients can read. */
import { CliError } from '../errors.ts';

/** As HTTP names them; not those of node:http, which takes as long to load as many a request to answer. */
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

/** What is wrong with each field, by its path: `{"configuration[0].type": ["must be one of: …"]}`. */
export type FieldErrors = Record<string, string[]>;

interface ProblemExtras {
  errors?: FieldErrors;
  headers?: Record<string, string>;
}

/** An answer that is no success; thrown anywhere below the app, which turns it into the response. */
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

/** A 400 with the fields, query parameters or `body` that are wrong. */
export function invalidRequestProblem(errors: FieldErrors): HttpProblem {
  return new HttpProblem(400, 'The request is not valid; errors says what each field must be.', { errors });
}

/** How a problem is answered; anything else that was thrown is a 500 that tells nothing of its cause. */
export function toProblemResponse(error: unknown, instance: string) {
  const problem = toProblem(error);
  const document = {
    type: 'about:blank',
    title: TITLES[problem.status],
    status: problem.status,
    detail: problem.message,
    instance,
    ...(problem.errors !== undefined && { errors: problem.errors }),
  };
  const headers = { ...problem.headers, 'content-type': 'application/json' };
  return { status: problem.status, headers, document };
}

function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  // The data file: 503 where waiting or room helps.
  if (error instanceof CliError)
    return new HttpProblem(error.outcome === 'unavailable' ? 503 : 500, `${error.message}.`);
  return new HttpProblem(500, 'The service failed to answer this request.');
}
