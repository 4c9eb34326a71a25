/** What the resolver needs of package.json, read through the gate. */
import { dirname, join } from 'node:path';
import { isWithin } from '../../files/paths.ts';
import type { Gate } from './gate.ts';
import { MAX_SETTINGS_BYTES } from './limits.ts';
import { Refusal } from './refusal.ts';

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
  /** The names of all packages that it may load. */
  dependencies: string[];
  /** The names of those that it can do without, or that others install. */
  optional: string[];
}

const OPTIONAL = ['optionalDependencies', 'peerDependencies'];
const DEPENDENCIES = ['dependencies', ...OPTIONAL];

export interface PackageFiles {
  /** The package.json in a folder; undefined where there is none. Throws Refusal. */
  in(folder: string): PackageJson | undefined;
  /** The nearest one in a folder or above it, within the repository or the package. Throws Refusal. */
  above(folder: string): PackageJson | undefined;
}

export function openPackageFiles(gate: Gate): PackageFiles {
  const known = new Map<string, PackageJson | undefined>();
  const inFolder = (folder: string) => {
    if (!known.has(folder)) known.set(folder, readPackageJson(gate, folder));
    return known.get(folder);
  };
  const above = (folder: string): PackageJson | undefined => {
    const found = inFolder(folder);
    const parent = dirname(folder);
    return found ?? (isTop(folder, parent, gate) ? undefined : above(parent));
  };
  return { in: inFolder, above };
}

const isTop = (folder: string, parent: string, gate: Gate) =>
  parent === folder || (isWithin(folder, gate.repository) ? folder === gate.repository : !gate.isPackageFile(parent));

function readPackageJson(gate: Gate, folder: string): PackageJson | undefined {
  const path = join(folder, 'package.json');
  const text = gate.readSettings(path, MAX_SETTINGS_BYTES);
  if (text === undefined) return undefined;
  const value = parseObject(text);
  if (!value) throw new Refusal(`${gate.nameOf(path)} must be a JSON object`);
  const textOf = (key: string) => (typeof value[key] === 'string' && value[key] !== '' ? value[key] : undefined);
  const type = textOf('type');
  return {
    folder,
    name: textOf('name'),
    version: textOf('version'),
    type: type === 'module' || type === 'commonjs' ? type : undefined,
    main: textOf('main'),
    module: textOf('module'),
    tsconfig: textOf('tsconfig'),
    node: nodeRange(value['engines']),
    exports: value['exports'] ?? undefined,
    imports: value['imports'] ?? undefined,
    sideEffects: value['sideEffects'],
    dependencies: DEPENDENCIES.flatMap((key) => Object.keys(Object(value[key]))),
    optional: OPTIONAL.flatMap((key) => Object.keys(Object(value[key]))),
  };
}

function nodeRange(engines: unknown): string | undefined {
  const range: unknown = Object(engines).node;
  return typeof range === 'string' ? range : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
