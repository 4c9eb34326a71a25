/** Finds the package of a file in `node_modules`, and packages by name. */
import { basename, dirname, join, relative } from 'node:path';
import { splitPath, toSlashes } from '../../files/paths.ts';
import { listAncestors } from '../../files/repository.ts';
import type { FileAccess } from './file-access.ts';
import type { PackageFiles } from './package-json.ts';
import type { PlugAndPlay } from './pnp.ts';

export interface PackageFolder {
  folder: string;
  /** `node_modules/NAME/PATH`, wherever the package manager stores it. */
  displayPath: string;
}

/** Undefined for a file outside `node_modules`. */
export function findPackageFolder(path: string, packages: PackageFiles): PackageFolder | undefined {
  const all = splitPath(path);
  const at = all.lastIndexOf('node_modules', -2);
  if (at < 0) return undefined;
  const parts = all.slice(at);
  const inStore = parts[1]?.startsWith('.') ? findInStore(path, packages) : undefined;
  if (inStore) return inStore;
  const length = parts[1]?.startsWith('@') ? 3 : 2;
  return { folder: parts.slice(length).reduce((folder) => dirname(folder), path), displayPath: parts.join('/') };
}

/** For `node_modules/.store/KEY/package` of Yarn, the name is only in package.json. */
function findInStore(path: string, packages: PackageFiles): PackageFolder | undefined {
  for (const folder of listAncestors(dirname(path))) {
    if (basename(folder) === 'node_modules') return undefined;
    const { name, version } = packages.get(folder) ?? {};
    if (name && version) return { folder, displayPath: toSlashes(join('node_modules', name, relative(folder, path))) };
  }
  return undefined;
}

/** The folder of a package imported from a folder; undefined if it is not installed. */
export function findDependency(
  name: string,
  from: string,
  fileAccess: FileAccess,
  pnp: PlugAndPlay | undefined,
): string | undefined {
  const found = pnp?.find(name, from) ?? 'elsewhere';
  if (found !== 'elsewhere') return found;
  const folders = listAncestors(from).filter((folder) => basename(folder) !== 'node_modules');
  const path = folders
    .map((folder) => join(folder, 'node_modules', name))
    .find((one) => fileAccess.getKind(one) === 'folder');
  return path && fileAccess.realPath(path);
}
