/** code.ts and code.mjs with all that they import, as the one CommonJS file that the service runs. */
import { SourceMap, type SourceMapPayload } from 'node:module';
import type { BuildFailure, BuildOptions, Message } from 'esbuild';
import { CliError } from '../../errors.ts';
import { nodeRangesIn } from './engines.ts';
import { esbuildError, isEsbuildBroken, loadEsbuild } from './esbuild.ts';
import { withJsxNamed } from './jsx.ts';
import { withLimitedProcess } from './limited-spawn.ts';
import { MAX_BUNDLE_BYTES, MIB } from './limits.ts';
import { type BundleFault, ENTRY, faultOf, noExport, placeOf, type SourcePlace } from './messages.ts';
import { decoratorFaults, missingBaseFaults, outsideNote } from './notes.ts';
import { sourcePlugin } from './plugin.ts';
import { ALREADY_REPORTED } from './prepare-code.ts';
import { Refusal } from './refusal.ts';
import { withLimits } from './run-esbuild.ts';
import { withShownNames } from './shown-names.ts';
import { importKey, type LeftImports, openSources, type Sources } from './sources.ts';
import type { Surroundings } from './surroundings.ts';
import { describeUnresolved, unresolvedIn } from './unresolved.ts';

export type { BundleFault, SourcePlace } from './messages.ts';
export type { Surroundings } from './surroundings.ts';

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
  originalPlace(place: { line: number; column: number }): SourcePlace | undefined;
}

/** The bundle, unless one of the faults is an error. */
export interface Bundled {
  bundle: Bundle | undefined;
  faults: readonly BundleFault[];
}

/** It is no fault of the sources: esbuild is missing, or cannot be started. */
function asFault(error: unknown): { message: string; fix: string } {
  const { message, hint = '' } = error instanceof CliError ? error : esbuildError(error);
  return { message, fix: hint };
}

/**
 * Bundles `file` of a formula folder. Reads only regular files of its repository and of packages (cli.md: Bundles).
 * The result does not depend on the working folder. Never throws on what the sources contain.
 */
export async function bundleCode(
  folder: string,
  file: string,
  surroundings: Surroundings = { closed: [] },
): Promise<Bundled> {
  try {
    const esbuild = await loadEsbuild();
    return await withLimits(esbuild, () => bundleOnce(esbuild, folder, file, surroundings), {
      isBroken: isEsbuildBroken,
    });
  } catch (error) {
    if (error instanceof Refusal)
      return refused(file, { message: error.message, ...(error.fix && { fix: error.fix }) });
    return refused(file, asFault(error));
  }
}

const refused = (file: string, fault: { message: string; fix?: string }): Bundled => ({
  bundle: undefined,
  faults: [{ file, line: 1, column: 1, level: 'error', ...fault }],
});

type Build = Pick<typeof import('esbuild'), 'build' | 'transform'>;

async function bundleOnce(
  esbuild: Build,
  folder: string,
  file: string,
  surroundings: Surroundings,
  left: LeftImports = new Map(),
): Promise<Bundled> {
  const sources = await openSources(folder, surroundings, left);
  try {
    return await bundleSources(esbuild, file, sources, (more) =>
      bundleOnce(esbuild, folder, file, surroundings, new Map([...left, ...more])),
    );
  } finally {
    sources.ignored.close();
  }
}

/** `again` bundles anew, with imports that were not found left as they are. */
async function bundleSources(
  { build, transform }: Build,
  file: string,
  sources: Sources,
  again: (left: LeftImports) => Promise<Bundled>,
): Promise<Bundled> {
  const options = optionsFor(file, sources);
  const built = await withLimitedProcess(() => build(options)).catch((error: Partial<BuildFailure>) => {
    if (!error.errors) throw error;
    return { errors: error.errors, warnings: error.warnings ?? [] };
  });
  const unresolved = unresolvedFaults(built.errors, file, sources);
  const sourceFor = (name: string) => sourceNamed(name, sources);
  const errors = await withJsxNamed(built.errors, sourceFor, transform);
  const faults = await faultsOf({ ...built, errors }, file, sources, unresolved);
  const isBroken = faults.some(({ level }) => level === 'error');
  if (!isBroken && unresolved.size > 0) return again(unresolved);
  if (isBroken || !('outputFiles' in built)) return { bundle: undefined, faults };
  const entry = [...sources.byKey].find(([, input]) => input.file === file)?.[0] ?? '';
  // Neither import nor export, nor a use of module.exports.
  if (!built.metafile.inputs[entry]?.format) return refused(file, noExport(file));
  const { outputFiles } = built;
  const size = Math.max(...outputFiles.map(({ contents }) => contents.length));
  if (size > MAX_BUNDLE_BYTES) return refused(file, tooLarge(size));
  const [map, script] = [outputFiles.find(isMap), outputFiles.find((output) => !isMap(output))];
  const code = withShownNames(script?.text ?? '', sources.byKey);
  const origin = originOf(JSON.parse(map?.text ?? '{}'), sources);
  return { bundle: { file, code, nodeRanges: nodeRangesIn(sources), ...origin }, faults };
}

