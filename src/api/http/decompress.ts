/** Undoes the compression of an answer's body. */
import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib';

type Unpack = (bytes: Buffer, options: ZlibOptions) => Buffer;

const PACKINGS: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** The body as it was before; an unknown encoding leaves it as it is. Raises zlib's error for one that was cut off or would be larger than `most` bytes. */
export function unpacked(bytes: Buffer, encoding: string, most: number): Buffer {
  const unpack = PACKINGS.get(encoding.trim().toLowerCase());
  return unpack && bytes.length > 0 ? unpack(bytes, { maxOutputLength: most }) : bytes;
}
