/** All that one bundle is made of: what it may read, where imports are looked up, and which files it took. */
import { basename, join } from 'node:path';
import { findRealPath } from '../../files/paths.ts';
import { askIgnored } from '../../git/ignored.ts';
import { sha256 } from '../../text/hash.ts';
import { parseDataUrl } from './data-url.ts';
import { type Gate, openGate } from './gate.ts';
import { type IgnoredInputs, openIgnoredInputs } from './ignored-inputs.ts';
import type { Importer } from './importer.ts';
import { asVariant, describeInput, folderOf, type Input, keyOf } from './input.ts';
import type { BundleFault } from './messages.ts';
import { findPackageFolder } from './package-folder.ts';
import { openPackageFiles, type PackageFiles } from './package-json.ts';
import { mayHaveTable, openPlugAndPlay, type PlugAndPlay } from './pnp.ts';
import { openResolver, type Resolve } from './resolve.ts';
import { openPackageComparison } from './same-package.ts';
import type { Surroundings } from './surroundings.ts';
import { openTsConfigs, type TsConfigs } from './tsconfig.ts';
import type { Unresolved } from './unresolved.ts';

export type LeftImports = ReadonlyMap<string, BundleFault>;

/** An import of a file, by the name that esbuild has for the file. */
export const importKey = (file: string, specifier: string): string => `${file}\0${specifier}`;

export interface Sources {
  gate: Gate;
  packages: PackageFiles;
  pnp: PlugAndPlay | undefined;
  tsConfigs: TsConfigs;
  resolve: Resolve;
  /** The inputs by what they are in esbuild's messages and source map. */
  byKey: ReadonlyMap<string, Input>;
  /** The texts of the inputs, by file. */
  texts: Map<string, string>;
  /** The imports that lead nowhere, by `importKey`. */
  unresolved: Map<string, Unresolved>;
  /** Those of them that stay in the bundle as they are, with what is said of each. */
  left: LeftImports;
  /** What was found besides esbuild's messages. */
  faults: BundleFault[];
  /** Adds a file that was found; `query` is what an import had after its path. Throws Refusal. */
  add(path: string, query: string, importer: Importer | undefined): Input;
  /** Adds what a `data:` URL contains. Throws Refusal. */
  addData(url: string): Input;
  /** Throws Refusal. */
  read(input: Input): Buffer;
  ignored: IgnoredInputs;
}

/** Throws Refusal for settings that cannot be read. */
export async function openSources(formula: string, surroundings: Surroundings, left: LeftImports): Promise<Sources> {
  const { openArchive } = mayHaveTable(findRealPath(formula) ?? formula) ? await import('./archive.ts') : {};
  const gate = openGate(formula, surroundings, openArchive);
  const packages = openPackageFiles(gate);
  const tsConfigs = openTsConfigs(gate, packages);
  const pnp = openPlugAndPlay(gate);
  const resolve = openResolver({ gate, packages, tsConfigs, pnp });
  const ignored = openIgnoredInputs(gate, surroundings, askIgnored);
  const byKey = new Map<string, Input>();
  const byPath = new Map<string, Input>();
  const byName = new Map<string, Input[]>();
  const isSamePackage = openPackageComparison(gate, packages, pnp);
  // What a package depends on is next to where it really is.
  const packageFolder = (input: Input): string =>
    findPackageFolder(join(folderOf(input, gate), basename(input.path)), packages)?.folder ?? input.path;
  /** The same version of a package with the same dependencies is bundled once, wherever it is installed. */
  const unique = (input: Input): Input => {
    const variants = byName.get(keyOf(input)) ?? [];
    const same = variants.find((variant) => isSamePackage(packageFolder(input), packageFolder(variant)));
    if (same) return same;
    const variant = variants.length === 0 ? input : asVariant(input);
    byName.set(keyOf(input), [...variants, variant]);
    return variant;
  };
  return {
    gate,
    packages,
    pnp,
    tsConfigs,
    resolve,
    byKey,
    texts: new Map(),
    unresolved: new Map(),
    left,
    faults: [],
    add: (path, query, importer) => {
      const known = byPath.get(path + query);
      if (importer) known?.importers.push(importer);
      if (known) return known;
      gate.checkPlace(gate.realPath(path) ?? path);
      const described = describeInput(path, query, gate, packages);
      const input = unique(described);
      byKey.set(keyOf(input), input);
      byPath.set(path + query, input);
      // The code file has no importer.
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
        text,
        suffix: '',
        shown: text,
        importers: [],
        data,
      };
      byKey.set(keyOf(input), input);
      return input;
    },
    ignored,
    read: ({ path, data }) => data?.contents ?? gate.readInput(path),
  };
}
