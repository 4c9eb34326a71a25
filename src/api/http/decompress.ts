/** Undoes the compression of an answer's body. */
import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib';

type Decompressor = (bytes: Buffer, options: ZlibOptions) => Buffer;

const DECOMPRESSORS: ReadonlyMap<string, Decompressor> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** The body as it was before; an unknown encoding leaves it as it is. Raises zlib's error for one that was cut off or would be larger than `most` bytes. */
export function decompress(bytes: Buffer, encoding: string, maxBytes: number): Buffer {
  const decompressor = DECOMPRESSORS.get(encoding.trim().toLowerCase());
  return decompressor && bytes.length > 0 ? decompressor(bytes, { maxOutputLength: maxBytes }) : bytes;
}
