/** Messages between the tool and the process that runs a formula. */
import type { BtOutcome, Doubles, HttpDouble } from './doubles/doubles.ts';

/** Length of the token that precedes the request, and each line of the process. */
export const TOKEN_LENGTH = 36;

export const MAX_RESPONSE_BYTES = 20 * 2 ** 20;

/** The request, as JSON on stdin after the token. */
export interface ChildRequest {
  code: string;
  /** Path under which the code is loaded. */
  file: string;
  /** JSON. */
  args: string;
  /** JSON. */
  configuration: string;
  /** Path of a module that replaces `req.bt`. */
  bt?: string | undefined;
  /** The doubles of a test. */
  doubles?: Doubles | undefined;
  /** The time at which the clock stands still. */
  now?: number | undefined;
  /** The seed of random numbers. */
  seed?: number | undefined;
  /** Whether the code can reach only doubles. */
  isNetworkClosed?: boolean | undefined;
  /** Whether calls are reported with their outcomes. */
  isRecorded?: boolean | undefined;
  /** Whether the process may run another test, if this one leaves nothing behind. */
  isShared?: boolean | undefined;
  /** Whether changed objects and the end of the output are not looked for before a shared process is used again. */
  isQuick?: boolean | undefined;
  /** Whether earlier code of the process's formula used the network, so that a shared process prepares for it. */
  isNetworkUsed?: boolean | undefined;
  /** The port on which to wait for a debugger. */
  inspectPort?: number | undefined;
  /** How long to wait for work that is still running after the response. */
  graceMs: number;
  maxBytes: number;
}

/** A thrown value: the fields of an error, or the text of another value as the message. */
export interface SerializedError {
  isError?: boolean;
  name?: string;
  message: string;
  stack?: string;
  code?: string;
  status?: unknown;
  errors?: unknown;
  /** The error's causes, and the errors of an AggregateError, as text. */
  causes?: string[];
}

/** When an error was thrown; `unhandled` is outside the call, `writing` while the response is serialized. */
export type Phase = 'bt' | 'load' | 'call' | 'unhandled' | 'writing';

/** A value that JSON cannot represent: its path in the response, and its kind. */
export interface LostValue {
  path: string;
  what: string;
}

/** One line of the process. */
export interface ChildMessage {
  /** The version of Node.js. */
  started?: string;
  /** The process can run another test. */
  isReusable?: boolean;
  exit?: ExitReason;
  /** A value that was thrown after the response. */
  late?: SerializedError;
  /** Resources that are still open after the response. */
  open?: string[];
  /** A debugger can attach. */
  inspecting?: boolean;
  attached?: boolean;
  call?: Call;
  recorded?: RecordedCall;
  /** The position of the recorded call among all. */
  position?: number;
  /** The name of a module whose double was loaded. */
  loaded?: string;
  /** The name of a package that a stand-in of the tool replaces. */
  standIn?: string;
}

/** How an invocation ended. */
export type ExitReason =
  /** Without `response`, the function returned nothing. */
  | { kind: 'response'; response?: unknown; lost: readonly LostValue[] }
  | { kind: 'too-deep' }
  | { kind: 'failed'; error: SerializedError; phase: Phase }
  | { kind: 'no-function'; found: string }
  | { kind: 'too-large'; bytes: number }
  | { kind: 'timeout' }
  | { kind: 'memory' }
  | { kind: 'unsettled' }
  | { kind: 'exited'; code: number | null; signal: string | null }
  | { kind: 'stopped' }
  /** A call without a double, where that ends the run. */
  | { kind: 'unanswered' }
  | { kind: 'port-in-use'; port: number }
  /** No debugger attached in time. */
  | { kind: 'no-debugger' }
  /** The executable does not exist or is not Node.js. */
  | { kind: 'not-started'; reason: string };

/** A call of a method of `bt`; `with` has its arguments, as far as JSON can represent them. */
interface BtCall {
  bt: string;
  with: readonly unknown[];
}

/** A request: method and URL, and the body as a value. */
interface HttpCall {
  http: string;
  body?: unknown;
  /** By lower-case name. */
  headers?: Readonly<Record<string, string>>;
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
