/** Wraps `req.bt` in a recorded run, to report its calls with their outcomes. */
import { reportRecorded, toJsonMember } from '../child/calls.ts';
import { attempt } from '../child/serialize-error.ts';

const { apply } = Reflect;

let active = 0;

/** Whether a call of the client is running; the client's own requests are not recorded. */
export const isCallingBt = (): boolean => active > 0;

export function recordBt(client: unknown): unknown {
  return wrap(client, '');
}

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

type Method = (...args: unknown[]) => unknown;

const wrapMethod =
  (method: Method, holder: object, path: string): Method =>
  async (...args) => {
    active += 1;
    try {
      const value = await apply(method, holder, args);
      report(path, args, toJsonMember('returns', value) || ',"returns":null');
      return value;
    } catch (error) {
      const { message, status, code } = (error ?? {}) as Record<string, unknown>;
      const facts = attempt(() => JSON.stringify({ message: String(message), status, code })) ?? '{}';
      report(path, args, `,"throws":${facts}`);
      throw error;
    } finally {
      active -= 1;
    }
  };

const report = (path: string, args: unknown[], outcome: string): void =>
  reportRecorded(`"bt":${JSON.stringify(path)}${toJsonMember('with', args)}${outcome}`);
