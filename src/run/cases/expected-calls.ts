/** `expect.calls`: the calls that a test expects. Pure. */
import { matchesHeaders, matchesRequest } from '../doubles/match-request.ts';
import type { Call } from '../protocol.ts';
import { isSubset, pickSubset } from '../subset.ts';

/** A call of a method, or a request. `with` and `body` are subsets; there may be more arguments. */
export type ExpectedCall =
  | { bt: string; with?: readonly unknown[] }
  | { http: string; body?: unknown; headers?: Readonly<Record<string, string>> };

/** With `ordered`, the calls must be made in this order. */
export interface ExpectedCalls {
  calls?: readonly ExpectedCall[];
  ordered?: boolean;
  /** Whether more calls are allowed. */
  partial?: boolean;
}

/** The difference between expected and actual calls; undefined if there is none. */
export function compareCalls(expect: ExpectedCalls, actual: readonly Call[]) {
  const { calls = [], partial = false } = expect;
  const { pairs, others } = pairCalls(expect, actual);
  const isExpected = pairs.every(([call, found]) => found && isMatch(call, found)) && (partial || others.length === 0);
  return isExpected ? undefined : { expected: calls, actual: reduceCalls(expect, actual) };
}

/** The actual calls, reduced to the members that the expected ones have; calls without an expectation are complete. */
export function reduceCalls(expect: ExpectedCalls, actual: readonly Call[]): unknown[] {
  const { pairs, others } = pairCalls(expect, actual);
  const found = pairs.flatMap(([call, match]) => (match ? [{ call: match, reduced: reduceCall(call, match) }] : []));
  const rest = expect.partial ? [] : others.map((call) => ({ call, reduced: removeDetails(call) }));
  const all = [...found, ...rest];
  if (expect.ordered) all.sort((a, b) => actual.indexOf(a.call) - actual.indexOf(b.call));
  return all.map(({ reduced }) => reduced);
}

/** Pairs each expected call with the next actual one: of the same method, or of all if `ordered`. */
function pairCalls({ calls = [], ordered = false, partial = false }: ExpectedCalls, actual: readonly Call[]) {
  const others = [...actual];
  const pairs = calls.map((call): [ExpectedCall, Call | undefined] => {
    const isCandidate = (other: Call) => isSameTarget(call, other) && (!partial || isMatch(call, other));
    const at = others.findIndex(ordered && !partial ? (_, i) => i === 0 : isCandidate);
    const found = others[at];
    if (!found || !isSameTarget(call, found)) return [call, undefined];
    // In a partial list, earlier calls of the same method cannot match a later expectation.
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
  if ('http' in call && 'http' in actual)
    return (
      (call.body === undefined || isSubset(call.body, actual.body)) && matchesHeaders(call.headers, actual.headers)
    );
  if (!('bt' in call && 'bt' in actual)) return false;
  return call.with === undefined || isSubset(call.with, actual.with.slice(0, call.with.length));
}

/** An actual call, reduced to the members that the expected one has; with the request pattern of the test. */
function reduceCall(call: ExpectedCall, actual: Call): object {
  if ('http' in call && 'http' in actual)
    return {
      http: call.http,
      ...(call.body !== undefined && { body: pickSubset(call.body, actual.body) }),
      ...(call.headers && { headers: pickHeaders(call.headers, actual.headers) }),
    };
  if (!('bt' in call && 'bt' in actual)) return removeDetails(actual);
  const first = call.with && { with: pickSubset(call.with, actual.with.slice(0, call.with.length)) };
  return { bt: actual.bt, ...first };
}

/** The listed headers: their pattern where it matches, otherwise the actual value. */
const pickHeaders = (expected: Readonly<Record<string, string>>, actual: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(expected).flatMap(([name, value]) => {
      const found = matchesHeaders({ [name]: value }, actual) ? value : actual[name.toLowerCase()];
      return found === undefined ? [] : [[name, found]];
    }),
  );

function removeDetails(call: Call): object {
  const { double: _, stack: __, headers: ___, ...others } = { headers: undefined, ...call };
  return others;
}
