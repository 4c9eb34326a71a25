/** code.ts and code.mjs with all that they import, as the one CommonJS file that the service runs. */
import { SourceMap, type SourceMapPayload } from 'node:module';
import type { BuildOptions, Message, Plugin } from 'esbuild';
import { CliError } from '../errors.ts';
import { realPath, toRelative } from '../files/paths.ts';
import { inputCheck, inputFault } from './bundle-inputs.ts';
import { esbuildError, loadEsbuild } from './esbuild.ts';

/** A place in a file of the formula, relative to its folder; line and column count from 1. */
export interface SourcePlace {
  file: string;
  line: number;
  column: number;
}

/** What is wrong with the sources, or worth a warning. */
export interface BundleFault extends SourcePlace {
  level: 'error' | 'warning';
  message: string;
  fix?: string;
}

/** One script whose `module.exports` is the formula. */
export interface Bundle {
  /** The code file: code.ts or code.mjs. */
  file: string;
  code: string;
  /** The texts that it was made of, by file. */
  sources: ReadonlyMap<string, string>;
  /** Where a place of the script comes from; undefined for what the bundler added. */
  originalPlace(place: { line: number; column: number }): SourcePlace | undefined;
}

/** The bundle, unless one of the faults is an error. */
export interface Bundled {
  bundle: Bundle | undefined;
  faults: readonly BundleFault[];
}

/**
 * Bundles `file` of a formula folder; nothing is taken from the folders that are `closed`. The result does not depend
 * on the working folder. Never throws on what the sources hold.
 */
export async function bundleCode(folder: string, file: string, closed: readonly string[] = []): Promise<Bundled> {
  try {
    const { build } = await loadEsbuild();
    const { outputFiles, warnings, metafile } = await build(optionsFor(realPath(folder), file, closed));
    // Neither import nor export, nor a use of module.exports.
    if (!metafile.inputs[file]?.format) return refused(file, NO_EXPORT(file));
    const [map, script] = [outputFiles.find(isMap), outputFiles.find((output) => !isMap(output))];
    const faults = warnings.map((message) => faultOf(message, file, 'warning'));
    // Only comments can hold line ends of the sources; what is sent must not depend on them.
    const code = (script?.text ?? '').replaceAll('\r\n', '\n');
    return { bundle: { file, code, ...originOf(JSON.parse(map?.text ?? '{}')) }, faults };
  } catch (error) {
    const { errors } = error as { errors?: readonly Message[] };
    if (!errors) return refused(file, asFault(error));
    return { bundle: undefined, faults: errors.map((message) => faultOf(message, file, 'error')) };
  }
}

/** It is no fault of the sources: esbuild is missing, or cannot be started. */
function asFault(error: unknown): { message: string; fix: string } {
  const { message, hint = '' } = error instanceof CliError ? error : esbuildError(error);
  return { message, fix: hint };
}

const NO_EXPORT = (file: string) => ({
  message: `${file} has no default export; wanted is the function that the service calls`,
  fix: 'write export default async …',
});

const refused = (file: string, fault: { message: string; fix: string }): Bundled => ({
  bundle: undefined,
  faults: [{ file, line: 1, column: 1, level: 'error', ...fault }],
});

const isMap = ({ path }: { path: string }) => path.endsWith('.map');

const ENTRY = 'formula';

function optionsFor(folder: string, file: string, closed: readonly string[]) {
  return {
    // The service wants the function itself as module.exports, not an object with a default.
    stdin: {
      contents: `import formula from './${file}';\nmodule.exports = formula;\n`,
      resolveDir: folder,
      sourcefile: ENTRY,
    },
    absWorkingDir: folder,
    plugins: [guardInputs(folder, closed)],
    outfile: 'code.js',
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node16',
    charset: 'utf8',
    sourcemap: 'external',
    logLevel: 'silent',
    metafile: true,
    // What Node.js 16 cannot parse is left as it is, so that the rules find it.
    supported: { 'regexp-set-notation': true, 'dynamic-import': false },
    // A path that is known only when the code runs cannot be bundled.
    logOverride: { 'unsupported-require-call': 'error', 'unsupported-dynamic-import': 'error' },
  } as const satisfies BuildOptions;
}

