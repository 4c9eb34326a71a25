/** Which package a file in a `node_modules` folder belongs to. */
import { basename, dirname, join, relative, sep } from 'node:path';
import { splitPath, toSlashes } from '../../files/paths.ts';
import { ancestorsOf } from '../../files/repository.ts';
import type { PackageFiles } from './package-json.ts';

export interface PackageFolder {
  folder: string;
  /** `node_modules/NAME/PATH`, wherever a package manager keeps it. */
  shown: string;
}

/** Undefined for a file that is in no `node_modules` folder. */
export function findPackageFolder(path: string, packages: PackageFiles): PackageFolder | undefined {
  const at = path.lastIndexOf(`${sep}node_modules${sep}`);
  if (at < 0) return undefined;
  const parts = splitPath(path.slice(at + 1));
  const kept = parts[1]?.startsWith('.') ? findKept(path, packages) : undefined;
  if (kept) return kept;
  const length = parts[1]?.startsWith('@') ? 3 : 2;
  return { folder: parts.slice(length).reduce((folder) => dirname(folder), path), shown: parts.join('/') };
}

/** Yarn can keep packages in `node_modules/.store/KEY/package`: then only package.json tells the name. */
function findKept(path: string, packages: PackageFiles): PackageFolder | undefined {
  for (const folder of ancestorsOf(dirname(path))) {
    if (basename(folder) === 'node_modules') return undefined;
    const { name, version } = packages.in(folder) ?? {};
    if (name && version) return { folder, shown: toSlashes(join('node_modules', name, relative(folder, path))) };
  }
  return undefined;
}
