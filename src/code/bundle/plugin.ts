/** The plugin that resolves and reads all files for esbuild. */
import { dirname, join } from 'node:path';
import type { Loader, OnLoadArgs, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { identifyForeignText } from '../../text/foreign-text.ts';
import { isBuiltin } from './builtin-modules.ts';
import { BundleError } from './bundle-error.ts';
import { chooseLoader } from './file-kind.ts';
import { listCandidates } from './find-file.ts';
import type { Importer } from './importer.ts';
import { getImportFolder, type Input, NAMESPACE, toInputKey } from './input.ts';
import type { Transform } from './jsx.ts';
import { findDependency } from './package-folder.ts';
import { getPackageName } from './package-name.ts';
import { prepareCode } from './prepare-code.ts';
import { isExternal } from './resolve.ts';
import { isSideEffectFree } from './side-effects.ts';
import { type Sources, toImportKey } from './sources.ts';
import { isAlias, mapPaths } from './tsconfig.ts';

type PluginFailure = { errors: { text: string; detail: { message: string; fix?: string } }[] };

export function createSourcePlugin(sources: Sources): Plugin {
  return {
    name: 'sources',
    setup: (build) => {
      build.onResolve({ filter: /.*/ }, (args) => withFailureResult(() => resolveImport(args, sources)));
      build.onLoad({ filter: /.*/, namespace: NAMESPACE }, (args) =>
        withFailureResult(() => loadInput(args, sources, build.esbuild.transform)),
      );
    },
  };
}

async function withFailureResult<T>(act: () => T | Promise<T>): Promise<T | PluginFailure> {
  try {
    return await act();
  } catch (error) {
    const { message, fix } = error instanceof BundleError ? error : new BundleError(String((error as Error).message));
    return { errors: [{ text: message, detail: { message, ...(fix !== undefined && { fix }) } }] };
  }
}

/** Undefined if not found: esbuild keeps an import in a `try`, and cannot search for it without a folder. */
function resolveImport({ path, kind, pluginData }: OnResolveArgs, sources: Sources): OnResolveResult | undefined {
  if (isExternal(path)) return toExternalResult(path);
  const importer = pluginData as Input | undefined;
  if (/^data:/i.test(path)) return toResult(sources.addData(path), false);
  if (importer?.data) return undefined;
  const from = importer ? getImportFolder(importer, sources.fileAccess) : sources.fileAccess.folder;
  const isRequire = kind === 'require-call' || kind === 'require-resolve';
  const find = (specifier: string) => sources.resolve({ specifier, from, isRequire });
  const [, bare = '', query = ''] = /^(.[^?#]*)(.*)$/s.exec(path) ?? [];
  const origin = importer && { file: importer.file, specifier: path };
  const found = find(path);
  const withoutQuery = found === undefined && query !== '' ? find(bare) : undefined;
  if (typeof withoutQuery === 'string') return addFile(withoutQuery, query, origin, sources);
  if (typeof found === 'object') return toExternalResult(found.external);
  if (found !== undefined) return addFile(found, '', origin, sources);
  return importer && recordUnresolved({ path, kind }, importer, sources);
}

/** Records an import that was not found, for its message; or keeps it in the bundle. */
function recordUnresolved(
  { path, kind }: Pick<OnResolveArgs, 'path' | 'kind'>,
  importer: Input,
  { fileAccess, unbundled, packages, pnp, tsConfigs, unresolved }: Sources,
): OnResolveResult | undefined {
  const key = toImportKey(toInputKey(importer), path);
  const isRequire = kind === 'require-call' && (unresolved.get(key)?.isRequire ?? true);
  if (isRequire && unbundled.has(key)) return toExternalResult(path);
  const folder = getImportFolder(importer, fileAccess);
  const optional = packages.findNearest(folder)?.optional ?? [];
  const { isPackageFile } = importer;
  const config = tsConfigs.find(folder);
  const targets = /^\.\.?(\/|$)/.test(path) ? [join(folder, path)] : ((config && mapPaths(config, path)) ?? []);
  for (const missing of targets.flatMap(listCandidates)) fileAccess.noteMissing(missing);
  unresolved.set(key, {
    specifier: path,
    isRequire,
    isPackageFile,
    isAlias: isAlias(tsConfigs.find(folder) ?? {}, path),
    missingBase: isPackageFile ? undefined : tsConfigs.missingBases[0]?.base,
    isInstalled: findDependency(getPackageName(path), folder, fileAccess, pnp) !== undefined,
    isOptional: optional.some((name) => path === name || path.startsWith(`${name}/`)),
  });
  return undefined;
}

const toExternalResult = (path: string): OnResolveResult => ({ path, external: true, sideEffects: !isBuiltin(path) });

function addFile(path: string, query: string, origin: Importer | undefined, sources: Sources): OnResolveResult {
  const input = sources.add(path, query, origin);
  const real = sources.fileAccess.realPath(path) ?? path;
  return toResult(input, isSideEffectFree(real, sources.packages.findNearest(dirname(real))));
}

const toResult = (input: Input, isFree: boolean): OnResolveResult => ({
  path: input.esbuildName,
  suffix: input.suffix,
  namespace: NAMESPACE,
  sideEffects: !isFree,
  pluginData: input,
});

async function loadInput({ path, suffix, with: attributes }: OnLoadArgs, sources: Sources, transform: Transform) {
  const input = sources.byKey.get(toInputKey({ esbuildName: path, suffix })) as Input;
  const loader = input.data?.loader ?? requireLoader(input, attributes);
  const bytes = sources.read(input);
  if (loader === 'binary') return { contents: bytes, loader };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  sources.texts.set(input.file, text);
  const foreign = input.isPackageFile || input.data ? undefined : identifyForeignText(text);
  if (foreign !== undefined) throw new BundleError(`${input.file} cannot be bundled: this is ${foreign}`);
  if (!CODE_LOADERS.includes(loader)) return { contents: text, loader };
  return { ...(await prepareCode(text, loader, input, sources, transform)), pluginData: input };
}

const CODE_LOADERS: readonly Loader[] = ['js', 'jsx', 'ts', 'tsx'];

function requireLoader(input: Input, attributes: Record<string, string>): Loader {
  const [unsupported] = Object.keys(attributes).filter((name) => name !== 'type');
  if (unsupported !== undefined)
    throw new BundleError(`the import attribute ${JSON.stringify(unsupported)} is not supported`);
  const loader = chooseLoader(input.path, attributes['type']);
  if (loader !== undefined) return loader;
  if (attributes['type'] !== undefined)
    throw new BundleError(
      `the import attribute "type" must be "json", "text", or "bytes" (got ${JSON.stringify(attributes['type'])})`,
    );
  if (input.path.endsWith('.node'))
    throw new BundleError(
      `${input.file} is a native addon, which cannot be part of one JavaScript file`,
      'Use a package without native parts.',
    );
  throw new BundleError(
    `cannot bundle ${input.file}: its extension is not one of code, JSON, or text`,
    "To bundle it as a string, write: import … with { type: 'text' }",
  );
}
