/** Identifies an icon by its bytes, and encodes it as a data URL. */
import { identifyForeignText } from '../text/foreign-text.ts';

export type IconType = 'image/png' | 'image/jpeg';

/** A usable icon, or what the bytes are instead. */
export type IconKind = { type: IconType; problem: 'truncated' | undefined } | { type: undefined; found: string };

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Identifies an image by its bytes, and checks its chunks or segments. */
export function identifyIcon(bytes: Buffer): IconKind {
  if (bytes.length === 0) return { type: undefined, found: 'empty' };
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE))
    return { type: 'image/png', problem: isCompletePng(bytes) ? undefined : 'truncated' };
  if (bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xffd8ff)
    return { type: 'image/jpeg', problem: isCompleteJpeg(bytes) ? undefined : 'truncated' };
  if (bytes.subarray(0, 4).equals(PNG_SIGNATURE.subarray(0, 4)))
    return {
      type: undefined,
      found: 'a PNG whose line endings were converted (mark *.png as binary in .gitattributes)',
    };
  return { type: undefined, found: identifyForeignFormat(bytes) };
}

/** PNG: chunks of length, name, data, and checksum up to IEND; what follows is ignored. */
function isCompletePng(bytes: Buffer): boolean {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    // Apple's tools write a CgBI chunk first.
    if (at === 8 && name !== 'IHDR' && name !== 'CgBI') return false;
    if (name === 'IEND') return end <= bytes.length;
    at = end;
  }
  return false;
}

const JPEG_END = 0xd9;
const JPEG_SCAN = 0xda;

/** JPEG: the markers up to the first scan, which is complete if an end follows (that of a thumbnail is skipped). */
function* listJpegMarkers(bytes: Buffer): Generator<{ marker: number; at: number }> {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes.readUInt8(at + 1);
    yield { marker, at };
    if (marker === JPEG_SCAN || marker === JPEG_END) return;
    // TEM, RST0 to RST7, and a second SOI have no length; 0xff is padding.
    const hasLength = marker !== 0x01 && (marker < 0xd0 || marker > 0xd8);
    at += marker === 0xff ? 1 : hasLength ? 2 + bytes.readUInt16BE(at + 2) : 2;
  }
}

function isCompleteJpeg(bytes: Buffer): boolean {
  for (const { marker, at } of listJpegMarkers(bytes))
    if (marker === JPEG_SCAN) return bytes.indexOf(Buffer.from([0xff, JPEG_END]), at) > 0;
  return false;
}

/** The start-of-frame markers (SOF) are 0xc0 to 0xcf, except for three. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Width and height in pixels; undefined if unknown. */
export function readIconSize(bytes: Buffer): { width: number; height: number } | undefined {
  const { type } = identifyIcon(bytes);
  if (type === 'image/png') {
    const at = bytes.subarray(0, 64).indexOf('IHDR');
    if (at < 0 || at + 12 > bytes.length) return undefined;
    return { width: bytes.readUInt32BE(at + 4), height: bytes.readUInt32BE(at + 8) };
  }
  for (const { marker, at } of type === 'image/jpeg' ? listJpegMarkers(bytes) : [])
    if (isFrame(marker) && at + 9 <= bytes.length)
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  return undefined;
}

const FORMATS: readonly [name: string, pattern: RegExp][] = [
  ['a GIF image', /^GIF8/],
  ['a WebP image', /^RIFF....WEBP/s],
  ['an SVG image', /^<(svg[\s/>]|!doctype svg)/i],
  ['an HTML page', /^<(!doctype html|html|head|body)/i],
];

function identifyForeignFormat(bytes: Buffer): string {
  const start = stripProlog(bytes.toString('latin1', 0, 1024));
  return identifyForeignText(start) ?? FORMATS.find(([, pattern]) => pattern.test(start))?.[0] ?? 'an unknown format';
}

/** Skips byte order mark, whitespace, declarations, and comments one by one: one pattern for all could backtrack forever. */
function stripProlog(text: string): string {
  let rest = text.replace(/^\xef\xbb\xbf/, '');
  for (let skipped = '?'; skipped !== ''; rest = rest.slice(skipped.length))
    skipped = /^(?:\s+|<\?.*?\?>|<!--.*?-->)/s.exec(rest)?.[0] ?? '';
  return rest;
}

/** The icon as a base64 data URL (spec 2.3), with the type of its bytes. */
export function toIconDataUrl(bytes: Buffer): string {
  const kind = identifyIcon(bytes);
  return `data:${kind.type ?? 'application/octet-stream'};base64,${bytes.toString('base64')}`;
}
