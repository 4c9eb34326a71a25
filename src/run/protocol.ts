/** What the tool and the process that runs a formula say to each other. */
import type { Call, RecordedCall } from './calls.ts';
import type { Doubles } from './doubles/doubles.ts';

/** Bytes of the token that stands before the request, and before every line that the process says. */
export const TOKEN_LENGTH = 36;

/** The one request, as JSON on stdin, behind the token. */
export interface ChildRequest {
  code: string;
  /** Path under which the code is loaded. */
  file: string;
  /** JSON. */
  args: string;
  /** JSON. */
  configuration: string;
  /** Path of a module that stands in for `req.bt`. */
  bt?: string | undefined;
  /** The doubles of a test. */
  doubles?: Doubles | undefined;
  /** Whether the code has no network but the doubles. */
  isNetworkClosed?: boolean | undefined;
  /** Whether calls are reported with what came of them. */
  isRecorded?: boolean | undefined;
  /** Whether something else ends the process when the tool is gone. */
  isWatched?: boolean | undefined;
  /** The port on which a debugger is waited for. */
  inspectPort?: number | undefined;
  /** How long what is still running after the response is waited for. */
  graceMs: number;
  maxBytes: number;
}

/** What was thrown: of an error its own fields, of another value its text as the message. */
export interface SerializedError {
  isError?: boolean;
  name?: string;
  message: string;
  stack?: string;
  code?: string;
  status?: unknown;
  errors?: unknown;
  /** What is known of the error's cause, and of the errors of an AggregateError, as text. */
  causes?: string[];
}

/** When it was thrown: in the stand-in for bt, at load, by the call, outside of it, or when the response was written. */
export type Phase = 'bt' | 'load' | 'call' | 'unhandled' | 'writing';

/** A value that JSON cannot represent: where it is in the response, and what it is. */
export interface LostValue {
  path: string;
  what: string;
}

/** One line of the process. */
export interface ChildMessage {
  started?: string;
  response?: unknown;
  isNothing?: boolean;
  /** The values in the response that JSON cannot represent. */
  lost?: LostValue[];
  /** The response is nested deeper than any service reads. */
  tooDeep?: boolean;
  failed?: SerializedError;
  when?: Phase;
  noFunction?: string;
  unsettled?: boolean;
  tooLarge?: number;
  late?: SerializedError;
  open?: string[];
  /** A debugger can attach. */
  inspecting?: boolean;
  attached?: boolean;
  portInUse?: number;
  call?: Call;
  recorded?: RecordedCall;
  /** The name of a module whose double was loaded. */
  loaded?: string;
  /** The name of a package that a stand-in of the tool replaces. */
  standIn?: string;
}

/** How an invocation ended. */
export type ExitReason =
  | { kind: 'response'; response: unknown; lost: readonly LostValue[] }
  | { kind: 'too-deep' }
  | { kind: 'failed'; error: SerializedError; phase: Phase }
  | { kind: 'no-function'; found: string }
  | { kind: 'too-large'; bytes: number }
  | { kind: 'timeout' }
  | { kind: 'memory' }
  | { kind: 'unsettled' }
  | { kind: 'exited'; code: number | null; signal: string | null }
  | { kind: 'stopped' }
  | { kind: 'port-in-use'; port: number }
  /** No debugger attached in time. */
  | { kind: 'no-debugger' }
  /** The process is no Node.js, or there is none at this path. */
  | { kind: 'not-started'; reason: string };
