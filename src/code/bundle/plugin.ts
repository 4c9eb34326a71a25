/** The plugin through which esbuild finds and reads all files: it opens none itself. */
import { dirname, join } from 'node:path';
import type { Loader, OnLoadArgs, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { foreignText } from '../../text/foreign-text.ts';
import { isBuiltin } from './builtin-modules.ts';
import { loaderFor } from './file-kind.ts';
import { possibleFiles } from './find-file.ts';
import type { Importer } from './importer.ts';
import { folderOf, type Input, keyOf, NAMESPACE } from './input.ts';
import { findDependency } from './package-folder.ts';
import { prepareCode, type Transform } from './prepare-code.ts';
import { Refusal } from './refusal.ts';
import { isExternal } from './resolve.ts';
import { isSideEffectFree } from './side-effects.ts';
import { importKey, type Sources } from './sources.ts';
import { isAlias, mappedPaths } from './tsconfig.ts';
import { packageOf } from './unresolved.ts';

type Failed = { errors: { text: string; detail: { message: string; fix?: string } }[] };

export function sourcePlugin(sources: Sources): Plugin {
  return {
    name: 'sources',
    setup: (build) => {
      build.onResolve({ filter: /.*/ }, (args) => orFailure(() => resolveImport(args, sources)));
      build.onLoad({ filter: /.*/, namespace: NAMESPACE }, (args) =>
        orFailure(() => loadInput(args, sources, build.esbuild.transform)),
      );
    },
  };
}

async function orFailure<T>(act: () => T | Promise<T>): Promise<T | Failed> {
  try {
    return await act();
  } catch (error) {
    const { message, fix } = error instanceof Refusal ? error : new Refusal(String((error as Error).message));
    return { errors: [{ text: message, detail: { message, ...(fix !== undefined && { fix }) } }] };
  }
}

/** undefined: not found. esbuild cannot search itself, since it is told no folder; in a `try` it then leaves the import. */
function resolveImport({ path, kind, pluginData }: OnResolveArgs, sources: Sources): OnResolveResult | undefined {
  if (isExternal(path)) return asExternal(path);
  const importer = pluginData as Input | undefined;
  if (/^data:/i.test(path)) return asResult(sources.addData(path), false);
  if (importer?.data) return undefined;
  const from = importer ? folderOf(importer, sources.gate) : sources.gate.folder;
  const isRequire = kind === 'require-call' || kind === 'require-resolve';
  const find = (specifier: string) => sources.resolve({ specifier, from, isRequire });
  const [, bare = '', query = ''] = /^(.[^?#]*)(.*)$/s.exec(path) ?? [];
  const by = importer && { file: importer.file, specifier: path };
  const found = find(path);
  const withoutQuery = found === undefined && query !== '' ? find(bare) : undefined;
  if (typeof withoutQuery === 'string') return fileResult(withoutQuery, query, by, sources);
  if (typeof found === 'object') return asExternal(found.external);
  if (found !== undefined) return fileResult(found, '', by, sources);
  return importer && leftImport({ path, kind }, importer, sources);
}

/** Notes an import that was not found, for its message; or leaves it as it is. */
function leftImport(
  { path, kind }: Pick<OnResolveArgs, 'path' | 'kind'>,
  importer: Input,
  { gate, left, packages, pnp, tsConfigs, unresolved }: Sources,
): OnResolveResult | undefined {
  const key = importKey(keyOf(importer), path);
  const isRequire = kind === 'require-call' && (unresolved.get(key)?.isRequire ?? true);
  if (isRequire && left.has(key)) return asExternal(path);
  const folder = folderOf(importer, gate);
  const optional = packages.above(folder)?.optional ?? [];
  const { isPackageFile } = importer;
  const config = tsConfigs.for(folder);
  const meant = /^\.\.?(\/|$)/.test(path) ? [join(folder, path)] : ((config && mappedPaths(config, path)) ?? []);
  for (const missing of meant.flatMap(possibleFiles)) gate.noteMissing(missing);
  unresolved.set(key, {
    specifier: path,
    isRequire,
    isPackageFile,
    isAlias: isAlias(tsConfigs.for(folder) ?? {}, path),
    missingBase: isPackageFile ? undefined : tsConfigs.missing[0]?.base,
    isInstalled: findDependency(packageOf(path), folder, gate, pnp) !== undefined,
    isOptional: optional.some((name) => path === name || path.startsWith(`${name}/`)),
  });
  return undefined;
}

const asExternal = (path: string): OnResolveResult => ({ path, external: true, sideEffects: !isBuiltin(path) });

function fileResult(path: string, query: string, by: Importer | undefined, sources: Sources): OnResolveResult {
  const input = sources.add(path, query, by);
  const real = sources.gate.realPath(path) ?? path;
  return asResult(input, isSideEffectFree(real, sources.packages.above(dirname(real))));
}

const asResult = (input: Input, isFree: boolean): OnResolveResult => ({
  path: input.text,
  suffix: input.suffix,
  namespace: NAMESPACE,
  sideEffects: !isFree,
  pluginData: input,
});

async function loadInput({ path, suffix, with: attributes }: OnLoadArgs, sources: Sources, transform: Transform) {
  const input = sources.byKey.get(keyOf({ text: path, suffix })) as Input;
  const loader = input.data?.loader ?? checkedLoader(input, attributes);
  const bytes = sources.read(input);
  if (loader === 'binary') return { contents: bytes, loader };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  sources.texts.set(input.file, text);
  const foreign = input.isPackageFile || input.data ? undefined : foreignText(text);
  if (foreign !== undefined) throw new Refusal(`${input.file} cannot be bundled: this is ${foreign}`);
  if (!CODE_LOADERS.includes(loader)) return { contents: text, loader };
  return { ...(await prepareCode(text, loader, input, sources, transform)), pluginData: input };
}

const CODE_LOADERS: readonly Loader[] = ['js', 'jsx', 'ts', 'tsx'];

function checkedLoader(input: Input, attributes: Record<string, string>): Loader {
  const [strange] = Object.keys(attributes).filter((name) => name !== 'type');
  if (strange !== undefined) throw new Refusal(`the import attribute ${JSON.stringify(strange)} is not supported`);
  const loader = loaderFor(input.path, attributes['type']);
  if (loader !== undefined) return loader;
  if (attributes['type'] !== undefined)
    throw new Refusal(
      `the import attribute "type" must be "json", "text", or "bytes" (got ${JSON.stringify(attributes['type'])})`,
    );
  if (input.path.endsWith('.node'))
    throw new Refusal(
      `${input.file} is a native addon, which cannot be part of one JavaScript file`,
      'Use a package without native parts.',
    );
  throw new Refusal(
    `cannot bundle ${input.file}: its extension is not one of code, JSON, or text`,
    "To bundle it as a string, write: import … with { type: 'text' }",
  );
}
