/** Decodes UTF-8 with precise errors. */
import { isUtf8 } from 'node:buffer';
import { type Position, positionAt } from './source-position.ts';

/** The text, or the problem at the first invalid byte. */
export type DecodeResult = { text: string } | { problem: 'not-utf-8' | 'nul'; found: string; position: Position };

const MAGIC_BYTES: readonly [name: string, bytes: readonly number[]][] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['UTF-16 text (little endian)', [0xff, 0xfe]],
  ['UTF-16 text (big endian)', [0xfe, 0xff]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
];

/** Decodes UTF-8 text without NUL bytes; removes a byte order mark. */
export function decodeUtf8(bytes: Buffer): DecodeResult {
  const format = MAGIC_BYTES.find(([, start]) => start.every((byte, i) => bytes[i] === byte));
  if (format) return { problem: 'not-utf-8', found: format[0], position: { line: 1, column: 1 } };
  const lossy = bytes.toString('utf8');
  if (!isUtf8(bytes)) return { problem: 'not-utf-8', ...findInvalidByte(bytes, lossy) };
  const text = lossy.startsWith('\ufeff') ? lossy.slice(1) : lossy;
  const nul = text.indexOf('\0');
  if (nul >= 0) return { problem: 'nul', found: 'a NUL byte', position: positionAt(text, nul) };
  return { text };
}

/** Finds the first replacement character that is not in the bytes themselves: there they are invalid. */
function findInvalidByte(bytes: Buffer, lossy: string): { found: string; position: Position } {
  let offset = 0;
  let from = 0;
  for (const { index } of lossy.matchAll(/\ufffd/g)) {
    offset += Buffer.byteLength(lossy.slice(from, index));
    from = index;
    if (bytes.readUIntBE(offset, Math.min(3, bytes.length - offset)) !== 0xefbfbd) break;
  }
  const byte = bytes.readUInt8(offset).toString(16).padStart(2, '0');
  const before = lossy.slice(0, from).replace(/^\ufeff/, '');
  return { found: `byte 0x${byte} at offset ${offset}`, position: positionAt(before, before.length) };
}
