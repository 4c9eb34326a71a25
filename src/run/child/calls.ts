/** Reports the formula's calls to other services. */
import { send } from './channel.ts';
import { attempt } from './serialize-error.ts';

/** The formula's own frames may be far below those of packages. */
const MAX_FRAMES = 50;

/** `members`: the members of a `Call`, as JSON. */
export function reportCall(members: string): void {
  send(`{"call":{${members}}}`);
}

/** Reports a call of a recorded run, with its outcome. */
export function reportRecorded(members: string): void {
  send(`{"recorded":{${members}}}`);
}

/** An error with a long stack. */
export function captureError(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const error = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}

/** The stack of the caller. */
export const captureStack = (): string => String(captureError().stack ?? '');

const { stringify } = JSON;

/** A member to append to a JSON object; empty if JSON cannot represent the value. */
export function toJsonMember(name: string, value: unknown): string {
  const json = attempt(() => stringify(value));
  return json === undefined ? '' : `,"${name}":${json}`;
}
