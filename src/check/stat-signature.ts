/** Detects changes of a folder by the metadata of its files, in a tenth of the time of reading them again. */
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderContents } from '../folder/read.ts';

/** Metadata of a folder and the files that were read. */
export interface StatSignature {
  paths: readonly string[];
  signature: string;
}

/** Resolution of file times in milliseconds: two changes within it may have the same time. */
const TICK_MS = 100;

/**
 * The signature of a folder that was read. `startedAt` is the time before the read (milliseconds since 1970); undefined
 * if a file changed after that or just before, since the content that was read may then be older than the metadata.
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

/** Whether no file was changed, replaced, or removed. */
export const isUnchanged = ({ paths, signature }: StatSignature): boolean =>
  paths.map(tryStat).map(formatStats).join() === signature;

/** The metadata of a file; undefined if it is missing or not accessible. */
function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Includes ctime because, unlike mtime, it cannot be set by programs. */
const formatStats = (stats: Stats | undefined) =>
  stats && [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':');
