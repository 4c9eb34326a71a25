/** Reads zip archives, in which Yarn stores packages. */
import { readFileSync, statSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { assertRegularFile, createFileError } from '../../files/regular-file.ts';
import { MIB } from './limits.ts';

const MAX_ARCHIVE_BYTES = 256 * MIB;
const END = 'PK\u0005\u0006';
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_SIZE = 46;
const LOCAL_SIZE = 30;

const archives = new Map<string, ReturnType<typeof parseArchive>>();

/** Throws for an entry of more than `limit` bytes (EFBIG), a missing one (ENOENT), and what is no archive. */
export function readArchived(file: string, name: string, limit: number): Buffer {
  const entries = archives.get(file) ?? parseArchive(readLimited(file, MAX_ARCHIVE_BYTES));
  archives.set(file, entries);
  const entry = entries.get(name);
  if (!entry) throw createFileError('ENOENT', name);
  if (entry.size > limit) throw createFileError('EFBIG', name);
  // The declared size may be wrong; more output is an error.
  return entry.isDeflated ? inflateRawSync(entry.bytes, { maxOutputLength: Math.max(1, entry.size) }) : entry.bytes;
}

/** Reads only regular files: opening a pipe may wait, opening a device may have effects. */
export function readLimited(path: string, limit: number): Buffer {
  assertRegularFile(path, statSync(path), limit);
  return readFileSync(path);
}

function parseArchive(zip: Buffer) {
  const entries = new Map<string, { bytes: Buffer; size: number; isDeflated: boolean }>();
  const end = zip.lastIndexOf(END, undefined, 'latin1');
  let at = end < 0 ? zip.length : zip.readUInt32LE(end + 16);
  while (at + CENTRAL_SIZE <= zip.length && zip.readUInt32LE(at) === CENTRAL_SIGNATURE) {
    const nameEnd = at + CENTRAL_SIZE + zip.readUInt16LE(at + 28);
    const local = zip.readUInt32LE(at + 42);
    const start = local + LOCAL_SIZE + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    entries.set(zip.toString('utf8', at + CENTRAL_SIZE, nameEnd), {
      bytes: zip.subarray(start, start + zip.readUInt32LE(at + 20)),
      size: zip.readUInt32LE(at + 24),
      isDeflated: zip.readUInt16LE(at + 10) === 8,
    });
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}
