/** Decodes response bodies: UTF-8, or the declared charset. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { attempt } from '../../errors.ts';
import type { HttpResponse } from './http.ts';

export type DecodedBody = { utf8: Buffer } | { problem: string };

type EncodedBody = Pick<HttpResponse, 'headers' | 'body'>;

/** Converts a body to UTF-8 without a byte order mark. Invalid bytes are a `problem`, which follows "but" in messages. */
export function decodeBody({ headers, body }: EncodedBody): DecodedBody {
  const label = detectByteOrderMark(body) ?? parseCharset(headers['content-type']) ?? 'utf-8';
  const decoder = attempt(() => new TextDecoder(label, { fatal: true }));
  if (!decoder) return { problem: `the response declares the charset ${label}, which is unknown` };
  // Many services label UTF-8 as Latin-1, the default of their framework (for JSON the label has no effect, RFC 8259).
  const isUnicode = decoder.encoding === 'utf-8' || decoder.encoding === 'windows-1252';
  if (isUnicode && isUtf8(body)) return { utf8: body.subarray(hasUtf8Mark(body) ? 3 : 0) };
  if (decoder.encoding === 'windows-1252') return { utf8: Buffer.from(decodeWindows1252(body)) };
  const text = attempt(() => decoder.decode(body));
  return text === undefined
    ? { problem: `the response is not valid ${label.toUpperCase()}` }
    : { utf8: Buffer.from(text) };
}

/** The characters of the bytes 0x80 to 0x9f. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The decoder of Node.js 20 decodes these bytes as Latin-1, to control characters. */
const decodeWindows1252 = (body: Buffer): string =>
  body.toString('latin1').replace(/[\u0080-\u009f]/g, (char) => WINDOWS_1252.charAt(char.charCodeAt(0) - 0x80));

/** Decodes a body for display; invalid bytes become replacement characters. */
export function toDisplayText(response: EncodedBody): string {
  const decoded = decodeBody(response);
  return ('utf8' in decoded ? decoded.utf8 : response.body).toString('utf8');
}

const hasUtf8Mark = (body: Buffer) => body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;

function detectByteOrderMark(body: Buffer): string | undefined {
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return body[0] === 0xff && body[1] === 0xfe ? 'utf-16le' : undefined;
}

function parseCharset(contentType = ''): string | undefined {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}
