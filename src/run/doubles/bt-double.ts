/** The double of `req.bt`: each call of a method returns or throws the next outcome of the test. */
import { captureStack, reportCall } from '../child/calls.ts';
import type { BtOutcome, Doubles } from './doubles.ts';

const { stringify } = JSON;
const { assign } = Object;

type Method = (...args: unknown[]) => Promise<unknown>;

/** A client in which every dotted path is a method; a method without an outcome throws. */
export function createBtDouble(outcomes: NonNullable<Doubles['bt']>): object {
  return memberAt('', outcomes, new Map());
}

/** Members that code reads from any object; no client has them as methods. */
const NO_METHOD = new Set(['then', 'toJSON', 'constructor', 'prototype', 'apply', 'bind', 'call']);

function memberAt(path: string, outcomes: NonNullable<Doubles['bt']>, calls: Map<string, number>): object {
  const members = new Map<string, object>();
  const method: Method = async (...args) => {
    const index = calls.get(path) ?? 0;
    calls.set(path, index + 1);
    const outcome = Object.hasOwn(outcomes, path) ? outcomes[path]?.[index] : undefined;
    report(path, args, outcome === undefined ? undefined : index);
    if (outcome === undefined) throw new Error(`no double for bt.${path}`);
    return settle(outcome);
  };
  return new Proxy(path === '' ? {} : method, {
    get: (target, key) => {
      if (typeof key === 'symbol' || NO_METHOD.has(key)) return Reflect.get(target, key);
      const inner = path === '' ? key : `${path}.${key}`;
      const member = members.get(key) ?? memberAt(inner, outcomes, calls);
      members.set(key, member);
      return member;
    },
  });
}

function report(path: string, args: unknown[], double: number | undefined): void {
  const facts = double === undefined ? `"stack":${stringify(captureStack())}` : `"double":${double}`;
  reportCall(`"bt":${stringify(path)},"with":${toJson(args)},${facts}`);
}

/** Arguments as JSON; null for one that JSON cannot represent. */
const toJson = (args: unknown[]): string =>
  `[${args
    .map((value) => {
      try {
        return stringify(value) ?? 'null';
      } catch {
        return 'null';
      }
    })
    .join()}]`;

function settle(outcome: BtOutcome): unknown {
  if ('returns' in outcome) return outcome.returns;
  const { message = '', ...members } = outcome.throws;
  throw assign(new Error(message), members);
}
