/** Which files may become part of a bundle: those of the repository and its packages, not any file of the machine. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { reasonOf } from '../file-error.ts';
import { findRealPath, isWithin } from '../files/paths.ts';
import { fileFault } from '../regular-file.ts';

/**
 * Tells of a path whether it may be bundled into the formula of a folder, which is given by its real path.
 * `closed`: folders that nothing is taken from.
 */
export function inputCheck(folder: string, closed: readonly string[]): (path: string) => boolean {
  const ancestors = ancestorsOf(folder);
  const open = [rootOf(ancestors) ?? folder, ...ancestors.flatMap(packagesOf)];
  const shut = closed.flatMap((path) => [path, findRealPath(path) ?? path]);
  const isIn = (path: string, folders: readonly string[]) => folders.some((one) => isWithin(path, one));
  return (path) => {
    const real = findRealPath(path);
    // A package manager may keep packages in archives, which the bundler looks into.
    if (real === undefined) return /\.zip[/\\]node_modules[/\\]/.test(path);
    return isIn(real, open) && !isIn(real, shut);
  };
}

/** Why a file cannot be bundled: the bundler would wait at a pipe for ever. What is not there, or in an archive, is its own matter. */
export function inputFault(path: string): string | undefined {
  try {
    const code = fileFault(path);
    return code && reasonOf({ code });
  } catch {
    return undefined;
  }
}

const ancestorsOf = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...ancestorsOf(dirname(folder))];

/** The top of the working copy; where there is none, the nearest package. */
const rootOf = (ancestors: readonly string[]) =>
  ancestors.find((folder) => VERSIONED.some((name) => existsSync(join(folder, name)))) ??
  ancestors.find((folder) => existsSync(join(folder, 'package.json')));

const VERSIONED = ['.git', '.hg', '.svn'];

/** The packages that Node.js finds from a folder; a link counts as such only if it leads to such a folder again. */
function packagesOf(folder: string): string[] {
  const real = findRealPath(join(folder, 'node_modules'));
  return real !== undefined && basename(real) === 'node_modules' ? [real] : [];
}
