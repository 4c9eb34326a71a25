/** The seam between what is asked of the service and how it travels: one call, one answer or one clear error. */
import { CliError } from '../errors.ts';
import { type CommandLine, commandLine } from '../text/shell-quote.ts';
import { decodeBody } from './http/body-text.ts';
import { type Exchange, ExchangeFault, type WireAnswer, type WireRequest } from './http/http.ts';
import { parseBody, type Room } from './http/json-body.ts';
import { faultError } from './http/network-errors.ts';
import { answerError, type Caller, contradiction, type Operation, unusable } from './response-errors.ts';
import { createPace } from './retry/rate-limiter.ts';
import { type Patience, untilFinal } from './retry/send-with-retry.ts';

/** One operation of the service, ready to be sent. */
export interface Call<T> extends Operation {
  /** Segments of the path below the base address; each is encoded, so that no id or name can lead elsewhere. */
  path: readonly string[];
  /** Values by name, or an encoded query as a link of the service has it. */
  query?: Readonly<Record<string, string | undefined>> | string;
  body?: unknown;
  /**
   * Makes the result of the body's JSON (undefined: a 2xx without a body), the headers, and the URL of the request.
   * Returns undefined for a wrong shape. `memory` is how many bytes the body takes at most.
   */
  read(body: unknown, headers: WireAnswer['headers'], url: URL, memory: number): T | undefined;
  /** The memory that the body may take; a larger one is unusable. */
  room?: Room;
  /** What speaks against an answer of the right shape, in words that follow "but"; undefined for nothing. */
  doubt?(answer: T): string | undefined;
}

/**
 * Sends a call, again where that does no harm. Raises CliError: denied, not_found, conflict, failed, unavailable,
 * unknown; interrupted for a call that was not sent since the command is to stop.
 */
export interface Send {
  <T>(call: Call<T>): Promise<T>;
  /** Says on stderr what a user should know of how it went. */
  warn(text: string): void;
  /** A command, such as `formula list`, that asks the same service. */
  command: CommandLine;
  /** Takes the key out of a text. */
  hide(text: string): string;
}

const NOBODY: Caller = {
  keyWords: 'the API key',
  hide: (text) => text,
  command: commandLine('linux'),
};

/** Makes the seam of an exchange; `where` names the service in messages, `caller` as whom it is asked. */
export function createSend(exchange: Exchange, where: string, world: Patience, caller: Caller = NOBODY): Send {
  const baseUrl = (caller.baseUrl?.href ?? 'http://localhost').replace(/\/$/, '');
  const pace = createPace({ ...world, sleep: (milliseconds) => world.sleep(milliseconds, world.stopping) });
  const send = async <T>(call: Call<T>): Promise<T> => {
    const request = wireRequest(call);
    const final = await untilFinal(exchange, request, world, pace);
    if (!final) {
      throw new CliError('interrupted', `interrupted: could not ${call.doing}; the request was not sent`);
    }
    const { outcome, count, wasOpen, tooLongMs } = final;
    const context = { caller, operation: call, request, where, wasOpen };
    if (outcome instanceof ExchangeFault) throw faultError(outcome, context, count);
    if (outcome.status < 200 || outcome.status > 299) throw answerError(outcome, context, tooLongMs);
    const { value, memory } = bodyOf(outcome, call.room, (problem) => unusable(problem, outcome, context));
    const result = call.read(value, outcome.headers, new URL(baseUrl + request.path), memory);
    if (result === undefined) throw unusable('the answer has not the shape of this operation', outcome, context);
    const doubt = call.doubt?.(result);
    if (doubt !== undefined) throw contradiction(doubt, outcome, context);
    return result;
  };
  return Object.assign(send, { warn: world.warn, command: caller.command, hide: caller.hide });
}

function wireRequest({ method, doing, path, query = {}, body }: Call<unknown>): WireRequest {
  const search = typeof query === 'string' ? query : encodeQuery(query);
  const misleading = path.find((segment) => ['', '.', '..'].includes(segment) || !segment.isWellFormed());
  if (misleading !== undefined) {
    throw new CliError('unavailable', `could not ${doing}: the id ${JSON.stringify(misleading)} would lead elsewhere`, {
      hint: 'the service gave an id that cannot stand in an address; report it to those who run the service',
    });
  }
  return {
    method,
    path: `/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': 'formulary',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

function encodeQuery(query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');
}

const NOTHING = Buffer.alloc(0);

/** The JSON of a 2xx response; undefined for an empty body. Takes the bytes of a large body away from the response. */
function bodyOf(answer: WireAnswer, room: Room | undefined, refuse: (problem: string) => CliError) {
  if (answer.body.every(isWhitespace)) return { value: undefined, memory: 0 };
  const type = answer.headers['content-type'] ?? '';
  if (type && !/^application\/([\w.-]+\+)?json\b/i.test(type)) {
    throw refuse(`the answer is ${type.split(';')[0]}, not JSON`);
  }
  const decoded = decodeBody(answer);
  if ('problem' in decoded) throw refuse(decoded.problem);
  // Bytes, text, and values side by side would be the peak of the memory.
  answer.body = NOTHING;
  const parsed = parseBody(decoded.utf8, room);
  if ('problem' in parsed) throw refuse(parsed.problem);
  return parsed;
}

const isWhitespace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
