/** Reads entries of zip archives, in which Yarn stores packages. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

export interface Archive {
  /** The kind of a path in the archive: with `/`, but not at its start or end. */
  getKind(path: string): 'file' | 'folder' | undefined;
  /** Throws (EFBIG) for more than `limit` bytes. */
  read(path: string, limit: number): Buffer;
}

type OpenArchive = (file: string) => Archive | undefined;

interface ArchiveEntry {
  offset: number;
  compressedSize: number;
  size: number;
  isDeflated: boolean;
}

const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
/** The last record: 22 bytes, and a comment of up to 64 KiB. */
const END = { signature: 0x06054b50, size: 22, maxComment: 65_535 };
const CENTRAL = { signature: 0x02014b50, size: 46 };
const LOCAL = { signature: 0x04034b50, size: 30 };

/** Undefined if the file is not a zip archive. The file is open only while it is read. */
export const openArchive: OpenArchive = (file) => {
  const entries = withFile(file, readDirectory);
  if (!entries) return undefined;
  const folders = new Set<string>(['']);
  for (const name of entries.keys()) {
    for (
      let end = name.lastIndexOf('/');
      end > 0 && !folders.has(name.slice(0, end));
      end = name.lastIndexOf('/', end - 1)
    )
      folders.add(name.slice(0, end));
  }
  return {
    getKind: (path) => (folders.has(path.replace(/\/$/, '')) ? 'folder' : entries.has(path) ? 'file' : undefined),
    read: (path, limit) => {
      const entry = entries.get(path);
      if (!entry) throw createFileError('ENOENT', path);
      if (entry.size > limit || entry.compressedSize > limit) throw createFileError('EFBIG', path);
      return withFile(file, (opened) => readEntry(opened, entry, limit)) ?? Buffer.alloc(0);
    },
  };
};

const createFileError = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code, path });

function withFile<T>(file: string, read: (fd: number, size: number) => T): T | undefined {
  const opened = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(opened);
    return stats.isFile() ? read(opened, stats.size) : undefined;
  } finally {
    closeSync(opened);
  }
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, position));
}

function readDirectory(fd: number, size: number): Map<string, ArchiveEntry> | undefined {
  const tailStart = Math.max(0, size - END.size - END.maxComment);
  const tail = readAt(fd, tailStart, size - tailStart);
  let end = tail.length - END.size;
  while (end >= 0 && tail.readUInt32LE(end) !== END.signature) end--;
  if (end < 0) return undefined;
  const [length, start] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (length > MAX_DIRECTORY_BYTES || start + length > size) return undefined;
  return parseEntries(readAt(fd, start, length));
}

function parseEntries(directory: Buffer): Map<string, ArchiveEntry> {
  const entries = new Map<string, ArchiveEntry>();
  let at = 0;
  while (at + CENTRAL.size <= directory.length && directory.readUInt32LE(at) === CENTRAL.signature) {
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + CENTRAL.size, at + CENTRAL.size + nameLength);
    const method = directory.readUInt16LE(at + 10);
    if ((method === 0 || method === 8) && !name.endsWith('/')) {
      entries.set(name, {
        compressedSize: directory.readUInt32LE(at + 20),
        size: directory.readUInt32LE(at + 24),
        offset: directory.readUInt32LE(at + 42),
        isDeflated: method === 8,
      });
    }
    at += CENTRAL.size + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

function readEntry(fd: number, { offset, compressedSize, size, isDeflated }: ArchiveEntry, limit: number): Buffer {
  const header = readAt(fd, offset, LOCAL.size);
  if (header.length < LOCAL.size || header.readUInt32LE(0) !== LOCAL.signature) throw createFileError('EIO', 'archive');
  const start = offset + LOCAL.size + header.readUInt16LE(26) + header.readUInt16LE(28);
  const bytes = readAt(fd, start, compressedSize);
  if (!isDeflated) return bytes;
  // The declared size may be wrong; more output is an error.
  return inflateRawSync(bytes, { maxOutputLength: Math.max(1, Math.min(limit, size)) });
}
