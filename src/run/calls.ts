/** The calls that a formula makes of other services. Pure. */
import type { BtOutcome, HttpDouble } from './doubles/doubles.ts';

/** A call of a method of `bt`; `with` are its arguments, as far as JSON can represent them. */
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
  /** The index of the double that responded; undefined where there was none. */
  double?: number;
  /** Of a call without a double: the stack of the code that made it. */
  stack?: string;
};

/** A call of a recorded run, with what came of it. */
export type RecordedCall = { http: HttpDouble } | (BtCall & BtOutcome);

const LONGEST_SHOWN = 200;

/** A call in a message: what was called, with what. */
export function callText(call: Call): string {
  if ('other' in call) return call.other;
  if ('http' in call) return call.body === undefined ? call.http : `${call.http} with ${shortJson(call.body)}`;
  return `bt.${call.bt}(${shortened(call.with.map((value) => JSON.stringify(value)).join(', '))})`;
}

const shortJson = (value: unknown) => shortened(JSON.stringify(value));

const shortened = (text: string) => (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