/** Refuses each import that leads out of the repository, before the file is read. */
function guardInputs(folder: string, closed: readonly string[]): Plugin {
  const mayHold = inputCheck(folder, closed);
  return {
    name: 'inputs',
    setup: ({ onLoad }) =>
      onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => {
        const name = toRelative(folder, path);
        if (!mayHold(path)) return { errors: [{ text: `Outside of the repository: ${name}` }] };
        const fault = inputFault(path);
        return fault === undefined ? undefined : { errors: [{ text: `Not to be read: ${name}: ${fault}` }] };
      }),
  };
}

function originOf(payload: SourceMapPayload): Pick<Bundle, 'sources' | 'originalPlace'> {
  const map = new SourceMap(payload);
  const texts = (payload as { sourcesContent?: (string | null)[] }).sourcesContent ?? [];
  return {
    sources: new Map(
      payload.sources.flatMap((source, i) => (source === ENTRY ? [] : [[source, texts[i] ?? ''] as const])),
    ),
    originalPlace: ({ line, column }) => {
      const found = map.findEntry(line - 1, column - 1);
      if (!('originalSource' in found) || found.originalSource === ENTRY) return undefined;
      return { file: found.originalSource, line: found.originalLine + 1, column: found.originalColumn + 1 };
    },
  };
}

/** esbuild's message in the words of a finding. */
function faultOf({ text, location }: Message, file: string, level: BundleFault['level']): BundleFault {
  // What is wrong with the entry is a wrong export of the file that it imports.
  const place =
    location && location.file !== ENTRY
      ? { file: location.file, line: location.line, column: columnOf(location) }
      : { file, line: 1, column: 1 };
  const known = WORDS.map(([pattern, say]) => [pattern.exec(text), say] as const).find(([match]) => match);
  const [match, say] = known ?? [];
  return { ...place, level, ...(match && say ? say(match[1] ?? '', file) : { message: text }) };
}

/** esbuild counts columns in bytes. */
const columnOf = ({ lineText, column }: { lineText: string; column: number }) =>
  Buffer.from(lineText).subarray(0, column).toString().length + 1;

type Words = (name: string, file: string) => { message: string; fix?: string };

const WORDS: readonly [RegExp, Words][] = [
  [/^No matching export in .* for import "default"/, (_, file) => NO_EXPORT(file)],
  [
    /^Could not resolve "(.*)"/,
    (name) => ({
      message: `the import ${JSON.stringify(name)} cannot be found, so it cannot be bundled`,
      fix: /^[./]/.test(name) ? 'check the path' : `npm install ${packageOf(name)}`,
    }),
  ],
  [
    /^Outside of the repository: (.*)/,
    (name) => ({
      message: `this import leads to ${name}, outside of the formula's repository; it would be sent with the code`,
      fix: 'keep what is bundled in the same repository as the formula, or in a package of its node_modules',
    }),
  ],
  [
    /^Not to be read: (.*)/,
    (name) => ({ message: `this import cannot be read: ${name}`, fix: 'import a file of code or data' }),
  ],
  [
    /^No loader is configured for "\.node" files: (.*)/,
    (name) => ({
      message: `${name} is a native addon, which cannot be part of one JavaScript file`,
      fix: 'use a package without native parts',
    }),
  ],
  [
    /^Top-level await/,
    () => ({
      message: 'there is an await outside a function, which a CommonJS script cannot have',
      fix: 'move the await into the function: export default async …',
    }),
  ],
  [
    /^This call to "require" will not be bundled/,
    () => ({
      message: 'a require whose path is known only when the code runs cannot be bundled',
      fix: 'write the path as a text',
    }),
  ],
  [
    /^This "import" expression will not be bundled/,
    () => ({
      message: 'an import() whose path is known only when the code runs cannot be bundled',
      fix: 'write the path as a text',
    }),
  ],
];

/** `@scope/name/file` is of the package `@scope/name`. */
const packageOf = (name: string) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
