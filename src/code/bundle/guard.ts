/**
 * The plugin that guards what esbuild resolves and reads: regular files of the repository, and files of packages, which
 * get names that are the same with every package manager.
 */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Loader, OnLoadArgs, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild';
import { listAncestors } from '../../files/repository.ts';
import { tryStat } from '../../files/try-stat.ts';
import { identifyForeignText } from '../../text/foreign-text.ts';
import type { FileAccess } from './file-access.ts';
import { chooseLoader, isCode, listCandidates } from './file-kind.ts';
import { type Input, NAMESPACE } from './input.ts';
import { BundleError } from './messages.ts';
import { isNativeLoad } from './native-parts.ts';
import { getPackageName, isPath } from './package-name.ts';
import { META_URL, META_URL_NAME, prepareCode } from './prepare-code.ts';
import { GUARDED, type Sources, toImportKey } from './sources.ts';

type Resolve = PluginBuild['resolve'];

export const createGuard = (sources: Sources): Plugin => ({
  name: 'guard',
  setup: (build) => {
    sources.esbuild.resolve = build.resolve;
    build.onResolve({ filter: /.*/ }, (args) => withFailureResult(() => resolveImport(args, sources, build.resolve)));
    build.onLoad({ filter: /.*/, namespace: META_URL.namespace }, () => ({ contents: META_URL_CODE, loader: 'js' }));
    for (const namespace of ['file', NAMESPACE])
      build.onLoad({ filter: /.*/, namespace }, (args) => withFailureResult(() => loadInput(args, sources)));
  },
});

async function withFailureResult<T>(act: () => Promise<T>): Promise<T | Pick<OnLoadResult, 'errors'>> {
  try {
    return await act();
  } catch (error) {
    const reported = error instanceof BundleError ? error : new BundleError(String((error as Error).message));
    return { errors: [{ text: reported.message, detail: reported.detail }] };
  }
}

/** The module that defines what `import.meta.url` is replaced by. */
const META_URL_CODE = `export const ${META_URL_NAME} = /* @__PURE__ */ (() => require("url").pathToFileURL(__filename).href)();`;

/** Undefined for what esbuild resolves in the same way: own files, with their settings, and what is not found. */
async function resolveImport(args: OnResolveArgs, sources: Sources, resolve: Resolve): Promise<ResolveResult> {
  const { path, namespace, pluginData } = args;
  if (pluginData === GUARDED || namespace === META_URL.namespace) return undefined;
  if (/^data:/i.test(path)) return assertDataType(path);
  const fixed = resolveByName(args, sources);
  if (fixed) return fixed;
  const { fileAccess } = sources;
  const from = args.resolveDir || fileAccess.folder;
  for (const folder of listSearchedFolders(args, from)) sources.settings.check(folder);
  const found = isEntry(args, sources) ? toFoundFile(join(from, path)) : await findFile(args, from, sources, resolve);
  if (found?.external) return { path: found.path, external: true, sideEffects: found.sideEffects };
  const own = findImporter(args, sources);
  if (!found) return own && keepUnresolved(toImportKey(own, path), args, sources);
  if (!isPath(path)) fileAccess.admitPackage(fileAccess.realPath(found.path) ?? found.path, path, from);
  const input = await sources.add(found.path, found.suffix, own && { file: own.file, specifier: path });
  const { suffix, sideEffects } = found;
  if (input.isPackageFile)
    return { path: input.esbuildName, suffix: input.suffix, namespace: NAMESPACE, sideEffects, pluginData: input };
  sources.settings.check(dirname(input.real));
  return found.isOther ? { path: input.real, suffix, sideEffects } : undefined;
}

type ResolveResult = OnResolveResult | undefined;

/** Undefined for the entry. */
function findImporter({ path, namespace, importer, pluginData }: OnResolveArgs, { findInput, fileAccess }: Sources) {
  if (namespace === 'dataurl') throw new BundleError(`the import ${JSON.stringify(path)} cannot be found`);
  return namespace === 'file' ? findInput(fileAccess.toDisplayPath(importer)) : (pluginData as Input | undefined);
}

/** Whether the code file itself is imported, which needs no search. */
const isEntry = ({ namespace, importer }: OnResolveArgs, { fileAccess, findInput }: Sources): boolean =>
  namespace === 'file' && fileAccess.changed.size === 0 && !findInput(fileAccess.toDisplayPath(importer));

/** The module for `import.meta.url`; and native parts of packages, which may not be there on each computer. */
function resolveByName({ path, namespace, pluginData }: OnResolveArgs, { native }: Sources): ResolveResult {
  if (path === META_URL.path) return { ...META_URL, sideEffects: false };
  if (namespace !== NAMESPACE || !isNativeLoad(path)) return undefined;
  native.push({ input: pluginData as Input, specifier: path });
  return path.endsWith('.node') ? { path, external: true } : undefined;
}

/** The folders whose settings esbuild may read. In packages, there are no links, pipes, and devices. */
function listSearchedFolders({ path, namespace }: OnResolveArgs, from: string): string[] {
  if (isPath(path)) return namespace === NAMESPACE ? [] : [from, join(from, path)];
  return [from, ...listAncestors(from).map((one) => join(one, 'node_modules', getPackageName(path)))];
}

