/** Resolves the files of `doubles.modules`. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { getPackageName } from '../../code/bundle/package-name.ts';
import { findRealPath, isWithin } from '../../files/paths.ts';
import type { Executable } from '../executable.ts';

export interface ResolvedModules {
  /** By the name of the module. */
  paths: Record<string, string>;
  problems: string[];
}

export function resolveModules(
  modules: Readonly<Record<string, string>>,
  { folder, bundled = new Set() }: Pick<Executable, 'folder' | 'bundled'>,
): ResolvedModules {
  const resolved: ResolvedModules = { paths: {}, problems: [] };
  for (const [name, file] of Object.entries(modules)) {
    const path = findRealPath(join(folder, file));
    if (path === undefined || !isWithin(path, folder) || !statSync(path).isFile())
      resolved.problems.push(`doubles.modules: ${file} is not a file of the formula's folder`);
    else if (isBundled(name, bundled))
      resolved.problems.push(`doubles.modules: ${name} is in the bundle, and cannot have a double`);
    else resolved.paths[name] = path;
  }
  return resolved;
}

/** Whether a package is part of a bundle, wherever its files are. */
function isBundled(name: string, files: ReadonlySet<string>): boolean {
  return [...files].some((file) => `/${file}`.includes(`/node_modules/${getPackageName(name)}/`));
}
