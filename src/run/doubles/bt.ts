/** `req.bt` of a test or a recorded run: a double, or a client whose calls are reported. */
import { attempt } from '../../errors.ts';
import { beginRecorded, captureStack, reportCall, reportRecorded, toJsonMember } from '../child/channel.ts';
import { joinJson } from '../child/serialize-error.ts';
import type { BtOutcome, Doubles } from './doubles.ts';

const { stringify } = JSON;
const { assign } = Object;
const { apply } = Reflect;

type Method = (...args: unknown[]) => unknown;

/** A client in which every dotted path is a method, which returns or throws its next outcome; without one it throws. */
export function createBtDouble(outcomes: NonNullable<Doubles['bt']>): object {
  return createMember('', outcomes, new Map());
}

/** Members that code reads from any object; no client has them as methods. */
const NO_METHOD = new Set(['then', 'toJSON', 'constructor', 'prototype', 'apply', 'bind', 'call']);

function createMember(path: string, outcomes: NonNullable<Doubles['bt']>, calls: Map<string, number>): object {
  const members = new Map<string, object>();
  const method = async (...args: unknown[]) => {
    const index = calls.get(path) ?? 0;
    calls.set(path, index + 1);
    const outcome = Object.hasOwn(outcomes, path) ? outcomes[path]?.[index] : undefined;
    const facts = outcome === undefined ? `"stack":${stringify(captureStack())}` : `"double":${index}`;
    reportCall(`"bt":${stringify(path)},"with":${toJson(args)},${facts}`);
    if (outcome === undefined) throw new Error(`no double for bt.${path}`);
    return settle(outcome);
  };
  return new Proxy(path === '' ? {} : method, {
    get: (target, key) => {
      if (typeof key === 'symbol' || NO_METHOD.has(key)) return Reflect.get(target, key);
      const inner = path === '' ? key : `${path}.${key}`;
      const member = members.get(key) ?? createMember(inner, outcomes, calls);
      members.set(key, member);
      return member;
    },
  });
}

/** Arguments as JSON; null for one that JSON cannot represent. */
const toJson = (args: unknown[]): string => `[${joinJson(args, (value) => attempt(() => stringify(value)) ?? 'null')}]`;

function settle(outcome: BtOutcome): unknown {
  if ('returns' in outcome) return outcome.returns;
  const { message = '', ...members } = outcome.throws;
  throw assign(new Error(message), members);
}

let active = 0;

/** Whether a call of the client is running; the client's own requests are not recorded. */
export const isCallingBt = (): boolean => active > 0;

/** A client that reports its calls with their outcomes. */
export const recordBt = (client: unknown): unknown => wrap(client, '');

function wrap(value: unknown, path: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
  return new Proxy(value as object, {
    get: (target, key) => {
      const member = Reflect.get(target, key);
      if (typeof key === 'symbol' || key === 'then' || key === 'prototype') return member;
      const inner = path === '' ? key : `${path}.${key}`;
      const descriptor = Object.getOwnPropertyDescriptor(target, key);
      // A proxy must return such members as they are.
      if (descriptor && !descriptor.configurable && !descriptor.writable) return member;
      return typeof member === 'function' ? wrapMethod(member as Method, target, inner) : wrap(member, inner);
    },
  });
}

const wrapMethod =
  (method: Method, holder: object, path: string): Method =>
  async (...args) => {
    const position = beginRecorded();
    const report = (outcome: string): void =>
      reportRecorded(position, `"bt":${stringify(path)}${toJsonMember('with', args)}${outcome}`);
    active += 1;
    try {
      const value = await apply(method, holder, args);
      report(toJsonMember('returns', value) || ',"returns":null');
      return value;
    } catch (error) {
      const { message, status, code } = (error ?? {}) as Record<string, unknown>;
      report(`,"throws":${attempt(() => stringify({ message: String(message), status, code })) ?? '{}'}`);
      throw error;
    } finally {
      active -= 1;
    }
  };