/** `isOther`: esbuild does not find it itself, or need not. */
type FoundFile = Pick<Awaited<ReturnType<Resolve>>, 'path' | 'suffix' | 'external' | 'sideEffects'> & {
  isOther: boolean;
};

const toFoundFile = (path: string, sideEffects = true): FoundFile => {
  return { path, suffix: '', external: false, sideEffects, isOther: true };
};

async function findFile(args: OnResolveArgs, from: string, sources: Sources, resolve: Resolve) {
  const { path, kind, importer, namespace, with: attributes } = args;
  const { fileAccess, packages } = sources;
  const near = namespace === NAMESPACE ? findInPackage(path, from, packages) : undefined;
  if (near) return near;
  const isGone = fileAccess.changed.size > 0 && !existsSync(from);
  const resolveDir = (isGone && listAncestors(from).find((one) => existsSync(one))) || from;
  const request = { kind, importer, namespace: 'file', with: attributes, pluginData: GUARDED, resolveDir };
  const native = await resolve(path, request);
  const isFound = native.errors.length === 0;
  const other = findOtherVersion(path, from, isFound ? native.path : undefined, fileAccess);
  if (other !== undefined) return toFoundFile(other);
  return isFound ? { ...native, isOther: isGone } : undefined;
}

/** A file of the same package that a path names exactly. Asking esbuild for it would take much longer. */
function findInPackage(path: string, from: string, packages: Sources['packages']): FoundFile | undefined {
  if (!/^\.\.?\/.*\.\w+$/s.test(path)) return undefined;
  const file = join(from, path);
  const found = isFile(file) ? packages.findNearest(dirname(file)) : undefined;
  if (typeof found?.sideEffects !== 'boolean') return undefined;
  return toFoundFile(file, found.sideEffects);
}

/** The file that a path means in another version of the repository, if it is not the one that esbuild found. */
function findOtherVersion(path: string, from: string, native: string | undefined, { changed }: FileAccess) {
  if (changed.size === 0 || !isPath(path)) return undefined;
  const isThere = (one: string) => (changed.has(one) ? changed.get(one) !== undefined : isFile(one));
  const found = listCandidates(join(from, path)).find(isThere);
  return found === native ? undefined : found;
}

const isFile = (path: string) => tryStat(path)?.isFile() === true;

const DATA_TYPE = /^data:(text\/javascript|application\/json)[;,]/i;

/** esbuild would load other types too. */
function assertDataType(url: string): undefined {
  if (DATA_TYPE.test(url)) return undefined;
  const [, type] = /^data:([^,;]*)/i.exec(url) ?? [];
  throw new BundleError(
    `the type of a data: URL must be text/javascript or application/json (got ${JSON.stringify(type)})`,
  );
}

/** Keeps the `require` of a package that the service may provide. */
function keepUnresolved(key: string, { path, kind }: OnResolveArgs, { unbundled }: Sources): ResolveResult {
  const detail = unbundled.get(key);
  if (!detail || kind !== 'require-call') return undefined;
  return { path, external: true, warnings: [{ text: detail.message, detail }] };
}

async function loadInput(args: OnLoadArgs, sources: Sources): Promise<OnLoadResult> {
  const { path, suffix, namespace, with: attributes } = args;
  const { byKey, fileAccess, texts, add } = sources;
  const isOwn = namespace === 'file';
  const key = isOwn ? fileAccess.toDisplayPath(fileAccess.realPath(path) ?? path) : `${namespace}:${path}${suffix}`;
  // esbuild may find a file next to broken settings, which it reports.
  const input = byKey.get(key) ?? (await add(path, suffix, undefined));
  // Without an extension, only its parser tells a script from `id_rsa`.
  if (attributes['type'] !== undefined || !isCode(input.real) || extname(input.real) === '') input.isData = true;
  const loader = requireLoader(input, attributes);
  const bytes = fileAccess.readInput(input.real);
  if (loader === 'binary') return { contents: bytes, loader };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  texts.set(input.file, text);
  const foreign = input.isPackageFile ? undefined : identifyForeignText(text);
  if (foreign !== undefined) throw new BundleError(`${input.file} cannot be bundled: this is ${foreign}`);
  if (loader === 'json' || loader === 'text') return { contents: text, loader };
  const prepared = await prepareCode(text, loader, input, sources);
  return { ...prepared, pluginData: input, resolveDir: dirname(input.path) };
}

function requireLoader(input: Input, attributes: Record<string, string>): Loader {
  const [unsupported] = Object.keys(attributes).filter((name) => name !== 'type');
  if (unsupported !== undefined)
    throw new BundleError(`the import attribute ${JSON.stringify(unsupported)} is not supported`);
  const loader = chooseLoader(input.real, attributes['type']);
  if (loader !== undefined) return loader;
  if (attributes['type'] !== undefined)
    throw new BundleError(
      `the import attribute "type" must be "json", "text", or "bytes" (got ${JSON.stringify(attributes['type'])})`,
    );
  if (input.real.endsWith('.node'))
    throw new BundleError(`${input.file} is a native addon, which cannot be part of one JavaScript file`, {
      fix: 'Use a package without native parts.',
    });
  throw new BundleError(`cannot bundle ${input.file}: its extension is not one of code, JSON, or text`, {
    fix: "To bundle it as a string, write: import … with { type: 'text' }",
  });
}
