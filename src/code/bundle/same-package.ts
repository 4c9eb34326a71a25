/** Whether two folders contain the same package with the same dependencies, so that one of them is enough. */
import type { Gate } from './gate.ts';
import { findDependency } from './package-folder.ts';
import type { PackageFiles } from './package-json.ts';
import type { PlugAndPlay } from './pnp.ts';

export type IsSamePackage = (a: string, b: string) => boolean;

/** More packages than this are not compared; then both are bundled. */
const MAX_PAIRS = 1000;

export function openPackageComparison(gate: Gate, packages: PackageFiles, pnp: PlugAndPlay | undefined): IsSamePackage {
  const known = new Map<string, boolean>();
  const dependency = (name: string, from: string) => findDependency(name, from, gate, pnp);

  /** Pairs that were begun count as equal: packages may depend on each other in a circle. */
  function isSame(a: string, b: string, begun: Set<string>): boolean {
    const pair = `${a}\0${b}`;
    if (a === b || begun.has(pair)) return true;
    begun.add(pair);
    const [one, other] = [packages.in(a), packages.in(b)];
    if (!one?.version || one.version !== other?.version || one.name !== other.name) return false;
    if (begun.size > MAX_PAIRS) return false;
    return [...new Set([...one.dependencies, ...other.dependencies])].every((name) => {
      const [first, second] = [dependency(name, a), dependency(name, b)];
      return first === undefined || second === undefined ? first === second : isSame(first, second, begun);
    });
  }

  return (a, b) => {
    const pair = `${a}\0${b}`;
    if (!known.has(pair)) known.set(pair, isSame(a, b, new Set()));
    return known.get(pair) === true;
  };
}
