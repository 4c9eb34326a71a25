/** Reports the calls that a formula makes of other services. */
import { say } from './channel.ts';
import { safely } from './thrown-text.ts';

/** Frames of a stack in which the formula's own are far from the top. */
const MANY_FRAMES = 50;

/** `members` are those of a `Call`, as JSON. */
export function reportCall(members: string): void {
  say(`{"call":{${members}}}`);
}

/** Reports a call of a recorded run, with what came of it. */
export function reportRecorded(members: string): void {
  say(`{"recorded":{${members}}}`);
}

/** An error with a stack that is long enough to show code of the formula under that of packages. */
export function errorHere(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MANY_FRAMES;
  const error = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}

/** The stack of the caller. */
export const stackHere = (): string => String(errorHere().stack ?? '');

const { stringify } = JSON;

/** A member of a JSON object after others; nothing where JSON cannot represent the value. */
export function jsonOrNothing(name: string, value: unknown): string {
  const json = safely(() => stringify(value));
  return json === undefined ? '' : `,"${name}":${json}`;
}
