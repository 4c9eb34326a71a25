/** Decompresses response bodies. */
import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib';

type Decompressor = (bytes: Buffer, options: ZlibOptions) => Buffer;

const DECOMPRESSORS: ReadonlyMap<string, Decompressor> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** Decompresses a body; one of an unknown encoding is returned unchanged. Throws zlib's error for a truncated body, or one of more than `maxBytes`. */
export function decompress(bytes: Buffer, encoding: string, maxBytes: number): Buffer {
  const decompressor = DECOMPRESSORS.get(encoding.trim().toLowerCase());
  return decompressor && bytes.length > 0 ? decompressor(bytes, { maxOutputLength: maxBytes }) : bytes;
}
