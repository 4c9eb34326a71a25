/** code.ts and code.mjs with all that they import, as the one CommonJS file that the service runs. */
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildFailure, BuildOptions, Message } from 'esbuild';
import { CliError } from '../../errors.ts';
import type { BundleContext } from './bundle-context.ts';
import { BundleError } from './bundle-error.ts';
import { collectNodeRanges } from './engines.ts';
import { isEsbuildBroken, loadEsbuild, toEsbuildError } from './esbuild.ts';
import { withJsxNamed } from './jsx.ts';
import { withProcessLimits } from './limited-spawn.ts';
import { MAX_BUNDLE_BYTES, MIB } from './limits.ts';
import {
  type BundleProblem,
  describeMissingExport,
  ENTRY,
  type SourceLocation,
  toBundleProblem,
  toSourceLocation,
} from './messages.ts';
import { replaceModuleNames } from './module-names.ts';
import { createSourcePlugin } from './plugin.ts';
import { ALREADY_REPORTED } from './prepare-code.ts';
import { withBuildLimits } from './run-esbuild.ts';
import { findMissingBases, findOutsideFiles, findUnsupportedDecorators } from './source-problems.ts';
import { openSources, type Sources, toImportKey, type UnbundledImports } from './sources.ts';
import { describeUnresolved, parseUnresolvedSpecifier } from './unresolved.ts';

export type { BundleContext } from './bundle-context.ts';
export type { BundleProblem, SourceLocation } from './messages.ts';

/** One script whose `module.exports` is the formula. */
export interface Bundle {
  /** The code file: code.ts or code.mjs. */
  file: string;
  code: string;
  /** The texts that it was made of, by file. */
  sources: ReadonlyMap<string, string>;
  /** The versions of Node.js that packages of it support, by the name of the package. */
  nodeRanges: ReadonlyMap<string, string>;
  /** Where a place of the script comes from; undefined for what the bundler added. */
  sourcePosition(place: { line: number; column: number }): SourceLocation | undefined;
  /** The source map as JSON, with the texts and the URLs of the sources in the real `folder`. */
  sourceMap(folder: string): string;
}

/** The bundle, unless one of the faults is an error. */
export interface BundleResult {
  bundle: Bundle | undefined;
  problems: readonly BundleProblem[];
}

/** It is no fault of the sources: esbuild is missing, or cannot be started. */
function toToolProblem(error: unknown): { message: string; fix: string } {
  const { message, hint = '' } = error instanceof CliError ? error : toEsbuildError(error);
  return { message, fix: hint };
}

/**
 * Bundles `file` of a formula folder. Reads only regular files of its repository and of packages (cli.md: Bundles).
 * The result does not depend on the working folder. Never throws on what the sources contain.
 */
export async function bundleCode(
  folder: string,
  file: string,
  context: BundleContext = { excludedFolders: [] },
): Promise<BundleResult> {
  try {
    const esbuild = await loadEsbuild();
    return await withBuildLimits(esbuild, () => bundleOnce(esbuild, folder, file, context), {
      isBroken: isEsbuildBroken,
    });
  } catch (error) {
    if (error instanceof BundleError)
      return createFailedResult(file, { message: error.message, ...(error.fix && { fix: error.fix }) });
    return createFailedResult(file, toToolProblem(error));
  }
}

const createFailedResult = (file: string, problem: { message: string; fix?: string }): BundleResult => ({
  bundle: undefined,
  problems: [{ file, line: 1, column: 1, level: 'error', ...problem }],
});

type Build = Pick<typeof import('esbuild'), 'build' | 'transform'>;

async function bundleOnce(
  esbuild: Build,
  folder: string,
  file: string,
  context: BundleContext,
  unbundled: UnbundledImports = new Map(),
): Promise<BundleResult> {
  const sources = await openSources(folder, context, unbundled);
  try {
    return await bundleSources(esbuild, file, sources, (more) =>
      bundleOnce(esbuild, folder, file, context, new Map([...unbundled, ...more])),
    );
  } finally {
    sources.ignored.close();
  }
}

/** `again` bundles again and leaves imports that were not found as they are. */
async function bundleSources(
  { build, transform }: Build,
  file: string,
  sources: Sources,
  retry: (left: UnbundledImports) => Promise<BundleResult>,
): Promise<BundleResult> {
  const options = createBuildOptions(file, sources);
  const built = await withProcessLimits(() => build(options)).catch((error: Partial<BuildFailure>) => {
    if (!error.errors) throw error;
    return { errors: error.errors, warnings: error.warnings ?? [] };
  });
  const unresolved = findUnresolvedProblems(built.errors, file, sources);
  const sourceFor = (name: string) => sourceNamed(name, sources);
  const errors = await withJsxNamed(built.errors, sourceFor, transform);
  const problems = await collectProblems({ ...built, errors }, file, sources, unresolved);
  const isBroken = problems.some(({ level }) => level === 'error');
  if (!isBroken && unresolved.size > 0) return retry(unresolved);
  if (isBroken || !('outputFiles' in built)) return { bundle: undefined, problems };
  const entry = [...sources.byKey].find(([, input]) => input.file === file)?.[0] ?? '';
  // Neither import nor export, nor a use of module.exports.
  if (!built.metafile.inputs[entry]?.format) return createFailedResult(file, describeMissingExport(file));
  const { outputFiles } = built;
  const size = Math.max(...outputFiles.map(({ contents }) => contents.length));
  if (size > MAX_BUNDLE_BYTES) return createFailedResult(file, describeTooLarge(size));
  const [map, script] = [outputFiles.find(isMap), outputFiles.find((output) => !isMap(output))];
  const code = replaceModuleNames(script?.text ?? '', sources.byKey);
  const origin = createSourceLookup(JSON.parse(map?.text ?? '{}'), sources);
  return { bundle: { file, code, nodeRanges: collectNodeRanges(sources), ...origin }, problems };
}

