/** Reads package.json files. */
import { dirname, join } from 'node:path';
import { isWithin } from '../../files/paths.ts';
import { isObject } from '../../text/json-type.ts';
import { BundleError } from './bundle-error.ts';
import type { FileAccess } from './file-access.ts';
import { MAX_SETTINGS_BYTES } from './limits.ts';

export interface PackageJson {
  folder: string;
  name: string | undefined;
  version: string | undefined;
  type: 'module' | 'commonjs' | undefined;
  main: string | undefined;
  module: string | undefined;
  tsconfig: string | undefined;
  /** The versions of Node.js that it supports. */
  node: string | undefined;
  exports: unknown;
  imports: unknown;
  sideEffects: unknown;
  /** The names of its dependencies. */
  dependencies: string[];
  /** The names of optional and peer dependencies. */
  optional: string[];
}

const OPTIONAL = ['optionalDependencies', 'peerDependencies'];
const DEPENDENCIES = ['dependencies', ...OPTIONAL];

export interface PackageFiles {
  /** The package.json in a folder; undefined if there is none. Throws BundleError. */
  get(folder: string): PackageJson | undefined;
  /** The nearest package.json in a folder or its ancestors, within the repository or package. Throws BundleError. */
  findNearest(folder: string): PackageJson | undefined;
}

export function openPackageFiles(fileAccess: FileAccess): PackageFiles {
  const packages = new Map<string, PackageJson | undefined>();
  const get = (folder: string) => {
    if (!packages.has(folder)) packages.set(folder, readPackageJson(fileAccess, folder));
    return packages.get(folder);
  };
  const findNearest = (folder: string): PackageJson | undefined => {
    const found = get(folder);
    const parent = dirname(folder);
    return found ?? (isTop(folder, parent, fileAccess) ? undefined : findNearest(parent));
  };
  return { get, findNearest };
}

const isTop = (folder: string, parent: string, fileAccess: FileAccess) =>
  parent === folder ||
  (isWithin(folder, fileAccess.repository) ? folder === fileAccess.repository : !fileAccess.isPackageFile(parent));

function readPackageJson(fileAccess: FileAccess, folder: string): PackageJson | undefined {
  const path = join(folder, 'package.json');
  const text = fileAccess.readConfigFile(path, MAX_SETTINGS_BYTES);
  if (text === undefined) return undefined;
  const value = parseObject(text);
  if (!value) throw new BundleError(`${fileAccess.toDisplayPath(path)} must be a JSON object`);
  const getString = (key: string) => (typeof value[key] === 'string' && value[key] !== '' ? value[key] : undefined);
  const type = getString('type');
  return {
    folder,
    name: getString('name'),
    version: getString('version'),
    type: type === 'module' || type === 'commonjs' ? type : undefined,
    main: getString('main'),
    module: getString('module'),
    tsconfig: getString('tsconfig'),
    node: getNodeRange(value['engines']),
    exports: value['exports'] ?? undefined,
    imports: value['imports'] ?? undefined,
    sideEffects: value['sideEffects'],
    dependencies: DEPENDENCIES.flatMap((key) => Object.keys(Object(value[key]))),
    optional: OPTIONAL.flatMap((key) => Object.keys(Object(value[key]))),
  };
}

function getNodeRange(engines: unknown): string | undefined {
  const range: unknown = Object(engines).node;
  return typeof range === 'string' ? range : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
