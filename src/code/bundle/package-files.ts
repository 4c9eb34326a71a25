/** Reads the package.json of packages, and compares packages: the same version with the same dependencies is bundled once. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isWithin, splitPath, toSlashes } from '../../files/paths.ts';
import { listAncestors } from '../../files/repository.ts';
import type { FileAccess } from './file-access.ts';
import { MAX_SETTINGS_BYTES } from './limits.ts';
import { parseLooseJson } from './settings.ts';

export interface PackageJson {
  name: string | undefined;
  version: string | undefined;
  type: 'module' | 'commonjs' | undefined;
  /** Undefined if only some of its files have side effects. */
  sideEffects: boolean | undefined;
  /** The versions of Node.js that it supports. */
  node: string | undefined;
  /** The names of its dependencies. */
  dependencies: string[];
  /** The names of optional and peer dependencies. */
  optional: string[];
}

interface PackageFolder {
  folder: string;
  /** `node_modules/NAME/PATH`, wherever the package manager stores it. */
  displayPath: string;
}

const OPTIONAL = ['optionalDependencies', 'peerDependencies'];
const DEPENDENCIES = ['dependencies', ...OPTIONAL];

export type PackageFiles = ReturnType<typeof openPackageFiles>;

/** Beyond this number of dependencies, packages count as different. */
const MAX_PAIRS = 1000;

/** `resolve`: the file that a name of a package means in a folder. */
export function openPackageFiles(
  fileAccess: FileAccess,
  resolve: (name: string, from: string) => Promise<string | undefined>,
) {
  const packages = new Map<string, PackageJson | undefined>();
  /** The package.json in a folder; undefined if there is none. Throws BundleError. */
  const get = (folder: string) => {
    if (!packages.has(folder)) packages.set(folder, readPackageJson(fileAccess, folder));
    return packages.get(folder);
  };
  const isTop = (folder: string) =>
    dirname(folder) === folder ||
    (isWithin(folder, fileAccess.repository)
      ? folder === fileAccess.repository
      : !fileAccess.isPackageFile(dirname(folder)));
  /** The nearest package.json in a folder or its ancestors, within the repository or package. Throws BundleError. */
  const findNearest = (folder: string): PackageJson | undefined =>
    get(folder) ?? (isTop(folder) ? undefined : findNearest(dirname(folder)));

  /** The package of a file in `node_modules`. */
  function findFolder(path: string): PackageFolder | undefined {
    const all = splitPath(path);
    const at = all.lastIndexOf('node_modules', -2);
    if (at < 0) return undefined;
    const parts = all.slice(at);
    const inStore = parts[1]?.startsWith('.') ? findInStore(path) : undefined;
    if (inStore) return inStore;
    const length = parts[1]?.startsWith('@') ? 3 : 2;
    return { folder: parts.slice(length).reduce((folder) => dirname(folder), path), displayPath: parts.join('/') };
  }

  /** For `node_modules/.store/KEY/package` of Yarn, the name is only in package.json. */
  function findInStore(path: string): PackageFolder | undefined {
    for (const folder of listAncestors(dirname(path))) {
      if (basename(folder) === 'node_modules') return undefined;
      const { name, version } = get(folder) ?? {};
      if (name && version)
        return { folder, displayPath: toSlashes(join('node_modules', name, relative(folder, path))) };
    }
    return undefined;
  }

  async function findDependency(name: string, from: string): Promise<string | undefined> {
    const path = await resolve(name, from);
    return path && (findFolder(path)?.folder ?? dirname(path));
  }

  /** Whether two folders have the same package with the same dependencies. Pairs being compared count as equal, because dependencies may be circular. */
  async function isSame(a: string, b: string, compared = new Set<string>()): Promise<boolean> {
    const pair = `${a}\0${b}`;
    if (a === b || compared.has(pair)) return true;
    compared.add(pair);
    const [one, other] = [get(a), get(b)];
    if (!one?.version || !other || one.version !== other.version || one.name !== other.name) return false;
    if (compared.size > MAX_PAIRS) return false;
    for (const name of new Set([...one.dependencies, ...other.dependencies]))
      if (!(await hasSameDependency(name, a, b, compared))) return false;
    return true;
  }

  async function hasSameDependency(name: string, a: string, b: string, compared: Set<string>): Promise<boolean> {
    const [first, second] = [await findDependency(name, a), await findDependency(name, b)];
    return first !== undefined && second !== undefined ? isSame(first, second, compared) : first === second;
  }

  return { get, findNearest, findFolder, isSame };
}

function readPackageJson(fileAccess: FileAccess, folder: string): PackageJson | undefined {
  const real = fileAccess.realPath(join(folder, 'package.json'));
  const isArchived = real?.includes('.zip') === true;
  if (real === undefined || (!existsSync(real) && !isArchived)) return undefined;
  fileAccess.assertAllowed(real);
  try {
    return parsePackageJson(fileAccess.read(real, MAX_SETTINGS_BYTES).toString('utf8'));
  } catch (error) {
    if (isArchived) return undefined;
    throw error;
  }
}

function parsePackageJson(text: string): PackageJson {
  const value = parseLooseJson(text);
  const getString = (key: string) => (typeof value[key] === 'string' && value[key] !== '' ? value[key] : undefined);
  const type = getString('type');
  const range: unknown = Object(value['engines']).node;
  return {
    name: getString('name'),
    version: getString('version'),
    type: type === 'module' || type === 'commonjs' ? type : undefined,
    sideEffects: Array.isArray(value['sideEffects']) ? undefined : value['sideEffects'] !== false,
    node: typeof range === 'string' ? range : undefined,
    dependencies: DEPENDENCIES.flatMap((key) => Object.keys(Object(value[key]))),
    optional: OPTIONAL.flatMap((key) => Object.keys(Object(value[key]))),
  };
}
