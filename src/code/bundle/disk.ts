/** The file system during one bundle: each path is read once, and Yarn archives are folders. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join, normalize } from 'node:path';
import { findRealPath, splitPath } from '../../files/paths.ts';
import type { Archive, OpenArchive } from './archive.ts';

interface DiskEntry {
  name: string;
  isFolder: boolean;
}

export interface Disk {
  /** Anything but a folder counts as a file; `read` checks that it is a regular one. */
  getKind(path: string): 'file' | 'folder' | undefined;
  /** Undefined if the path does not exist. In an archive, only the path of the archive is resolved. */
  realPath(path: string): string | undefined;
  /** Throws the file system's error; EFTYPE if it is not a regular file, EFBIG if it is larger than `limit`. */
  read(path: string, limit: number): Buffer;
  /** The entries of a folder without links, sorted by name. */
  list(folder: string): DiskEntry[];
}

export function openDisk(openArchive: OpenArchive | undefined): Disk {
  const open = (file: string) => {
    try {
      return openArchive?.(file);
    } catch {
      return undefined;
    }
  };
  const archives = new Map<string, Archive | undefined>();
  const archiveAt = (file: string) => {
    if (!archives.has(file)) archives.set(file, getStatKind(file) === 'file' ? open(file) : undefined);
    return archives.get(file);
  };
  /** The archive that a path is in, and the path in it. */
  const findInArchive = (path: string): { file: string; archive: Archive; rest: string } | undefined => {
    if (!openArchive) return undefined;
    const [, file, rest] = /^(.*?\.zip)[/\\](.*)$/s.exec(path) ?? [];
    const archive = file === undefined ? undefined : archiveAt(file);
    return archive && { file: file as string, archive, rest: (rest as string).replaceAll('\\', '/') };
  };
  return {
    getKind: memoize((virtual) => {
      const path = resolveVirtualPath(virtual);
      const found = findInArchive(path);
      return found ? found.archive.getKind(found.rest) : getStatKind(path);
    }),
    realPath: memoize((virtual) => {
      const path = resolveVirtualPath(virtual);
      const found = findInArchive(path);
      if (!found) return findRealPath(path);
      const file = found.archive.getKind(found.rest) && findRealPath(found.file);
      return file && join(file, found.rest);
    }),
    read: (path, limit) => {
      const found = findInArchive(path);
      return found ? found.archive.read(found.rest, limit) : readLimited(path, limit);
    },
    list: (folder) =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || entry.isFile())
        .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function memoize<T>(compute: (path: string) => T): (path: string) => T {
  const results = new Map<string, T>();
  return (path) => {
    if (!results.has(path)) results.set(path, compute(path));
    return results.get(path) as T;
  };
}

function getStatKind(path: string): 'file' | 'folder' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

/** `path` is a real path; links are not followed. Opens only regular files: opening a device may have effects. */
function readLimited(path: string, limit: number): Buffer {
  assertReadable(lstatSync(path), path, limit);
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const stats = fstatSync(fd);
    assertReadable(stats, path, limit);
    const bytes = Buffer.allocUnsafe(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}

function assertReadable(stats: Stats, path: string, limit: number): void {
  const code = stats.isDirectory() ? 'EISDIR' : stats.isFile() ? 'EFBIG' : 'EFTYPE';
  if (code === 'EFBIG' && stats.size <= limit) return;
  throw Object.assign(new Error(`${code}: ${path}`), { code, path });
}

/** Yarn's `__virtual__/ID/N` in a path means: N folders higher. So a package can exist with different dependencies. */
function resolveVirtualPath(path: string): string {
  const parts = splitPath(path);
  const at = parts.findIndex((part) => part === '__virtual__' || part === '$$virtual');
  const up = Number(parts[at + 2]);
  if (at < 0 || !Number.isInteger(up) || up < 0 || up > at) return path;
  return normalize([...parts.slice(0, at - up), ...parts.slice(at + 3)].join('/'));
}
