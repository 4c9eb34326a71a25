/** How a command can end: the outcomes, their exit codes, and the one error class that carries them. */

export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  usage: 2,
  invalid: 3,
  denied: 4,
  not_found: 5,
  conflict: 6,
  partial: 7,
  unavailable: 8,
  unknown: 9,
  differs: 10,
  bug: 70,
  interrupted: 130,
} as const;

export type Outcome = keyof typeof EXIT_CODES;

/** How a command ends that a signal stopped. */
export const SIGNAL_EXIT_CODES = { SIGINT: EXIT_CODES.interrupted, SIGTERM: 143 } as const;

/** The number of an outcome. What stopped the command, as `Host.stopping` says it, beats all outcomes. */
export function toExitCode(outcome: Outcome, abortSignal: AbortSignal): number {
  return abortSignal.aborted && abortSignal.reason === 'SIGTERM'
    ? SIGNAL_EXIT_CODES.SIGTERM
    : EXIT_CODES[abortSignal.aborted ? 'interrupted' : outcome];
}

export interface CliErrorOptions {
  /** The one thing to type or do next. */
  hint?: string | undefined;
  cause?: unknown;
  /** HTTP status of the answer, where there was one. */
  status?: number | undefined;
  /** The service's own name for the request, to quote in a support question. */
  requestId?: string | undefined;
  /** Further facts for a program; goes into `error.details` of the JSON form. */
  details?: unknown;
}

/** An end of a command that is no success: what happened, in one sentence, and what to do next. */
export class CliError extends Error {
  readonly outcome: Exclude<Outcome, 'ok'>;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly details: unknown;

  constructor(outcome: Exclude<Outcome, 'ok'>, message: string, options: CliErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'CliError';
    this.outcome = outcome;
    this.hint = options.hint;
    this.status = options.status;
    this.requestId = options.requestId;
    this.details = options.details;
  }
}

/** The error as a program reads it on the last line of stderr under `--json`. */
export function toErrorDocument(error: CliError, exitCode: number = EXIT_CODES[error.outcome]) {
  return {
    error: {
      code: error.outcome,
      exit_code: exitCode,
      message: error.message,
      ...(error.hint !== undefined && { hint: error.hint }),
      ...(error.status !== undefined && { status: error.status }),
      ...(error.details !== undefined && { details: error.details }),
      ...(error.requestId !== undefined && { request_id: error.requestId }),
    },
  };
}
