/** The state of one bundle: file access, resolver, and inputs. */
import { basename, join } from 'node:path';
import { findRealPath } from '../../files/paths.ts';
import { startIgnoreCheck } from '../../git/ignored.ts';
import { sha256 } from '../../text/hash.ts';
import type { BundleContext } from './bundle-context.ts';
import { parseDataUrl } from './data-url.ts';
import { type FileAccess, openFileAccess } from './file-access.ts';
import { type IgnoredInputs, openIgnoredInputs } from './ignored-inputs.ts';
import type { Importer } from './importer.ts';
import { createInput, getImportFolder, type Input, toInputKey, toVariant } from './input.ts';
import type { BundleProblem } from './messages.ts';
import { findPackageFolder } from './package-folder.ts';
import { openPackageFiles, type PackageFiles } from './package-json.ts';
import { mayHavePnpTable, openPlugAndPlay, type PlugAndPlay } from './pnp.ts';
import { openResolver, type ResolveImport } from './resolve.ts';
import { createPackageComparison } from './same-package.ts';
import { openTsConfigs, type TsConfigs } from './tsconfig.ts';
import type { UnresolvedImport } from './unresolved.ts';

export type UnbundledImports = ReadonlyMap<string, BundleProblem>;

/** The key of an import; `file` is the name for esbuild. */
export const toImportKey = (file: string, specifier: string): string => `${file}\0${specifier}`;

export interface Sources {
  fileAccess: FileAccess;
  packages: PackageFiles;
  pnp: PlugAndPlay | undefined;
  tsConfigs: TsConfigs;
  resolve: ResolveImport;
  /** The inputs by their keys. */
  byKey: ReadonlyMap<string, Input>;
  /** The texts of the inputs, by file. */
  texts: Map<string, string>;
  /** The unresolved imports, by import key. */
  unresolved: Map<string, UnresolvedImport>;
  /** Those that stay in the bundle, with their problems. */
  unbundled: UnbundledImports;
  /** Problems that esbuild does not report. */
  problems: BundleProblem[];
  /** Adds a resolved file; `query` is the part of the specifier after the path. Throws BundleError. */
  add(path: string, query: string, importer: Importer | undefined): Input;
  /** Adds a `data:` URL. Throws BundleError. */
  addData(url: string): Input;
  /** Throws BundleError. */
  read(input: Input): Buffer;
  ignored: IgnoredInputs;
}

/** Throws BundleError for unreadable settings. */
export async function openSources(
  formula: string,
  context: BundleContext,
  unbundled: UnbundledImports,
): Promise<Sources> {
  const { openArchive } = mayHavePnpTable(findRealPath(formula) ?? formula) ? await import('./archive.ts') : {};
  const fileAccess = openFileAccess(formula, context, openArchive);
  const packages = openPackageFiles(fileAccess);
  const tsConfigs = openTsConfigs(fileAccess, packages);
  const pnp = openPlugAndPlay(fileAccess);
  const resolve = openResolver({ fileAccess, packages, tsConfigs, pnp });
  const ignored = openIgnoredInputs(fileAccess, context, startIgnoreCheck);
  const byKey = new Map<string, Input>();
  const byPath = new Map<string, Input>();
  const byName = new Map<string, Input[]>();
  const isSamePackage = createPackageComparison(fileAccess, packages, pnp);
  // The real folder, next to which its dependencies are.
  const packageFolder = (input: Input): string =>
    findPackageFolder(join(getImportFolder(input, fileAccess), basename(input.path)), packages)?.folder ?? input.path;
  const deduplicate = (input: Input): Input => {
    const variants = byName.get(toInputKey(input)) ?? [];
    const same = variants.find((variant) => isSamePackage(packageFolder(input), packageFolder(variant)));
    if (same) return same;
    const variant = variants.length === 0 ? input : toVariant(input);
    byName.set(toInputKey(input), [...variants, variant]);
    return variant;
  };
  return {
    fileAccess,
    packages,
    pnp,
    tsConfigs,
    resolve,
    byKey,
    texts: new Map(),
    unresolved: new Map(),
    unbundled,
    problems: [],
    add: (path, query, importer) => {
      const known = byPath.get(path + query);
      if (importer) known?.importers.push(importer);
      if (known) return known;
      fileAccess.assertAllowed(fileAccess.realPath(path) ?? path);
      const described = createInput(path, query, fileAccess, packages);
      const input = deduplicate(described);
      byKey.set(toInputKey(input), input);
      byPath.set(path + query, input);
      if (importer) {
        input.importers.push(importer);
        ignored.add(input);
      }
      return input;
    },
    addData: (url) => {
      const data = parseDataUrl(url);
      const text = `data-${sha256(url).toString('hex').slice(0, 8)}`;
      const input: Input = {
        path: '',
        file: text,
        isPackageFile: false,
        esbuildName: text,
        suffix: '',
        displayName: text,
        importers: [],
        data,
      };
      byKey.set(toInputKey(input), input);
      return input;
    },
    ignored,
    read: ({ path, data }) => data?.contents ?? fileAccess.readInput(path),
  };
}
