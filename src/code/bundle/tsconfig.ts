/** Reads tsconfig.json with the files that it extends: path mappings and compiler options. */
import { dirname, isAbsolute, join } from 'node:path';
import { listAncestors } from '../../files/repository.ts';
import { isObject } from '../../text/json-type.ts';
import { BundleError } from './bundle-error.ts';
import type { FileAccess } from './file-access.ts';
import { MAX_SETTINGS_BYTES } from './limits.ts';
import { parseLooseJson } from './loose-json.ts';
import { resolveExports } from './package-exports.ts';
import type { PackageFiles } from './package-json.ts';
import { getPackageName } from './package-name.ts';

export interface TsConfig {
  /** Absolute. */
  baseUrl?: string;
  /** The base folder of `paths` without a base URL. */
  pathsFrom?: string;
  paths?: ReadonlyMap<string, readonly string[]>;
  /** The options that affect the output of esbuild. */
  compilerOptions: Readonly<Record<string, unknown>>;
}

/** An `extends` that does not exist, with the file that contains it. */
interface MissingBase {
  file: string;
  text: string;
  base: string;
}

export interface TsConfigs {
  /** The settings that apply in a folder of the repository. Throws BundleError. */
  find(folder: string): TsConfig | undefined;
  missingBases: readonly MissingBase[];
  /** The files that set `emitDecoratorMetadata`, with their texts. */
  withDecoratorMetadata: ReadonlyMap<string, string>;
}

/** Without `strict`, which esbuild would apply to packages too. */
const COMPILE_OPTIONS = [
  'experimentalDecorators',
  'importsNotUsedAsValues',
  'jsx',
  'jsxFactory',
  'jsxFragmentFactory',
  'jsxImportSource',
  'preserveValueImports',
  'target',
  'useDefineForClassFields',
  'verbatimModuleSyntax',
];

/** Limits circular `extends`. */
const MAX_FILES = 100;

