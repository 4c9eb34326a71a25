/** A response as JSON, with the places of the values that JSON cannot represent. */
import type { LostValue } from '../protocol.ts';

const { stringify } = JSON;
const { apply } = Reflect;
const { isFinite: isFiniteNumber } = Number;
const { isArray: isList } = Array;
const Places = WeakMap;
const { get: getPlace, set: setPlace } = Places.prototype;
const { getTime } = Date.prototype;

const MAX_LOST = 5;
const MAX_DEPTH = 1000;

/** What a value is that JSON cannot represent; undefined for all others. */
function lostKind(value: unknown): string | undefined {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value === 'number' && !isFiniteNumber(value)) return `${value}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Promise) return 'a promise (is an await missing?)';
  if (value instanceof Error) return 'an Error';
  if (value instanceof RegExp) return 'a regular expression';
  if (value instanceof Map) return 'a Map';
  if (value instanceof Set) return 'a Set';
  if (value instanceof Date && !isFiniteNumber(apply(getTime, value, []))) return 'an invalid Date';
  return undefined;
}

interface Place {
  path: string;
  depth: number;
}

/** The place of a value in the response, from that of the object or array that contains it. */
function placeIn(holder: object, key: string, parent: Place | undefined): Place {
  if (parent === undefined) return { path: '', depth: 0 };
  const { path, depth } = parent;
  if (isList(holder)) return { path: `${path}[${key}]`, depth: depth + 1 };
  return { path: path === '' ? key : `${path}.${key}`, depth: depth + 1 };
}

/** What becomes of a response. */
export interface WrittenResponse {
  /** Undefined where there is no value at all. */
  json: string | undefined;
  lost: LostValue[];
  isTooDeep: boolean;
}

/** Throws what `JSON.stringify` throws, and what code of the response throws. */
export function writeResponse(response: unknown): WrittenResponse {
  const lost: LostValue[] = [];
  const places = new Places<object, Place>();
  let isTooDeep = false;
  const json = stringify(response, function (this: object, key, value) {
    const place = placeIn(this, key, apply(getPlace, places, [this]) as Place | undefined);
    isTooDeep ||= place.depth > MAX_DEPTH;
    if (isTooDeep) return undefined;
    // A Date is a string by now; an invalid one is null.
    const what = lostKind(value === null ? (this as Record<string, unknown>)[key] : value);
    if (what !== undefined && lost.length < MAX_LOST) lost[lost.length] = { path: place.path, what };
    if (typeof value === 'object' && value !== null) apply(setPlace, places, [value, place]);
    return value;
  });
  return { json, lost, isTooDeep };
}
