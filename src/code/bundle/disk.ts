/** What the resolver sees of the disk during one bundle: each path is looked at once, and archives of Yarn are folders. */
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

export interface Entry {
  name: string;
  isFolder: boolean;
}

export interface Disk {
  /** What is not a folder counts as a file; that it is a regular one shows when it is read. */
  kindOf(path: string): 'file' | 'folder' | undefined;
  /** Undefined where there is nothing. In an archive, it is the real path of the archive that counts. */
  realPath(path: string): string | undefined;
  /** Throws the file system's error; EFTYPE and EFBIG for what is not a regular file, or is larger than `limit`. */
  read(path: string, limit: number): Buffer;
  /** The entries of a folder, sorted by name, links left out. */
  list(folder: string): Entry[];
}

/** Without `openArchive` an archive is a file like others. */
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
    if (!archives.has(file)) archives.set(file, statKind(file) === 'file' ? open(file) : undefined);
    return archives.get(file);
  };
  /** The archive that a path is in, and the path in it. */
  const inArchive = (path: string): { file: string; archive: Archive; rest: string } | undefined => {
    if (!openArchive) return undefined;
    const [, file, rest] = /^(.*?\.zip)[/\\](.*)$/s.exec(path) ?? [];
    const archive = file === undefined ? undefined : archiveAt(file);
    return archive && { file: file as string, archive, rest: (rest as string).replaceAll('\\', '/') };
  };
  return {
    kindOf: once((virtual) => {
      const path = withoutVirtual(virtual);
      const found = inArchive(path);
      return found ? found.archive.kindOf(found.rest) : statKind(path);
    }),
    realPath: once((virtual) => {
      const path = withoutVirtual(virtual);
      const found = inArchive(path);
      if (!found) return findRealPath(path);
      const file = found.archive.kindOf(found.rest) && findRealPath(found.file);
      return file && join(file, found.rest);
    }),
    read: (path, limit) => {
      const found = inArchive(path);
      return found ? found.archive.read(found.rest, limit) : readWithin(path, limit);
    },
    list: (folder) =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || entry.isFile())
        .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function once<T>(ask: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    if (!known.has(path)) known.set(path, ask(path));
    return known.get(path) as T;
  };
}

function statKind(path: string): 'file' | 'folder' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

/** `path` is a real path: a link in its place is not followed. Only a regular file is opened, as a device may react to it. */
function readWithin(path: string, limit: number): Buffer {
  checkStats(lstatSync(path), path, limit);
  const opened = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const stats = fstatSync(opened);
    checkStats(stats, path, limit);
    const bytes = Buffer.allocUnsafe(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(opened, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(opened);
  }
}

function checkStats(stats: Stats, path: string, limit: number): void {
  const code = stats.isDirectory() ? 'EISDIR' : stats.isFile() ? 'EFBIG' : 'EFTYPE';
  if (code === 'EFBIG' && stats.size <= limit) return;
  throw Object.assign(new Error(`${code}: ${path}`), { code, path });
}

/**
 * A path of Yarn with `__virtual__/ID/N` in it stands for the path N folders higher: so a package may exist several
 * times, with different dependencies.
 */
export function withoutVirtual(path: string): string {
  const parts = splitPath(path);
  const at = parts.findIndex((part) => part === '__virtual__' || part === '$$virtual');
  const up = Number(parts[at + 2]);
  if (at < 0 || !Number.isInteger(up) || up < 0 || up > at) return path;
  return normalize([...parts.slice(0, at - up), ...parts.slice(at + 3)].join('/'));
}
