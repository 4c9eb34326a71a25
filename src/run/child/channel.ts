/** The channel to the tool: each line starts with the token of the invocation, which the formula does not get. */
import { readFileSync, writeSync } from 'node:fs';
import { type ChildRequest, TOKEN_LENGTH } from '../protocol.ts';
import { attempt } from './serialize-error.ts';

// Captured before code of the formula can replace them.
const { apply } = Reflect;
const encoder = new TextEncoder();
const { encode } = encoder;
const write = writeSync;
const CHANNEL = 3;

const input = readFileSync(0, 'utf8');
const token = input.slice(0, TOKEN_LENGTH);
/** The request, which follows the token on standard input. */
export const request: ChildRequest = JSON.parse(input.slice(TOKEN_LENGTH));

/** Writes a complete line, even to a full pipe. A line feed precedes it, in case the formula wrote half a line. */
export function send(json: string): void {
  const line: Uint8Array = apply(encode, encoder, [`\n${token}${json}\n`]);
  for (let at = 0; at < line.length; ) {
    try {
      at += write(CHANNEL, line, at, line.length - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') break;
    }
  }
}

/** The formula's own frames may be far below those of packages. */
const MAX_FRAMES = 50;

/** `members`: the members of a `Call`, as JSON. */
export function reportCall(members: string): void {
  send(`{"call":{${members}}}`);
}

let begun = 0;

/** The position of a call of a recorded run: calls are recorded in the order in which they begin. */
export const beginRecorded = (): number => begun++;

/** Reports a call of a recorded run, with its outcome. */
export function reportRecorded(position: number, members: string): void {
  send(`{"recorded":{${members}},"position":${position}}`);
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
