/** Finds symbolic links that would redirect a write. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toRelative } from './paths.ts';
import { tryLstat, tryStat } from './try-stat.ts';

/**
 * The first symbolic link between `root` (a real path) and a folder in it, or among the folder's files that `isWritten`
 * selects; undefined if there is none.
 */
export function findSymlink(root: string, folder: string, isWritten: (name: string) => boolean): string | undefined {
  const isSymlink = (path: string) => tryLstat(path)?.isSymbolicLink() ?? false;
  let path = root;
  for (const part of toRelative(root, folder).split('/')) {
    path = join(path, part);
    if (isSymlink(path)) return path;
  }
  const names = tryStat(folder)?.isDirectory() ? readdirSync(folder) : [];
  return names
    .filter(isWritten)
    .map((name) => join(folder, name))
    .find(isSymlink);
}