function sourceNamed(name: string, { byKey, texts }: Sources): { file: string; text: string } | undefined {
  const input = byKey.get(name);
  const text = input && !input.isPackageFile ? texts.get(input.file) : undefined;
  return input && text !== undefined ? { file: input.file, text } : undefined;
}

const describeTooLarge = (size: number) => ({
  message: `the bundle must have at most ${MAX_BUNDLE_BYTES / MIB} MiB (got ${(size / MIB).toFixed(1)} MiB)`,
});

const isMap = ({ path }: { path: string }) => path.endsWith('.map');

function createBuildOptions(file: string, sources: Sources) {
  return {
    // The service wants the function itself as module.exports, not an object with a default.
    stdin: {
      contents: `import formula from './${file}';\nmodule.exports = formula;\n`,
      sourcefile: ENTRY,
    },
    absWorkingDir: sources.fileAccess.folder,
    plugins: [createSourcePlugin(sources)],
    // Without this, esbuild would look for the file itself.
    tsconfigRaw: { compilerOptions: sources.tsConfigs.find(sources.fileAccess.folder)?.compilerOptions ?? {} },
    outfile: 'code.js',
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node16',
    charset: 'utf8',
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'silent',
    metafile: true,
    // What Node.js 16 cannot parse is left as it is, so that the rules find it.
    supported: { 'regexp-set-notation': true, 'dynamic-import': false },
  } as const satisfies BuildOptions;
}

/** What is said of the imports that were not found; the ones that are no errors can be left as they are. */
function findUnresolvedProblems(
  errors: readonly Message[],
  file: string,
  sources: Sources,
): Map<string, BundleProblem> {
  const problems = new Map<string, BundleProblem>();
  for (const { key, location } of errors.flatMap(parseUnresolvedImport)) {
    const found = sources.unresolved.get(key);
    const sourceLocation = toSourceLocation(location, file, (name) => sources.byKey.get(name)?.file);
    if (found) problems.set(key, { ...sourceLocation, ...describeUnresolved(found) });
  }
  return problems;
}

function parseUnresolvedImport(message: Message) {
  const specifier = parseUnresolvedSpecifier(message);
  return specifier === undefined || !message.location
    ? []
    : [{ key: toImportKey(message.location.file, specifier), location: message.location }];
}

async function collectProblems(
  { errors, warnings }: Pick<BuildFailure, 'errors' | 'warnings'>,
  file: string,
  sources: Sources,
  unresolved: ReadonlyMap<string, BundleProblem>,
): Promise<BundleProblem[]> {
  const toProblem = (level: 'error' | 'warning') => (message: Message) =>
    toBundleProblem(message, file, level, (name) => sources.byKey.get(name)?.file);
  const isReported = (message: Message) =>
    message.text === ALREADY_REPORTED || parseUnresolvedImport(message).some(({ key }) => unresolved.has(key));
  const { problems: ignoredProblems, files: ignoredFiles } = await sources.ignored.finish(sources.texts);
  const faults = [
    ...errors.filter((message) => !isReported(message)).map(toProblem('error')),
    ...unresolved.values(),
    ...sources.unbundled.values(),
    ...warnings.map(toProblem('warning')),
    ...sources.problems,
    ...findMissingBases(sources),
    ...findUnsupportedDecorators(sources),
    ...findOutsideFiles(file, sources),
  ];
  // A message about a file that must not be bundled may quote it.
  return [...faults.filter((fault) => !ignoredFiles.has(fault.file)), ...ignoredProblems].sort(byLocation);
}

const byLocation = (a: BundleProblem, b: BundleProblem) =>
  a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1;

function createSourceLookup(
  payload: SourceMapPayload,
  { byKey, texts }: Sources,
): Pick<Bundle, 'sources' | 'sourcePosition' | 'sourceMap'> {
  const map = new SourceMap(payload);
  const files = payload.sources.flatMap((source) => byKey.get(source)?.file ?? []);
  return {
    sources: new Map(files.map((file) => [file, texts.get(file) ?? ''])),
    sourcePosition: ({ line, column }) => {
      const found = map.findEntry(line - 1, column - 1);
      const input = 'originalSource' in found ? byKey.get(found.originalSource) : undefined;
      if (!input || !('originalSource' in found)) return undefined;
      return { file: input.file, line: found.originalLine + 1, column: found.originalColumn + 1 };
    },
    sourceMap: (folder) => {
      const inputs = payload.sources.map((source) => byKey.get(source)?.file ?? source);
      const sources = inputs.map((file) => pathToFileURL(join(folder, file)).href);
      return JSON.stringify({ ...payload, sources, sourcesContent: inputs.map((file) => texts.get(file) ?? null) });
    },
  };
}
