/** A formula's calls to other services. Pure. */
import type { BtOutcome, HttpDouble } from './doubles/doubles.ts';

/** A call of a method of `bt`; `with` has its arguments, as far as JSON can represent them. */
interface BtCall {
  bt: string;
  with: readonly unknown[];
}

/** A request: method and URL, and the body as a value. */
interface HttpCall {
  http: string;
  body?: unknown;
}

/** A call that no double can respond to, such as `dns.lookup("example.com")`. */
interface OtherCall {
  other: string;
}

export type Call = (BtCall | HttpCall | OtherCall) & {
  /** The index of the double that responded, if any. */
  double?: number;
  /** The stack of a call without a double. */
  stack?: string;
};

/** A call of a recorded run, with its outcome. */
export type RecordedCall = { http: HttpDouble } | (BtCall & BtOutcome);

const MAX_SHOWN = 200;

/** A call with its arguments or body, for messages. */
export function formatCall(call: Call): string {
  if ('other' in call) return call.other;
  if ('http' in call) return call.body === undefined ? call.http : `${call.http} with ${toShortJson(call.body)}`;
  return `bt.${call.bt}(${truncate(call.with.map((value) => JSON.stringify(value)).join(', '))})`;
}

const toShortJson = (value: unknown) => truncate(JSON.stringify(value));

const truncate = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