function sourceNamed(name: string, { byKey, texts }: Sources): { file: string; text: string } | undefined {
  const input = byKey.get(name);
  const text = input && !input.isPackageFile ? texts.get(input.file) : undefined;
  return input && text !== undefined ? { file: input.file, text } : undefined;
}

const tooLarge = (size: number) => ({
  message: `the bundle must have at most ${MAX_BUNDLE_BYTES / MIB} MiB (got ${(size / MIB).toFixed(1)} MiB)`,
});

const isMap = ({ path }: { path: string }) => path.endsWith('.map');

function optionsFor(file: string, sources: Sources) {
  return {
    // The service wants the function itself as module.exports, not an object with a default.
    stdin: {
      contents: `import formula from './${file}';\nmodule.exports = formula;\n`,
      sourcefile: ENTRY,
    },
    absWorkingDir: sources.gate.folder,
    plugins: [sourcePlugin(sources)],
    // Without this, esbuild would look for the file itself.
    tsconfigRaw: { compilerOptions: sources.tsConfigs.for(sources.gate.folder)?.compile ?? {} },
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
function unresolvedFaults(errors: readonly Message[], file: string, sources: Sources): Map<string, BundleFault> {
  const faults = new Map<string, BundleFault>();
  for (const { key, location } of errors.flatMap(unresolvedImport)) {
    const found = sources.unresolved.get(key);
    const place = placeOf(location, file, (name) => sources.byKey.get(name)?.file);
    if (found) faults.set(key, { ...place, ...describeUnresolved(found) });
  }
  return faults;
}

function unresolvedImport(message: Message) {
  const specifier = unresolvedIn(message);
  return specifier === undefined || !message.location
    ? []
    : [{ key: importKey(message.location.file, specifier), location: message.location }];
}

async function faultsOf(
  { errors, warnings }: Pick<BuildFailure, 'errors' | 'warnings'>,
  file: string,
  sources: Sources,
  unresolved: ReadonlyMap<string, BundleFault>,
): Promise<BundleFault[]> {
  const say = (level: 'error' | 'warning') => (message: Message) =>
    faultOf(message, file, level, (name) => sources.byKey.get(name)?.file);
  const isSaid = (message: Message) =>
    message.text === ALREADY_REPORTED || unresolvedImport(message).some(({ key }) => unresolved.has(key));
  const { faults: ignoredFaults, files: ignoredFiles } = await sources.ignored.answer(sources.texts);
  const faults = [
    ...errors.filter((message) => !isSaid(message)).map(say('error')),
    ...unresolved.values(),
    ...sources.left.values(),
    ...warnings.map(say('warning')),
    ...sources.faults,
    ...missingBaseFaults(sources),
    ...decoratorFaults(sources),
    ...outsideNote(file, sources),
  ];
  // A message about a file that must not be bundled may quote it.
  return [...faults.filter((fault) => !ignoredFiles.has(fault.file)), ...ignoredFaults].sort(byPlace);
}

const byPlace = (a: BundleFault, b: BundleFault) =>
  a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1;

function originOf(payload: SourceMapPayload, { byKey, texts }: Sources): Pick<Bundle, 'sources' | 'originalPlace'> {
  const map = new SourceMap(payload);
  const files = payload.sources.flatMap((source) => byKey.get(source)?.file ?? []);
  return {
    sources: new Map(files.map((file) => [file, texts.get(file) ?? ''])),
    originalPlace: ({ line, column }) => {
      const found = map.findEntry(line - 1, column - 1);
      const input = 'originalSource' in found ? byKey.get(found.originalSource) : undefined;
      if (!input || !('originalSource' in found)) return undefined;
      return { file: input.file, line: found.originalLine + 1, column: found.originalColumn + 1 };
    },
  };
}
