/** Bundles code.ts and code.mjs with their imports to one CommonJS file. */
import type { BuildFailure } from 'esbuild';
import { CliError } from '../../errors.ts';
import { createBuildOptions } from './build-options.ts';
import type { BundleContext } from './bundle-context.ts';
import { BundleError } from './bundle-error.ts';
import { collectProblems, findUnresolvedProblems } from './collect-problems.ts';
import { collectNodeRanges } from './engines.ts';
import { isEsbuildBroken, loadEsbuild, toEsbuildError } from './esbuild.ts';
import { withJsxNamed } from './jsx.ts';
import { withProcessLimits } from './limited-spawn.ts';
import { MAX_BUNDLE_BYTES, MIB } from './limits.ts';
import { type BundleProblem, describeMissingExport } from './messages.ts';
import { replaceModuleNames } from './module-names.ts';
import { withBuildLimits } from './run-esbuild.ts';
import { createSourceLookup, type SourceLookup } from './source-lookup.ts';
import { openSources, type Sources, type UnbundledImports } from './sources.ts';

export type { BundleContext } from './bundle-context.ts';
export type { BundleProblem, SourceLocation } from './messages.ts';

/** A script whose `module.exports` is the formula. */
export interface Bundle extends SourceLookup {
  /** The code file: code.ts or code.mjs. */
  file: string;
  code: string;
  /** The versions of Node.js that bundled packages support, by package name. */
  nodeRanges: ReadonlyMap<string, string>;
}

/** `bundle` is undefined if one of the problems is an error. */
export interface BundleResult {
  bundle: Bundle | undefined;
  problems: readonly BundleProblem[];
}

/** A problem of esbuild itself: it is missing, or cannot be started. */
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

/** `retry` bundles again, and keeps these unresolved imports in the bundle. */
async function bundleSources(
  { build, transform }: Build,
  file: string,
  sources: Sources,
  retry: (unresolved: UnbundledImports) => Promise<BundleResult>,
): Promise<BundleResult> {
  const options = createBuildOptions(file, sources);
  const built = await withProcessLimits(() => build(options)).catch((error: Partial<BuildFailure>) => {
    if (!error.errors) throw error;
    return { errors: error.errors, warnings: error.warnings ?? [] };
  });
  const unresolved = findUnresolvedProblems(built.errors, file, sources);
  const sourceFor = (name: string) => findOwnSource(name, sources);
  const errors = await withJsxNamed(built.errors, sourceFor, transform);
  const problems = await collectProblems({ ...built, errors }, file, sources, unresolved);
  const isBroken = problems.some(({ level }) => level === 'error');
  if (!isBroken && unresolved.size > 0) return retry(unresolved);
  if (isBroken || !('outputFiles' in built)) return { bundle: undefined, problems };
  const entry = [...sources.byKey].find(([, input]) => input.file === file)?.[0] ?? '';
  // esbuild detects no format without import, export, or module.exports.
  if (!built.metafile.inputs[entry]?.format) return createFailedResult(file, describeMissingExport(file));
  const { outputFiles } = built;
  const size = Math.max(...outputFiles.map(({ contents }) => contents.length));
  if (size > MAX_BUNDLE_BYTES) return createFailedResult(file, describeTooLarge(size));
  const [sourceMap, script] = [outputFiles.find(isMap), outputFiles.find((output) => !isMap(output))];
  const code = replaceModuleNames(script?.text ?? '', sources.byKey);
  const origin = createSourceLookup(JSON.parse(sourceMap?.text ?? '{}'), sources);
  return { bundle: { file, code, nodeRanges: collectNodeRanges(sources), ...origin }, problems };
}

function findOwnSource(name: string, { byKey, texts }: Sources): { file: string; text: string } | undefined {
  const input = byKey.get(name);
  const text = input && !input.isPackageFile ? texts.get(input.file) : undefined;
  return input && text !== undefined ? { file: input.file, text } : undefined;
}

const describeTooLarge = (size: number) => ({
  message: `the bundle must have at most ${MAX_BUNDLE_BYTES / MIB} MiB (got ${(size / MIB).toFixed(1)} MiB)`,
});

const isMap = ({ path }: { path: string }) => path.endsWith('.map');
