/** Bundles code.ts and code.mjs with their imports to one CommonJS file. */
import { join } from 'node:path';
import type { BuildFailure, BuildOptions, Metafile, Plugin } from 'esbuild';
import { CliError } from '../../errors.ts';
import { collectProblems } from './collect-problems.ts';
import { collectNodeRanges } from './engines.ts';
import { loadEsbuild, toEsbuildError } from './esbuild.ts';
import type { BundleContext } from './file-access.ts';
import { createGuard } from './guard.ts';
import { withProcessLimits } from './limited-spawn.ts';
import { MAX_BUNDLE_BYTES, MIB } from './limits.ts';
import { BundleError, type BundleProblem, describeMissingExport, ENTRY } from './messages.ts';
import { parsePackageName } from './package-name.ts';
import { META_URL_NAME } from './prepare-code.ts';
import { withBuildLimits } from './run-esbuild.ts';
import { createSourceLookup, replaceModuleNames, type SourceLookup } from './source-lookup.ts';
import { openSources, type Sources, type UnbundledImports } from './sources.ts';

export type { BundleContext } from './file-access.ts';
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
    const bundle = () => bundleOnce(esbuild, folder, file, context);
    return await withBuildLimits(esbuild, bundle);
  } catch (error) {
    if (error instanceof BundleError) return createFailedResult(file, error.detail);
    // esbuild itself is missing, or cannot be started.
    const { message, hint = '' } = error instanceof CliError ? error : toEsbuildError(error);
    return createFailedResult(file, { message, fix: hint });
  }
}

const createFailedResult = (file: string, problem: Partial<BundleProblem> & { message: string }): BundleResult => ({
  bundle: undefined,
  problems: [{ file, line: 1, column: 1, level: 'error', ...problem }],
});

type Esbuild = Pick<typeof import('esbuild'), 'build' | 'transform'>;

async function bundleOnce(
  esbuild: Esbuild,
  folder: string,
  file: string,
  context: BundleContext,
  unbundled: UnbundledImports = new Map(),
): Promise<BundleResult> {
  const sources = openSources(folder, context, unbundled, esbuild.transform);
  sources.settings.check(sources.fileAccess.folder);
  const options = createBuildOptions(file, sources.fileAccess.folder, createGuard(sources));
  const built = await withProcessLimits(() => esbuild.build(options)).catch((error: Partial<BuildFailure>) => {
    if (!error.errors) throw error;
    return { errors: error.errors, warnings: error.warnings ?? [] };
  });
  const { problems, unresolved } = await collectProblems(built, file, sources);
  const isBroken = problems.some(({ level }) => level === 'error');
  if (!isBroken && unresolved.size > 0)
    return bundleOnce(esbuild, folder, file, context, new Map([...unbundled, ...unresolved]));
  if (isBroken || !('outputFiles' in built)) return { bundle: undefined, problems };
  const text = sources.texts.get(file) ?? '';
  if (!mayExportFunction(built.metafile.inputs[file]?.format, text))
    return createFailedResult(file, describeMissingExport(file));
  const { outputFiles } = built;
  const size = Math.max(...outputFiles.map(({ contents }) => contents.length));
  if (size > MAX_BUNDLE_BYTES) return createFailedResult(file, describeTooLarge(size, built.metafile, sources));
  const [sourceMap, script] = [outputFiles.find(isMap), outputFiles.find((output) => !isMap(output))];
  const code = replaceModuleNames(script?.text ?? '', sources.byKey);
  const origin = createSourceLookup(JSON.parse(sourceMap?.text ?? '{}'), sources);
  return { bundle: { file, code, nodeRanges: collectNodeRanges(sources), ...origin }, problems };
}

/** esbuild detects no format without import, export, or module.exports. With only `exports.default = …`, it is an object. */
const mayExportFunction = (format: string | undefined, text: string) =>
  format !== undefined && (!/\bexports\.\w+ *=[^=]/.test(text) || OTHER_EXPORTS.test(text) || format !== 'cjs');

const OTHER_EXPORTS = /\b(?:module|__esModule|this|arguments|eval|require\.cache|export)\b|\\u/;

const isMap = ({ path }: { path: string }) => path.endsWith('.map');

const createBuildOptions = (file: string, folder: string, guard: Plugin) =>
  ({
    // The service requires the function itself as module.exports, not an object with a default.
    stdin: {
      contents: `import formula from './${file}';\nmodule.exports = formula;\n`,
      sourcefile: ENTRY,
      resolveDir: folder,
    },
    absWorkingDir: folder,
    plugins: [guard],
    outfile: join(folder, 'code.js'),
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
    // CommonJS has no import.meta.url.
    define: { 'import.meta.url': META_URL_NAME },
    // Syntax that Node.js 16 cannot parse is not compiled, so that the rules find it.
    supported: { 'regexp-set-notation': true, 'dynamic-import': false },
  }) as const satisfies BuildOptions;

/** Names the largest packages. */
function describeTooLarge(size: number, { outputs }: Metafile, { findInput }: Sources) {
  const sizes = new Map<string, number>();
  for (const [name, { bytesInOutput }] of Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))) {
    const packageName = parsePackageName(findInput(name)?.displayName ?? '');
    if (packageName !== undefined) sizes.set(packageName, (sizes.get(packageName) ?? 0) + bytesInOutput);
  }
  const [first, ...others] = [...sizes].sort(([, a], [, b]) => b - a).slice(0, 3);
  const format = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;
  const largest = first && [first, ...others].map(([name, bytes]) => `${name} (${format(bytes)})`).join(', ');
  return {
    message: `the bundle must have at most ${MAX_BUNDLE_BYTES / MIB} MiB (got ${format(size)})${largest ? `; the largest packages are ${largest}` : ''}`,
    ...(first && { fix: `Import only the part that the code uses: import … from '${first[0]}/…'` }),
  };
}
