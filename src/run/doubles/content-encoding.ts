/** The content encodings of doubles, which zlib of Node.js has functions for. */
import { attempt } from '../../errors.ts';

const FUNCTIONS = {
  gzip: ['gzipSync', 'gunzipSync'],
  'x-gzip': ['gzipSync', 'gunzipSync'],
  br: ['brotliCompressSync', 'brotliDecompressSync'],
  deflate: ['deflateSync', 'inflateSync'],
} as const;

const isKnown = (name: string): name is keyof typeof FUNCTIONS => Object.hasOwn(FUNCTIONS, name);

/** Whether text can be sent in an encoding. */
export const isEncoding = (name: string): boolean => isKnown(name.toLowerCase()) || /^(identity)?$/i.test(name);

export const compress = (bytes: Buffer, encoding: string): Buffer => convert(bytes, encoding, 0);

/** The bytes themselves if they cannot be decompressed. */
export const decompress = (bytes: Buffer, encoding: string): Buffer =>
  attempt(() => convert(bytes, encoding, 1)) ?? bytes;

function convert(bytes: Buffer, encoding: string, direction: 0 | 1): Buffer {
  const name = encoding.toLowerCase();
  if (!isKnown(name)) return bytes;
  const zlib = require('node:zlib') as typeof import('node:zlib');
  return zlib[FUNCTIONS[name][direction]](bytes);
}
