/** Reads the package.json of packages, and compares packages: the same version with the same dependencies is bundled once. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isWithin, splitPath, toSlashes } from '../../files/paths.ts';
import { listAncestors } from '../../files/repository.ts';
import { isObject } from '../../text/json-type.ts';
import type { FileAccess } from './file-access.ts';
import { MAX_SETTINGS_BYTES } from './limits.ts';

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

export interface PackageFiles {
  /** The package.json in a folder; undefined if there is none. Throws BundleError. */
  get(folder: string): Promise<PackageJson | undefined>;
  /** The nearest package.json in a folder or its ancestors, within the repository or package. Throws BundleError. */
  findNearest(folder: string): Promise<PackageJson | undefined>;
  /** The package of a file in `node_modules`. */
  findFolder(path: string): Promise<PackageFolder | undefined>;
  /** Whether two folders have the same package with the same dependencies. */
  isSame(a: string, b: string): Promise<boolean>;
}

/** Beyond this number of dependencies, packages count as different. */
const MAX_PAIRS = 1000;

/** `resolve`: the file that a name of a package means in a folder. */
export function openPackageFiles(
  fileAccess: FileAccess,
  resolve: (name: string, from: string) => Promise<string | undefined>,
): PackageFiles {
  const packages = new Map<string, Promise<PackageJson | undefined>>();
  const get = (folder: string) => {
    const found = packages.get(folder) ?? readPackageJson(fileAccess, folder);
    packages.set(folder, found);
    return found;
  };
  const isTop = (folder: string) =>
    dirname(folder) === folder ||
    (isWithin(folder, fileAccess.repository)
      ? folder === fileAccess.repository
      : !fileAccess.isPackageFile(dirname(folder)));
  const findNearest = async (folder: string): Promise<PackageJson | undefined> =>
    (await get(folder)) ?? (isTop(folder) ? undefined : findNearest(dirname(folder)));

  async function findFolder(path: string): Promise<PackageFolder | undefined> {
    const all = splitPath(path);
    const at = all.lastIndexOf('node_modules', -2);
    if (at < 0) return undefined;
    const parts = all.slice(at);
    const inStore = parts[1]?.startsWith('.') ? await findInStore(path) : undefined;
    if (inStore) return inStore;
    const length = parts[1]?.startsWith('@') ? 3 : 2;
    return { folder: parts.slice(length).reduce((folder) => dirname(folder), path), displayPath: parts.join('/') };
  }

  /** For `node_modules/.store/KEY/package` of Yarn, the name is only in package.json. */
  async function findInStore(path: string): Promise<PackageFolder | undefined> {
    for (const folder of listAncestors(dirname(path))) {
      if (basename(folder) === 'node_modules') return undefined;
      const { name, version } = (await get(folder)) ?? {};
      if (name && version)
        return { folder, displayPath: toSlashes(join('node_modules', name, relative(folder, path))) };
    }
    return undefined;
  }

  async function findDependency(name: string, from: string): Promise<string | undefined> {
    const path = await resolve(name, from);
    return path && ((await findFolder(path))?.folder ?? dirname(path));
  }

  /** Pairs being compared count as equal, because dependencies may be circular. */
  async function isSame(a: string, b: string, compared = new Set<string>()): Promise<boolean> {
    const pair = `${a}\0${b}`;
    if (a === b || compared.has(pair)) return true;
    compared.add(pair);
    const [one, other] = [await get(a), await get(b)];
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

async function readPackageJson(fileAccess: FileAccess, folder: string): Promise<PackageJson | undefined> {
  const path = join(folder, 'package.json');
  const real = fileAccess.realPath(path);
  if (real === undefined || (!existsSync(real) && !real.includes('.zip'))) return undefined;
  fileAccess.assertAllowed(real);
  const text = await fileAccess.read(real, MAX_SETTINGS_BYTES).catch((error) => {
    if (real.includes('.zip')) return undefined;
    throw error;
  });
  return text && parsePackageJson(text.toString('utf8'));
}

/** esbuild reports what is no JSON. */
function parsePackageJson(text: string): PackageJson {
  const value = parseObject(text);
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

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
