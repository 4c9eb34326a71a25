/** Compares what two versions of a formula return, throw, and call. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { describeType, isObject } from '../../text/json-type.ts';
import type { InvocationResult } from '../invoke.ts';
import type { Call, ExitReason } from '../protocol.ts';

/** What a call led to, as it is shown. */
export interface CallResult {
  /** Undefined if the function returned nothing. */
  returns?: unknown;
  throws?: { message: string; status?: unknown; errors?: unknown };
  /** How the code ended otherwise. */
  ends?: string;
  calls?: readonly object[];
}

/** A part of two results that differs; undefined where one has none. */
export interface Difference {
  path: string;
  old: unknown;
  new: unknown;
}

const UNANSWERED = 'at the last call, which has no double';

/** A call without a double ends the run; what the code did afterwards does not count. */
export function toCallResult({ exitReason, calls: all }: Pick<InvocationResult, 'exitReason' | 'calls'>): CallResult {
  const last = all.findIndex(({ double }) => double === undefined);
  const calls = (last < 0 ? all : all.slice(0, last + 1)).map(toComparableCall);
  return { ...(last < 0 ? toOutcome(exitReason) : { ends: UNANSWERED }), ...(calls.length > 0 && { calls }) };
}

const ENDS = {
  timeout: 'by the time limit',
  memory: 'by the memory limit',
  unsettled: 'with a promise that never settled',
  'too-deep': 'with a response that is nested too deep',
  'too-large': 'with a response above 20 MiB',
} as const;

function toOutcome(exitReason: ExitReason): CallResult {
  if (exitReason.kind === 'response') return { returns: exitReason.response };
  if (exitReason.kind === 'no-function') return { ends: `with an export that is not a function (${exitReason.found})` };
  if (exitReason.kind === 'exited')
    return { ends: `by exiting (${exitReason.signal ?? `exit code ${exitReason.code}`})` };
  if (exitReason.kind !== 'failed') return { ends: ENDS[exitReason.kind as keyof typeof ENDS] ?? exitReason.kind };
  const { name = '', message, status, errors } = exitReason.error;
  const isOfV8 = /^(?:TypeError|ReferenceError|SyntaxError)$/.test(name) && V8_MESSAGES.test(message);
  return { throws: { message: isOfV8 ? `${name} of JavaScript` : message, status, errors } };
}

/** Errors of V8 name variables and expressions of the code, which are no difference. */
const V8_MESSAGES =
  /^(?:Cannot (?:read|set|destructure|convert|access|assign)|Assignment to constant)|\bis not (?:a function|iterable|defined|a constructor|an object)\b|\bis not valid JSON|^Unexpected (?:token|end)/;

/** Headers that only the HTTP client decides. */
const CLIENT_HEADERS =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|user-agent|accept|accept-encoding|accept-language|sec-fetch-mode)$/;

function toComparableCall(call: Call): object {
  if ('bt' in call) return { bt: call.bt, with: call.with };
  if ('other' in call) return { other: call.other };
  const headers = Object.entries(call.headers ?? {}).filter(([name]) => !CLIENT_HEADERS.test(name));
  return {
    http: call.http,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(call.body !== undefined && { body: call.body }),
  };
}

/** Whether a run ended at a call without a double. */
export const isUnanswered = ({ ends }: CallResult): boolean => ends === UNANSWERED;

export const isEndedByLimit = ({ ends }: CallResult): boolean => ends === ENDS.timeout || ends === ENDS.memory;

/** The parts that differ, outermost first; the order of keys does not count. */
export function compareResults(older: unknown, newer: unknown, path = ''): Difference[] {
  if (isDeepStrictEqual(older, newer)) return [];
  const isComparable = (one: unknown) => isObject(one) || Array.isArray(one);
  if (!isComparable(older) || !isComparable(newer) || describeType(older) !== describeType(newer))
    return [{ path, old: older, new: newer }];
  const [before, after] = [older as Readonly<Record<string, unknown>>, newer as Readonly<Record<string, unknown>>];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    compareResults(getOwn(before, key), getOwn(after, key), formatPath(path, key, Array.isArray(older))),
  );
}

const getOwn = (value: Readonly<Record<string, unknown>>, key: string) =>
  Object.hasOwn(value, key) ? value[key] : undefined;

function formatPath(path: string, key: string, isItem: boolean): string {
  if (isItem) return `${path}[${key}]`;
  return path === '' ? key : /^[\w$]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
