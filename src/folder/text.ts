/** Bytes to text and offsets to places: the two things that every message about a file needs. */
import { isUtf8 } from 'node:buffer';


/** A place in a text: line and column count from 1, the column in UTF-16 units as editors count it. */
export interface Position {
  line: number;
  column: number;
}

/** A text, or the byte offset and place where it stops being UTF-8 text. */
export type Decoded = { text: string } | { fault: 'not-utf-8' | 'nul'; found: string; position: Position };

/** Turns an offset of `text` into a place. LF, CR LF, a lone CR, U+2028 and U+2029 end a line where `breaks` says so. */
export function positionAt(text: string, offset: number, breaks: RegExp = /\r\n|[\n\r]/g): Position {
  let line = 1;
  let start = 0;
  for (const found of text.matchAll(breaks)) {
    const end = found.index + found[0].length;
    if (end > offset) break;
    line++;
    start = end;
  }
  return { line, column: offset - start + 1 };
}

const NAMED_ENCODINGS: readonly [name: string, bytes: readonly number[]][] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['UTF-16 text (little endian)', [0xff, 0xfe]],
  ['UTF-16 text (big endian)', [0xfe, 0xff]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
];

/** Decodes bytes that must be UTF-8 text without NUL; a byte order mark is left out of the text. */
export function decodeText(bytes: Buffer): Decoded {
  const named = NAMED_ENCODINGS.find(([, start]) => start.every((byte, i) => bytes[i] === byte));
  if (named) return { fault: 'not-utf-8', found: named[0], position: { line: 1, column: 1 } };
  const lossy = bytes.toString('utf8');
  if (!isUtf8(bytes)) return { fault: 'not-utf-8', ...firstBadByte(bytes) };
  const text = lossy.startsWith('\ufeff') ? lossy.slice(1) : lossy;
  const nul = text.indexOf('\0');
  if (nul >= 0) return { fault: 'nul', found: 'a NUL byte', position: positionAt(text, nul) };
  return { text };
}

function firstBadByte(bytes: Buffer): { found: string; position: Position } {
  let [good, bad] = [0, bytes.length];
  // The longest decodable start: cutting inside a character can look bad too, so only whole prefixes are compared.
  while (good < bad) {
    const middle = (good + bad + 1) >> 1;
    if (isUtf8Start(bytes.subarray(0, middle))) good = middle;
    else bad = middle - 1;
  }
  const before = bytes.subarray(0, good).toString('utf8').replace(/\ufffd+$/, '').replace(/^\ufeff/, '');
  const byte = bytes[good] ?? 0;
  return { found: `byte 0x${byte.toString(16).padStart(2, '0')} at offset ${good}`, position: positionAt(before, before.length) };
}

/** True if the bytes are UTF-8 but for a last character that may be cut off. */
function isUtf8Start(bytes: Buffer): boolean {
  return [0, 1, 2, 3].some((cut) => cut <= bytes.length && isUtf8(bytes.subarray(0, bytes.length - cut)) && isCut(bytes, cut));
}

function isCut(bytes: Buffer, cut: number): boolean {
  if (cut === 0) return true;
  const lead = bytes[bytes.length - cut] ?? 0;
  const length = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  return length > cut && bytes.subarray(bytes.length - cut + 1).every((byte) => (byte & 0xc0) === 0x80);
}
