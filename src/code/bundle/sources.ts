/** The state of one bundle: file access, settings, packages, and inputs. */
import { basename, dirname, join } from 'node:path';
import type { PluginBuild } from 'esbuild';
import { type BundleContext, type FileAccess, openFileAccess } from './file-access.ts';
import { createOwnInput, createPackageInput, type Importer, type Input, toInputKey, toVariant } from './input.ts';
import type { BundleProblem } from './messages.ts';
import { openPackageFiles, type PackageFiles } from './package-files.ts';
import { openSettings } from './settings.ts';

/** Problems of imports that were not found and stay in the bundle, by import key. */
export type UnbundledImports = ReadonlyMap<string, Pick<BundleProblem, 'level' | 'message' | 'fix'>>;

export const toImportKey = (importer: Input, specifier: string): string => `${toInputKey(importer)}\0${specifier}`;

export interface Sources {
  fileAccess: FileAccess;
  settings: ReturnType<typeof openSettings>;
  packages: PackageFiles;
  /** The inputs by their keys. */
  byKey: ReadonlyMap<string, Input>;
  /** The input of a name in esbuild's messages, source map, or output. */
  findInput(name: string): Input | undefined;
  /** The texts of the inputs, by file. */
  texts: Map<string, string>;
  unbundled: UnbundledImports;
  /** esbuild's own, while it runs. */
  resolve: PluginBuild['resolve'];
  /** Imports in packages that load native parts. */
  native: { input: Input; specifier: string }[];
  /** Problems that esbuild does not report. */
  problems: BundleProblem[];
  /** Adds a resolved file; `query` is the part of the specifier after the path. Throws BundleError. */
  add(path: string, query: string, importer: Importer | undefined): Promise<Input>;
}

/** Marks the bundler's own calls of `resolve`. */
export const GUARDED = {};

export function openSources(formula: string, context: BundleContext, unbundled: UnbundledImports): Sources {
  const fileAccess = openFileAccess(formula, context);
  const packages = openPackageFiles(fileAccess, async (name, from) => {
    const options = { kind: 'require-resolve', resolveDir: from, pluginData: GUARDED } as const;
    const found = await sources.resolve(name, options);
    return found.namespace === 'file' && found.errors.length === 0 ? found.path : undefined;
  });
  const byKey = new Map<string, Input>();
  const byPath = new Map<string, Promise<Input>>();
  const byName = new Map<string, Input[]>();
  const findPackageFolder = ({ path, real }: Input) =>
    packages.findFolder(join(dirname(path), basename(real)))?.folder ?? path;

  async function deduplicate(input: Input): Promise<Input> {
    const key = toInputKey(input);
    for (const variant of byName.get(key) ?? [])
      if (await packages.isSame(findPackageFolder(input), findPackageFolder(variant))) return variant;
    const variants = byName.get(key) ?? [];
    const variant = variants.length === 0 ? input : toVariant(input);
    byName.set(key, [...variants, variant]);
    return variant;
  }

  async function create(path: string, query: string): Promise<Input> {
    const real = fileAccess.realPath(path) ?? path;
    fileAccess.assertAllowed(real);
    const isPackage = fileAccess.isPackageFile(real);
    const input = isPackage
      ? await deduplicate(createPackageInput(path, real, query, fileAccess, packages))
      : createOwnInput(path, real, fileAccess);
    byKey.set(toInputKey(input), input);
    return input;
  }

  const sources: Sources = {
    fileAccess,
    settings: openSettings(fileAccess),
    packages,
    byKey,
    findInput: (name) => {
      const plain = name.replace(/ with \{[^}]*\}$/, '');
      return byKey.get(plain) ?? byKey.get(plain.replace(/[?#].*$/s, ''));
    },
    texts: new Map(),
    unbundled,
    resolve: () => Promise.reject(new Error('esbuild has not started')),
    native: [],
    problems: [],
    add: async (path, query, importer) => {
      const key = path + query;
      const known = byPath.get(key) ?? create(path, query);
      byPath.set(key, known);
      const input = await known;
      if (importer) input.importers.push(importer);
      return input;
    },
  };
  return sources;
}
