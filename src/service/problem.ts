/** How the embedded service says no: `application/problem+json` (RFC 9457). */
import { STATUS_CODES } from 'node:http';
import { CliError } from '../errors.ts';

/** What is wrong with each field, by its path: `{"configuration[0].type": ["must be one of: …"]}`. */
export type FieldErrors = Record<string, string[]>;

interface ProblemExtras {
  errors?: FieldErrors;
  headers?: Record<string, string>;
}

/** An answer that is no success; thrown anywhere below the app, which turns it into the response. */
export class Problem extends Error {
  readonly status: number;
  readonly errors: FieldErrors | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.errors = extras.errors;
    this.headers = extras.headers ?? {};
  }
}

/** A 400 with the fields, query parameters or `body` that are wrong. */
export function invalid(errors: FieldErrors): Problem {
  return new Problem(400, 'The request is not valid; errors says what each field must be.', { errors });
}

/** The response for a problem; anything else that was thrown is a 500 that tells nothing of its cause. */
export function problemResponse(error: unknown, instance: string): Response {
  const problem = problemOf(error);
  const document = {
    type: 'about:blank',
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.message,
    instance,
    ...(problem.errors !== undefined && { errors: problem.errors }),
  };
  return new Response(JSON.stringify(document), {
    status: problem.status,
    headers: { ...problem.headers, 'content-type': 'application/problem+json' },
  });
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // The data file: 503 where waiting or room helps.
  if (error instanceof CliError) return new Problem(error.outcome === 'unavailable' ? 503 : 500, `${error.message}.`);
  return new Problem(500, 'The service failed to answer this request.');
}
