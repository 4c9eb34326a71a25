/** Compares packages: the same version with the same dependencies is bundled once. */
import type { FileAccess } from './file-access.ts';
import { findDependency } from './package-folder.ts';
import type { PackageFiles } from './package-json.ts';
import type { PlugAndPlay } from './pnp.ts';

export type IsSamePackage = (a: string, b: string) => boolean;

/** Beyond this number of dependencies, packages count as different. */
const MAX_PAIRS = 1000;

export function createPackageComparison(
  fileAccess: FileAccess,
  packages: PackageFiles,
  pnp: PlugAndPlay | undefined,
): IsSamePackage {
  const results = new Map<string, boolean>();
  const findFolder = (name: string, from: string) => findDependency(name, from, fileAccess, pnp);

  /** Pairs being compared count as equal, because dependencies may be circular. */
  function isSame(a: string, b: string, compared: Set<string>): boolean {
    const pair = `${a}\0${b}`;
    if (a === b || compared.has(pair)) return true;
    compared.add(pair);
    const [one, other] = [packages.get(a), packages.get(b)];
    if (!one?.version || one.version !== other?.version || one.name !== other.name) return false;
    if (compared.size > MAX_PAIRS) return false;
    return [...new Set([...one.dependencies, ...other.dependencies])].every((name) => {
      const [first, second] = [findFolder(name, a), findFolder(name, b)];
      return first === undefined || second === undefined ? first === second : isSame(first, second, compared);
    });
  }

  return (a, b) => {
    const pair = `${a}\0${b}`;
    if (!results.has(pair)) results.set(pair, isSame(a, b, new Set()));
    return results.get(pair) === true;
  };
}
