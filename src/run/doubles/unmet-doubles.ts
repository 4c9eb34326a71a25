/** Compares the calls of a test with its doubles: calls without a double, and doubles without a call. Pure. */

import { truncateText } from '../../text/shorten.ts';
import type { Call } from '../protocol.ts';
import { findOwnFrames, type OwnCode } from '../stack-frames.ts';
import type { Doubles, HttpDouble } from './doubles.ts';
import { matchesRequest } from './match-request.ts';

/** What the code called and loaded. */
export interface Usage {
  calls: readonly Call[];
  loaded: readonly string[];
}

/** One message for each call or double. */
export function findUnmetDoubles(doubles: Doubles, { calls, loaded }: Usage, own: OwnCode): string[] {
  const unmatched = calls
    .filter(({ double }) => double === undefined)
    .map((call) => describeUnmatched(call, doubles.http ?? [], own));
  const unused = Object.keys(doubles.modules ?? {})
    .filter((name) => !loaded.includes(name))
    .map((name) => `the double of the module ${name} was not loaded`);
  return [...new Set([...unmatched, ...findUnusedBt(doubles, calls), ...findUnusedHttp(doubles, calls), ...unused])];
}

function describeUnmatched(call: Call, doubles: readonly HttpDouble[], own: OwnCode): string {
  const [location] = findOwnFrames(call.stack ?? '', own);
  const where = location ? `${location.file}:${location.line}:${location.column}: ` : '';
  return `${where}no double for ${formatCall(call)}${describeNearMiss(call, doubles)}\n${suggestDouble(call)}`;
}

/** Why the doubles of the same request did not respond. */
function describeNearMiss(call: Call, doubles: readonly HttpDouble[]): string {
  const same = 'http' in call ? doubles.filter(({ request }) => matchesRequest(request, call.http)) : [];
  if (same.length === 0) return '';
  return same.every(({ body }) => body === undefined)
    ? ' (its doubles are used up; "times" is how many calls one responds to)'
    : ' (its doubles are used up, or expect another body)';
}

function suggestDouble(call: Call): string {
  const doubles = createDouble(call);
  return doubles
    ? `add to "doubles": ${JSON.stringify(doubles)}`
    : 'only bt and HTTP can have doubles; to use the network, add "network": true to the test';
}

/** A double that responds to a call; undefined if it cannot have one. */
export function createDouble(call: Call): Doubles | undefined {
  if ('other' in call) return undefined;
  return 'http' in call
    ? { http: [{ request: call.http, response: { status: 200, json: {} } }] }
    : { bt: { [call.bt]: [{ returns: {} }] } };
}

function findUnusedBt({ bt = {} }: Doubles, calls: readonly Call[]): string[] {
  return Object.entries(bt).flatMap(([method, outcomes]) => {
    const missing = outcomes.length - countBtUses(calls, method);
    return missing > 0
      ? [`${missing} of ${outcomes.length} doubles of bt.${method} ${missing === 1 ? 'was' : 'were'} not called`]
      : [];
  });
}

function findUnusedHttp({ http = [] }: Doubles, calls: readonly Call[]): string[] {
  return http.flatMap(({ request, times = 1 }, i) => {
    const used = countHttpUses(calls, i);
    if (times === 'any' ? used > 0 : used >= times) return [];
    const count = used === 0 ? 'not called' : `called ${used} of ${times} times`;
    return [`the double of ${request} was ${count}`];
  });
}

/** How many calls of a method of bt its doubles responded to. */
export const countBtUses = (calls: readonly Call[], method: string): number =>
  calls.filter((call) => 'bt' in call && call.bt === method && call.double !== undefined).length;

/** How many requests the HTTP double with this index responded to. */
export const countHttpUses = (calls: readonly Call[], index: number): number =>
  calls.filter((call) => 'http' in call && call.double === index).length;

const MAX_SHOWN = 200;

/** A call with its arguments or body, for messages. */
export function formatCall(call: Call): string {
  if ('other' in call) return call.other;
  if ('http' in call) return call.body === undefined ? call.http : `${call.http} with ${toShortJson(call.body)}`;
  return `bt.${call.bt}(${truncateText(call.with.map((value) => JSON.stringify(value)).join(', '), MAX_SHOWN)})`;
}

const toShortJson = (value: unknown) => truncateText(JSON.stringify(value), MAX_SHOWN);
