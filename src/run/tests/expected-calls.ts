/** `expect.calls`: the calls that a test expects, and how the actual calls differ from them. Pure. */
import { isObject } from '../../text/json-type.ts';
import type { JsonPath } from '../../text/json-with-positions.ts';
import type { Call } from '../calls.ts';
import { matchesRequest } from '../doubles/match-request.ts';
import { checkRequest } from '../doubles/parse-http-doubles.ts';
import { isSubset, sameShape } from '../subset.ts';
import { isList, isString, mustBe, type ReportProblem, refuseUnknown } from './value-checks.ts';

/** A call of a method, or a request. Its arguments, or its body, are subsets; there may be more arguments. */
export type ExpectedCall = { bt: string; with?: readonly unknown[] } | { http: string; body?: unknown };

/** Which calls a test expects; `ordered` makes the order of all of them count. */
export interface ExpectedCalls {
  calls?: readonly ExpectedCall[];
  ordered?: boolean;
  /** Whether there may be more calls. */
  partial?: boolean;
}

/** Reports what is wrong with `expect.calls`. */
export function checkExpectedCalls(calls: unknown, path: JsonPath, report: ReportProblem): void {
  if (calls === undefined || !mustBe(calls, isList, 'an array', path, report)) return;
  for (const [i, call] of calls.entries()) checkCall(call, [...path, i], report);
}

function checkCall(call: unknown, path: JsonPath, report: ReportProblem): void {
  if (!isObject(call) || 'bt' in call === 'http' in call) {
    report(path, 'a call must be {"bt": "METHOD", "with": […]} or {"http": "POST URL", "body": …}');
    return;
  }
  if ('http' in call) {
    refuseUnknown(call, ['http', 'body'], path, 'a call', report);
    checkRequest(call['http'], [...path, 'http'], report);
    return;
  }
  refuseUnknown(call, ['bt', 'with'], path, 'a call', report);
  mustBe(call['bt'], isString, 'a method such as "tokens.create"', [...path, 'bt'], report);
  if (call['with'] !== undefined) mustBe(call['with'], isList, 'an array', [...path, 'with'], report);
}

interface Difference {
  expected: readonly unknown[];
  actual: readonly unknown[];
}

/** How the calls differ from the expected ones; undefined where they do not. */
export function compareCalls(expect: ExpectedCalls, actual: readonly Call[]): Difference | undefined {
  const { calls = [], partial = false } = expect;
  const { pairs, others } = pairCalls(expect, actual);
  const isExpected = pairs.every(([call, found]) => found && isMatch(call, found)) && (partial || others.length === 0);
  if (isExpected) return undefined;
  return { expected: calls, actual: shapedCalls(expect, actual) };
}

/** The actual calls with no more than the expected ones mention; those that nothing expects are complete. */
export function shapedCalls(expect: ExpectedCalls, actual: readonly Call[]): unknown[] {
  const { pairs, others } = pairCalls(expect, actual);
  const found = pairs.flatMap(([call, match]) => (match ? [{ call: match, shape: shapedCall(call, match) }] : []));
  const rest = expect.partial ? [] : others.map((call) => ({ call, shape: completeCall(call) }));
  const all = [...found, ...rest];
  if (!expect.ordered) return all.map(({ shape }) => shape);
  return all.sort((a, b) => actual.indexOf(a.call) - actual.indexOf(b.call)).map(({ shape }) => shape);
}

interface Pairing {
  pairs: [ExpectedCall, Call | undefined][];
  others: Call[];
}

/** Each expected call with the actual one that it is compared with: the next of the same method, or of all if `ordered`. */
function pairCalls({ calls = [], ordered = false, partial = false }: ExpectedCalls, actual: readonly Call[]): Pairing {
  const others = [...actual];
  const pairs = calls.map((call): [ExpectedCall, Call | undefined] => {
    const isCandidate = (other: Call) => isSameTarget(call, other) && (!partial || isMatch(call, other));
    const at = others.findIndex(ordered && !partial ? (_, i) => i === 0 : isCandidate);
    const found = others[at];
    if (!found || !isSameTarget(call, found)) return [call, undefined];
    // In a partial list, calls of the same method before this one can no longer be expected.
    const skipped = others.slice(0, at).filter((other) => !partial || !(ordered || isSameTarget(call, other)));
    others.splice(0, at + 1, ...skipped);
    return [call, found];
  });
  return { pairs, others };
}

function isSameTarget(call: ExpectedCall, actual: Call): boolean {
  if ('http' in call) return 'http' in actual && matchesRequest(call.http, actual.http);
  return 'bt' in actual && call.bt === actual.bt;
}

function isMatch(call: ExpectedCall, actual: Call): boolean {
  if ('http' in call && 'http' in actual) return call.body === undefined || isSubset(call.body, actual.body);
  if (!('bt' in call && 'bt' in actual)) return false;
  return call.with === undefined || isSubset(call.with, actual.with.slice(0, call.with.length));
}

/** An actual call with no more than the expected one mentions. The request stays as the test writes it. */
function shapedCall(call: ExpectedCall, actual: Call): object {
  if ('http' in call && 'http' in actual)
    return { http: call.http, ...(call.body !== undefined && { body: sameShape(call.body, actual.body) }) };
  if (!('bt' in call && 'bt' in actual)) return completeCall(actual);
  const first = call.with && { with: sameShape(call.with, actual.with.slice(0, call.with.length)) };
  return { bt: actual.bt, ...first };
}

function completeCall({ double: _, stack: __, ...call }: Call): object {
  return call;
}
