/** The channel to the tool: each line starts with the token of the invocation, which the formula does not get. */
import { readFileSync, readSync, writeSync } from 'node:fs';
import { attempt } from '../../errors.ts';
import { type ChildRequest, TOKEN_LENGTH } from '../protocol.ts';

// Captured before code of the formula can replace them.
const { apply } = Reflect;
const encoder = new TextEncoder();
const { encode } = encoder;
const write = writeSync;
const read = readSync;
const { alloc, concat } = Buffer;
const { parse } = JSON;
const { slice } = String.prototype;
const CHANNEL = 3;
const MAX_PART = 2 ** 16;
const LINE_FEED = 10;

let token = '';
/** The request of the current invocation. */
export let request = parseRequest(readFileSync(0, 'utf8'));

/** The request follows its token. */
function parseRequest(text: string): ChildRequest {
  token = apply(slice, text, [0, TOKEN_LENGTH]);
  return parse(apply(slice, text, [TOKEN_LENGTH]));
}

/** Blocks until the tool sends the request of another test; false if it does not. */
export function readNextRequest(): boolean {
  const parts: Buffer[] = [];
  for (;;) {
    const part = alloc(MAX_PART);
    const length = attempt(() => read(CHANNEL, part, 0, MAX_PART, null)) ?? 0;
    if (length === 0) return false;
    parts[parts.length] = part.subarray(0, length);
    if (part[length - 1] === LINE_FEED) break;
  }
  request = parseRequest(concat(parts).toString());
  return true;
}

/** Marks the end of the output of a test; false if it cannot be written. */
export function endOutput(): boolean {
  return [1, 2].every((descriptor) => attempt(() => write(descriptor, token)) !== undefined);
}

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
