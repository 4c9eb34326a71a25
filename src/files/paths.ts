/** Paths, independent of the platform's separators. */
import { realpathSync } from 'node:fs';
import systemPaths, { type PlatformPath, posix, win32 } from 'node:path';
import { attempt } from '../errors.ts';

/** The path functions for a value of `Host.platform`. */
export const getPlatformPaths = (platform: string): PlatformPath => (platform === 'win32' ? win32 : posix);

/** Whether files have POSIX permission bits. */
export const HAS_MODES = systemPaths.sep === '/';

/** The path with `/` as its separator. On POSIX, a backslash is part of a name and is preserved. */
export const toSlashes = (path: string, { sep }: Pick<PlatformPath, 'sep'> = systemPaths): string =>
  path.replaceAll(sep, '/');

/** The segments of a path. */
export const splitPath = (path: string, { sep }: Pick<PlatformPath, 'sep'> = systemPaths): string[] => path.split(sep);

/** The path relative to a folder, with `/`; it starts with `..` outside of the folder and is absolute on another drive. */
export const toRelative = (folder: string, path: string, paths: PlatformPath = systemPaths): string =>
  toSlashes(paths.relative(folder, path), paths);

/** The path of a folder (absolute and real) for messages: relative to the current folder, which is `.`. */
export const toDisplayFolder = (cwd: string, path: string): string => toRelative(findRealPath(cwd) ?? cwd, path) || '.';

/** The path of a file in a folder, with `/`, for messages and reports. */
export const toDisplayPath = (folder: string, file: string, paths: PlatformPath = systemPaths): string =>
  toSlashes(paths.join(folder, file), paths);

/** Whether an absolute path is the folder or in it. */
export const isWithin = (path: string, folder: string, { sep }: Pick<PlatformPath, 'sep'> = systemPaths): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/**
 * The path without symbolic links, in the letter case of the disk: the same for every way to write the path. Throws the
 * file system's error.
 */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    // Some drivers of Windows (RAM disks) do not support the native call.
    return realpathSync(path);
  }
}

/** The same; undefined if the file does not exist or is not accessible. */
export const findRealPath = (path: string): string | undefined => attempt(() => realPath(path));

/** The real path of what need not exist. */
export function toRealPath(path: string): string {
  const parent = systemPaths.dirname(path);
  return (
    findRealPath(path) ?? (parent === path ? path : systemPaths.join(toRealPath(parent), systemPaths.basename(path)))
  );
}

/** Whether a path is a pipe for this command alone, as `<(…)` of a shell passes it: no other command can read it. */
export const isPassedPipe = (path: string): boolean => /^\/(dev\/(fd|stdin)|proc\/)/.test(path);
