/** Paths: as text, which systems write differently, and as the file system knows them. */
import { realpathSync } from 'node:fs';
import systemPaths, { type PlatformPath, posix, win32 } from 'node:path';

/** The rules for paths on a platform, as `Host.platform` names it. */
export const getPlatformPaths = (platform: string): PlatformPath => (platform === 'win32' ? win32 : posix);

/** Whether the permission bits of a file say who can change it, as on POSIX systems. */
export const HAS_MODES = systemPaths.sep === '/';

/** The path with `/` between folders on every system. On POSIX, a backslash is part of a name and stays. */
export const toSlashes = (path: string, { sep }: Pick<PlatformPath, 'sep'> = systemPaths): string =>
  path.replaceAll(sep, '/');

/** The names of the folders and the file that a path consists of. */
export const splitPath = (path: string, { sep }: Pick<PlatformPath, 'sep'> = systemPaths): string[] => path.split(sep);

/** The path from a folder, with `/`; it begins with `..` outside of the folder and is absolute on another drive. */
export const toRelative = (folder: string, path: string, paths: PlatformPath = systemPaths): string =>
  toSlashes(paths.relative(folder, path), paths);

/** The path of a file in a folder for messages and reports: with `/`, so that it is the same on every system. */
export const toDisplayPath = (folder: string, file: string, paths: PlatformPath = systemPaths): string =>
  toSlashes(paths.join(folder, file), paths);

/** Whether an absolute path is a folder or something in it. */
export const isWithin = (path: string, folder: string, { sep }: Pick<PlatformPath, 'sep'> = systemPaths): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/**
 * The path without symbolic links, in the letter case of the disk, so that one folder has one path however it was
 * typed. Throws the file system's error.
 */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Some drivers of Windows (RAM disks) do not support the native call.
    return realpathSync(path);
  }
}

/** The same; undefined where there is no such file, or its folders cannot be entered. */
export function findRealPath(path: string): string | undefined {
  try {
    return realPath(path);
  } catch {
    return undefined;
  }
}
