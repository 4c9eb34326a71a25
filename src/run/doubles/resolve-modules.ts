/** Resolves the files of `doubles.modules`. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { getPackageName } from '../../code/bundle/package-name.ts';
import { findRealPath, isWithin } from '../../files/paths.ts';
import type { Executable } from '../executable.ts';
import type { Doubles } from './doubles.ts';

/** The paths by the names of the modules. */
export function resolveModules({ modules = {} }: Doubles, { folder, bundled = new Set() }: Executable) {
  const paths: Record<string, string> = {};
  const problems: string[] = [];
  for (const [name, file] of Object.entries(modules)) {
    const path = findRealPath(join(folder, file));
    if (path === undefined || !isWithin(path, folder) || !statSync(path).isFile())
      problems.push(`doubles.modules: ${file} is not a file of the formula's folder`);
    else if (isBundled(name, bundled))
      problems.push(`doubles.modules: ${name} is in the bundle, and cannot have a double`);
    else paths[name] = path;
  }
  return { paths, problems };
}

/** Whether a package is part of a bundle, wherever its files are. */
const isBundled = (name: string, files: ReadonlySet<string>): boolean =>
  [...files].some((file) => `/${file}`.includes(`/node_modules/${getPackageName(name)}/`));
