/** Reports the outcome of the invocation. The first one counts; later errors are reported as late. */
import { attempt } from '../../errors.ts';
import type { ExitReason, LostValue, Phase } from '../protocol.ts';
import { request, send } from './channel.ts';
import { endClock } from './clock.ts';
import { markUnusable } from './process-state.ts';
import { joinJson, serializeError } from './serialize-error.ts';

const { stringify } = JSON;
const after = setTimeout;
const activeResources = process.getActiveResourcesInfo?.bind(process);
let isOver = false;

/** Prepares for another invocation. */
export function resetOutcome(): void {
  isOver = false;
}

/** Whether the outcome is known. */
export const hasEnded = (): boolean => isOver;

/** Sends an `ExitReason`; its other members are JSON after a comma. */
export const sendExit = (kind: ExitReason['kind'], members = ''): void => send(`{"exit":{"kind":"${kind}"${members}}}`);

export function fail(when: Phase, error: unknown): void {
  const thrown = serializeError(error);
  if (isOver || when !== 'call') markUnusable();
  if (isOver) send(`{"late":${thrown}}`);
  else sendExit('failed', `,"error":${thrown},"phase":"${when}"`);
  isOver = true;
}

/** Sends the response, with the paths of values that JSON cannot represent. */
export function sendResponse(response: unknown): void {
  const lost: LostValue[] = [];
  let json: string | undefined;
  try {
    json = writeResponse(response, lost);
  } catch (error) {
    if (error === TOO_DEEP) sendExit('too-deep');
    else fail('writing', error);
    return;
  }
  isOver = true;
  if (json !== undefined && json.length > request.maxBytes) {
    sendExit('too-large', `,"bytes":${json.length}`);
    return;
  }
  const value = json === undefined ? '' : `,"response":${json}`;
  sendExit('response', `${value},"lost":[${joinJson(lost, formatLost)}]`);
  if (!request.isShared) awaitEnd();
}

/** Waits for what the code left running, and reports it. */
export function awaitEnd(): void {
  endClock(request.graceMs, () => reportOpen(['Timeout']));
  waitForEnd(0);
}

/** Turns of the event loop, in which what the code does not need any more can close. */
const TURNS = 20;

/**
 * Reports what is still open. A process without open resources ends before. The turns are counted, because on a busy computer
 * the time passes before the process gets to close anything.
 */
function waitForEnd(turn: number): void {
  // Without a reference, the timer does not keep the process running.
  if (turn < TURNS) after(() => waitForEnd(turn + 1), request.graceMs / TURNS).unref();
  else reportOpen(attempt(() => activeResources?.()) ?? []);
}

const reportOpen = (names: readonly string[]): void => send(`{"open":[${joinJson(names, (name) => stringify(name))}]}`);

const formatLost = ({ path, what }: LostValue): string => `{"path":${stringify(path)},"what":${stringify(what)}}`;

const { apply } = Reflect;
const { isFinite: isFiniteNumber } = Number;
const { isArray: isList } = Array;
const { get, set } = WeakMap.prototype;
const Locations = WeakMap;
const { getTime } = Date.prototype;

const MAX_LOST = 5;
const MAX_DEPTH = 1000;

/** Describes a value that JSON cannot represent; undefined for other values. */
function describeLost(value: unknown): string | undefined {
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

interface Location {
  path: string;
  depth: number;
}

/** The location of a value in the response, from that of its object or array. */
function locate(holder: object, key: string, parent: Location | undefined): Location {
  if (parent === undefined) return { path: '', depth: 0 };
  const { path, depth } = parent;
  if (isList(holder)) return { path: `${path}[${key}]`, depth: depth + 1 };
  return { path: path === '' ? key : `${path}.${key}`, depth: depth + 1 };
}

const TOO_DEEP = {};

/** Undefined if there is no value. Throws as `JSON.stringify` does; a `toJSON` or getter of the response may throw anything. */
function writeResponse(response: unknown, lost: LostValue[]): string | undefined {
  const locations = new Locations<object, Location>();
  return stringify(response, function (this: object, key, value) {
    const location = locate(this, key, apply(get, locations, [this]) as Location | undefined);
    if (location.depth > MAX_DEPTH) throw TOO_DEEP;
    // toJSON has already made a string of a Date, or null of an invalid one.
    const what = describeLost(value === null ? (this as Record<string, unknown>)[key] : value);
    if (what !== undefined && lost.length < MAX_LOST) lost[lost.length] = { path: location.path, what };
    if (typeof value === 'object' && value !== null) apply(set, locations, [value, location]);
    return value;
  });
}
