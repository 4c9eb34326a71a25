/** What a refusal or a useless answer means for the user: one message, one exit code. Pure. */
import { CliError, type Outcome } from '../errors.ts';
import { cut, errorLines, serviceWords } from './error-body.ts';
import type { WireAnswer, WireRequest } from './http/http.ts';

export interface Operation {
  method: WireRequest['method'];
  /** What is being done, in words that follow "could not": `create the formula "X"`. */
  doing: string;
  /** The permission that the operation needs (spec 4). */
  permission?: string;
  /** How to see whether a write has happened after all: a command to type. */
  check?: string;
}

/** As whom the requests are made. */
export interface Caller {
  /** Where the links of responses are followed; the embedded service has no base URL. */
  baseUrl?: URL;
  /** The key in words, for a person who must find it: where it came from, and how it ends. */
  keyWords: string;
  /** Takes the key out of a text. */
  hide(text: string): string;
  /** A command to type, such as `formula list`, that asks the same service. */
  command(words: string): string;
}

export interface Context {
  caller: Caller;
  operation: Operation;
  request: WireRequest;
  where: string;
  /** A try before the last one may have done it. */
  wasOpen: boolean;
}

const REFUSALS: Readonly<Record<number, Exclude<Outcome, 'ok'>>> = {
  401: 'denied',
  403: 'denied',
  404: 'not_found',
  409: 'conflict',
  412: 'conflict',
};

/** The status of a refusal as an outcome; a write after which there was a redirect, a 5xx, or an open end before, may have been done. */
function statusOutcome(status: number, { operation, wasOpen }: Context): Exclude<Outcome, 'ok'> {
  const isWrite = operation.method !== 'GET';
  const isNoRefusal = status < 400 || status === 408 || status === 429 || status >= 500;
  // What an earlier try has done may be what a conflict is about.
  if (isWrite && wasOpen && (isNoRefusal || REFUSALS[status] === 'conflict')) return 'unknown';
  if (!isNoRefusal) return REFUSALS[status] ?? 'failed';
  return isWrite && status !== 429 ? 'unknown' : 'unavailable';
}

/** An answer that is no 2xx; `tooLongMs` is a wait that the service asked for and that was not kept. */
export function answerError(answer: WireAnswer, context: Context, tooLongMs?: number): CliError {
  const { operation, request, where, caller } = context;
  const { status } = answer;
  const outcome = statusOutcome(status, context);
  const { text, errors, requestId } = serviceWords(answer, caller.hide);
  const asked = tooLongMs === undefined ? '' : `, and wants a wait of ${Math.ceil(tooLongMs / 1000)} s`;
  const headline = `could not ${operation.doing}: ${where} answered ${operation.method} ${request.path} with ${status}${redirectWords(answer, caller)}${asked}${text ? `: ${text}` : ''}`;
  const hint =
    tooLongMs === undefined
      ? hintFor(outcome, status, context)
      : 'try again after that time, or allow it with --retry-timeout';
  return new CliError(outcome, [headline, ...errorLines(errors)].join('\n'), {
    status,
    hint,
    requestId,
    ...(errors.length > 0 && { details: { errors } }),
  });
}

function redirectWords({ status, headers }: WireAnswer, { hide }: Caller): string {
  if (status < 300 || status > 399) return '';
  const { location } = headers;
  return `, a redirect${location ? ` to ${cut(hide(location))}` : ''}, which is not followed`;
}

function hintFor(outcome: Outcome, status: number, { operation, request, where, caller }: Context): string {
  const { permission, check } = operation;
  if (status === 401) {
    return `the service does not take ${caller.keyWords}; check it, its header and the base address, or keep another key with: ${caller.command('auth login')}`;
  }
  if (status === 403 && permission) {
    return `the operation needs the permission ${permission}, which only a management application can have: use a key of one that has it (${caller.command('auth status')} says which key is used)`;
  }
  if (status >= 300 && status < 400) return 'check the base address: a redirect could lead the key elsewhere';
  if (outcome === 'unknown' && check) return `it may have been done all the same; look with: ${check}`;
  if (status === 404) {
    return request.path.split('/').length > 2
      ? `${caller.command('formula list')} shows what is there; if nothing is, check the base address`
      : `check the base address: there is no such service below ${where}`;
  }
  if (status === 429) return 'the service limits the rate; wait a moment and try again';
  if (outcome === 'conflict') return `see what the service has with: ${check ?? caller.command('formula list')}`;
  if (outcome === 'unavailable') return `try again later; ${caller.command('doctor')} looks at each step of the way`;
  return isAboutContent(status)
    ? 'mend what the service names, and type the command again'
    : 'type the command again with --debug, which shows the request and its answer, for who runs the service';
}

/** Whether a refusal says that what was sent is wrong. */
const isAboutContent = (status: number) => status === 400 || status === 413 || status === 422;

/** A 2xx that proves nothing: not JSON, truncated, or of a wrong shape. */
export function unusable(problem: string, { status }: WireAnswer, context: Context): CliError {
  return new CliError(...unproven(problem, status, context));
}

/** A 2xx that shows something else than what was requested: it may have been done in another way. */
export class ContradictionError extends CliError {}

export function contradiction(problem: string, { status }: WireAnswer, context: Context): ContradictionError {
  return new ContradictionError(...unproven(problem, status, context));
}

function unproven(problem: string, status: number, context: Context): ConstructorParameters<typeof CliError> {
  const { operation, request, where, caller } = context;
  const isWrite = operation.method !== 'GET';
  const message = `could not ${operation.doing}: ${where} answered ${operation.method} ${request.path} with ${status}, but ${cut(caller.hide(problem))}`;
  const hint =
    isWrite && operation.check
      ? `it may have been done all the same; look with: ${operation.check}`
      : `check the base address: is this the service? ${caller.command('doctor')} looks at each step of the way`;
  return [isWrite ? 'unknown' : 'unavailable', message, { status, hint }];
}