export function openTsConfigs(fileAccess: FileAccess, packages: PackageFiles): TsConfigs {
  const configs = new Map<string, TsConfig | undefined>();
  const missingBases: MissingBase[] = [];
  const withDecoratorMetadata = new Map<string, string>();
  const readInFolder = (folder: string) => {
    const file = ['tsconfig.json', 'jsconfig.json'].map((name) => join(folder, name)).find(isFile);
    let files = 0;
    return file === undefined ? undefined : read(file, folder, () => ++files);
  };
  const isFile = (path: string) => fileAccess.getKind(path) === 'file';

  function find(folder: string): TsConfig | undefined {
    if (!fileAccess.isRepositoryFile(folder)) return undefined;
    if (!configs.has(folder)) configs.set(folder, readInFolder(folder) ?? find(dirname(folder)));
    return configs.get(folder);
  }

  function read(path: string, configFolder: string, count: () => number): TsConfig {
    const file = fileAccess.realPath(path) ?? path;
    const text = fileAccess.readConfigFile(file, MAX_SETTINGS_BYTES) ?? '';
    const value = parseLooseJson(text);
    if (!isObject(value)) throw new BundleError(`${fileAccess.toDisplayPath(file)} must be a JSON object`);
    if (count() > MAX_FILES)
      throw new BundleError(`${fileAccess.toDisplayPath(file)} must not extend more than ${MAX_FILES} files`);
    const options = value['compilerOptions'];
    if (isObject(options) && options['emitDecoratorMetadata'] === true) withDecoratorMetadata.set(file, text);
    const bases = [value['extends']].flat().filter((base) => typeof base === 'string');
    const inherited = bases.map((base) => {
      const found = findBase(base, dirname(file));
      if (found === undefined) missingBases.push({ file, text, base });
      return found === undefined ? { compilerOptions: {} } : read(found, configFolder, count);
    });
    const compilerOptions = Object.assign({}, ...inherited.map((base) => base.compilerOptions));
    return Object.assign({}, ...inherited, readOwnOptions(options, dirname(file), configFolder, compilerOptions));
  }

  function findBase(base: string, folder: string): string | undefined {
    if (/^\.\.?$/.test(base)) return findFile(join(folder, base, 'tsconfig.json'));
    if (/^\.\.?\//.test(base) || isAbsolute(base)) return findFile(isAbsolute(base) ? base : join(folder, base));
    return listAncestors(folder)
      .map((ancestor) => findInPackage(base, join(ancestor, 'node_modules')))
      .find((found) => found !== undefined);
  }

  const findFile = (path: string) =>
    [path, ...(path.endsWith('.json') ? [] : [`${path}.json`])].find((candidate) => isFile(candidate));

  function findInPackage(base: string, modules: string): string | undefined {
    const name = getPackageName(base);
    const folder = fileAccess.realPath(join(modules, name));
    if (folder === undefined || fileAccess.getKind(folder) !== 'folder') return undefined;
    fileAccess.admitPackage(folder);
    const settings = packages.get(folder);
    const subpath = `.${base.slice(name.length)}`;
    const target = settings && resolveExports(settings.exports, subpath, new Set(['node', 'require', 'module']));
    if (target && 'path' in target && isFile(join(folder, target.path))) return join(folder, target.path);
    const path = settings?.tsconfig !== undefined ? join(folder, settings.tsconfig) : join(folder, subpath);
    return [join(path, 'tsconfig.json'), path, `${path}.json`].find(isFile);
  }

  return { find, missingBases, withDecoratorMetadata };
}

/** A placeholder in paths of tsconfig.json. */
const CONFIG_DIR = ['$', '{configDir}'].join('');

/** The options of one file, merged with the inherited ones. */
function readOwnOptions(options: unknown, folder: string, configFolder: string, inherited: object): TsConfig {
  if (!isObject(options)) return { compilerOptions: { ...inherited } };
  const set = COMPILE_OPTIONS.filter((name) => Object.hasOwn(options, name));
  const resolvePath = (path: string) =>
    path.startsWith(CONFIG_DIR) ? join(configFolder, path.slice(CONFIG_DIR.length)) : path;
  const { baseUrl, paths } = options;
  return {
    compilerOptions: { ...inherited, ...Object.fromEntries(set.map((name) => [name, options[name]])) },
    ...(typeof baseUrl === 'string' && {
      baseUrl: isAbsolute(resolvePath(baseUrl)) ? resolvePath(baseUrl) : join(folder, resolvePath(baseUrl)),
    }),
    ...(isObject(paths) && { pathsFrom: folder, paths: parsePaths(paths, resolvePath) }),
  };
}

function parsePaths(paths: Record<string, unknown>, resolvePath: (path: string) => string): Map<string, string[]> {
  const isValid = (text: unknown) => typeof text === 'string' && text.split('*').length <= 2;
  return new Map(
    Object.entries(paths).flatMap(([key, targets]) =>
      isValid(key) && Array.isArray(targets) ? [[key, targets.filter(isValid).map(resolvePath)] as const] : [],
    ),
  );
}

/** The paths that `paths` maps an import to, in order; undefined if no key matches. */
export function mapPaths({ paths, baseUrl, pathsFrom }: TsConfig, specifier: string): string[] | undefined {
  const from = baseUrl ?? pathsFrom;
  if (!paths || from === undefined) return undefined;
  const key = paths.has(specifier)
    ? specifier
    : [...paths.keys()].filter((one) => matches(one, specifier)).sort(bySpecificity)[0];
  if (key === undefined) return undefined;
  const [before = '', after] = key.split('*');
  const middle = after === undefined ? '' : specifier.slice(before.length, specifier.length - after.length);
  return (paths.get(key) ?? [])
    .filter((target) => baseUrl !== undefined || /^\.\.?($|[/\\])/.test(target) || isAbsolute(target))
    .map((target) => (after === undefined ? target : target.replace('*', () => middle)))
    .filter((target) => !/\.d\.ts$/i.test(target))
    .map((target) => (isAbsolute(target) ? target : join(from, target)));
}

/** Whether `paths` has a pattern for an import, other than `*`. */
export const isAlias = ({ paths }: Pick<TsConfig, 'paths'>, specifier: string): boolean =>
  [...(paths?.keys() ?? [])].some((key) => key !== '*' && (key === specifier || matches(key, specifier)));

function matches(key: string, specifier: string): boolean {
  const [before = '', after] = key.split('*');
  return after !== undefined && specifier.startsWith(before) && specifier.slice(before.length).endsWith(after);
}

/** The longest prefix first, then the longest suffix. */
function bySpecificity(a: string, b: string): number {
  const [a1 = '', a2 = ''] = a.split('*');
  const [b1 = '', b2 = ''] = b.split('*');
  return b1.length - a1.length || b2.length - a2.length;
}
