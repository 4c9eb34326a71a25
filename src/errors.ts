/** The outcomes of a command, their exit codes, and the error that ends a command. */

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

export const SIGNAL_EXIT_CODES = { SIGINT: EXIT_CODES.interrupted, SIGTERM: 143 } as const;

/** How a command can end: `stopped` is a service or a watch that a signal ended, which is how it is meant to end. */
export type CommandOutcome = Outcome | 'stopped';

/** The exit code of an outcome. A signal takes precedence over all outcomes but `stopped`. */
export function toExitCode(outcome: CommandOutcome, abortSignal: AbortSignal): number {
  if (outcome === 'stopped') return EXIT_CODES.ok;
  return abortSignal.aborted && abortSignal.reason === 'SIGTERM'
    ? SIGNAL_EXIT_CODES.SIGTERM
    : EXIT_CODES[abortSignal.aborted ? 'interrupted' : outcome];
}

interface CliErrorOptions {
  /** What to do next: one action, or alternatives on lines of their own. */
  hint?: string | undefined;
  cause?: unknown;
  /** HTTP status of the response, if there was one. */
  status?: number | undefined;
  /** The service's id of the request, for its support. */
  requestId?: string | undefined;
  /** Additional data for programs: `error.details` of the JSON document. */
  details?: unknown;
}

/** An expected error that ends a command: a message of one sentence, an outcome, and an optional hint. */
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

/** The user declined a prompt. Printed without `error:`. */
export class CancelledError extends CliError {
  constructor() {
    super('usage', 'Cancelled.');
  }
}

/** Calls a function; undefined if it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The JSON document of an error, which `--json` prints as the last line of stderr. */
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
