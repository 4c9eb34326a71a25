/** The channel to the tool: each line carries the token, which the formula never sees. */
import { readFileSync, readSync, writeSync } from 'node:fs';
import { type ChildRequest, TOKEN_LENGTH } from '../protocol.ts';

const { apply } = Reflect;
const { byteLength } = Buffer;
const { defineProperty } = Object;
// Arrays of bytes of their own: the memory that buffers share can be read by anyone in this process.
const Bytes = Uint8Array;
const { set, fill } = Bytes.prototype;
const encoder = new TextEncoder();
const { encodeInto } = encoder;
const write = writeSync;
const CHANNEL = 3;
const BLANK = ' '.repeat(TOKEN_LENGTH);

const token = readToken();
/** What is to be run. It follows the token on standard input. */
export const request: ChildRequest = JSON.parse(readFileSync(0, 'utf8'));

/** The first bytes of stdin. They are never made a text, which could be found in a picture of the heap. */
function readToken(): Uint8Array {
  const bytes = new Bytes(TOKEN_LENGTH);
  for (let at = 0; at < TOKEN_LENGTH; ) {
    const read = readSync(0, bytes, at, TOKEN_LENGTH - at, null);
    if (read === 0) process.exit();
    at += read;
  }
  return bytes;
}

/** Writes a line whole, whatever state the pipe is in. While the token is in it, nothing is called that can be replaced. */
export function say(json: string): void {
  const size = byteLength(json) + TOKEN_LENGTH + 2;
  const line = new Bytes(size);
  // A line feed first: what the formula may have written to the channel is a line of its own.
  apply(encodeInto, encoder, [`\n${BLANK}${json}\n`, line]);
  // Node.js asks for it, and would ask a getter of the formula.
  defineProperty(line, 'byteLength', { __proto__: null, value: size } as PropertyDescriptor);
  apply(set, line, [token, 1]);
  for (let at = 0; at < size; ) {
    try {
      at += write(CHANNEL, line, at, size - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') break;
    }
  }
  apply(fill, line, [0]);
}
