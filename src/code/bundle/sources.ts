/** The state of one bundle: file access, settings, packages, and inputs. */
import { basename, dirname, join } from 'node:path';
import type { PluginBuild } from 'esbuild';
import { type BundleContext, openFileAccess } from './file-access.ts';
import { type Importer, type Input, namePackageFile, toInputKey, toVariant } from './input.ts';
import type { BundleProblem } from './messages.ts';
import { openPackageFiles } from './package-files.ts';
import { openSettings } from './settings.ts';

/** Problems of imports that were not found and stay in the bundle, by import key. */
export type UnbundledImports = ReadonlyMap<string, Pick<BundleProblem, 'level' | 'message' | 'fix'>>;

export const toImportKey = (importer: Input, specifier: string): string => `${toInputKey(importer)}\0${specifier}`;

export type Sources = ReturnType<typeof openSources>;

type Transform = PluginBuild['esbuild']['transform'];

/** Marks the bundler's own calls of `resolve`. */
export const GUARDED = {};

/** `transform`: esbuild's function, which reads no files. */
export function openSources(path: string, context: BundleContext, unbundled: UnbundledImports, transform: Transform) {
  const fileAccess = openFileAccess(path, context);
  /** esbuild's function, while it runs. */
  const esbuild: Partial<Pick<PluginBuild, 'resolve'>> = {};
  const packages = openPackageFiles(fileAccess, async (name, from) => {
    const options = { kind: 'require-resolve', resolveDir: from, pluginData: GUARDED } as const;
    const found = await esbuild.resolve?.(name, options);
    return found?.namespace === 'file' && found.errors.length === 0 ? found.path : undefined;
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
    const isPackageFile = fileAccess.isPackageFile(real);
    const file = fileAccess.toDisplayPath(real);
    const own = { esbuildName: file, displayName: file, suffix: '' };
    const names = isPackageFile ? namePackageFile(real, file, query, packages) : own;
    const created = { path, real, file, isPackageFile, ...names, importers: [], isData: false };
    const input = isPackageFile ? await deduplicate(created) : created;
    byKey.set(toInputKey(input), input);
    return input;
  }

  /** Adds a resolved file; `query` is the part of the specifier after the path. Throws BundleError. */
  async function add(path: string, query: string, importer: Importer | undefined): Promise<Input> {
    const key = path + query;
    const known = byPath.get(key) ?? create(path, query);
    byPath.set(key, known);
    const input = await known;
    if (importer) input.importers.push(importer);
    return input;
  }

  /** The input of a name in esbuild's messages, source map, or output. */
  function findInput(name: string): Input | undefined {
    const plain = name.replace(/ with \{[^}]*\}$/, '');
    return byKey.get(plain) ?? byKey.get(plain.replace(/[?#].*$/s, ''));
  }

  /** The texts of the inputs, by file. */
  const texts = new Map<string, string>();
  /** Imports in packages that load native parts. */
  const native: { input: Input; specifier: string }[] = [];
  /** Problems that esbuild does not report. */
  const problems: BundleProblem[] = [];
  const settings = openSettings(fileAccess);
  const { env } = context;
  const found = { byKey, texts, native, problems };
  return { fileAccess, settings, packages, esbuild, transform, env, unbundled, ...found, add, findInput };
}
