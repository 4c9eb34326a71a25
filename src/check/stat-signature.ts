/** Whether a folder is still what was read of it: told by what the file system notes of it, in a tenth of the time of reading it again. */
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderContents } from '../folder/read.ts';

/** A folder, and the files that were read of it. */
export interface StatSignature {
  paths: readonly string[];
  signature: string;
}

/** Of two changes that follow each other as soon as this (in milliseconds) a file system may note the same time. */
const TICK_MS = 100;

/**
 * The stamp of a folder after it was read. `begunAt` is when the reading began (in milliseconds since 1970); undefined
 * where something was changed since then, or just before: what was read may be another state than is noted.
 */
export function readStatSignature(
  path: string,
  { manifest, code, icons }: FolderContents,
  startedAt: number,
): StatSignature | undefined {
  const files = [manifest, code, ...icons].filter(({ state }) => state === 'read');
  const paths = [path, ...files.map(({ file }) => join(path, file))];
  const found = paths.map(tryStat);
  const isSettled = found.every((stats) => stats && stats.ctimeMs < startedAt - TICK_MS);
  return isSettled ? { paths, signature: found.map(formatStats).join() } : undefined;
}

/** True where none of it was changed, replaced or removed. */
export const isUnchanged = ({ paths, signature }: StatSignature): boolean =>
  paths.map(tryStat).map(formatStats).join() === signature;

/** What is noted of a file; undefined where it is gone, or cannot be looked at any more. */
function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** The time of the last change cannot be set as that of the last writing can. */
const formatStats = (stats: Stats | undefined) =>
  stats && [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':');
