/** Prepares code for esbuild, so that it does not search the disk for dynamic loads and source maps. */
import { dirname } from 'node:path';
import type { Loader, Message, OnLoadResult } from 'esbuild';
import type { ExpandedCode } from './expand-loads.ts';
import { type Input, NAMESPACE, toInputKey } from './input.ts';
import { type Transform, withJsxNamed } from './jsx.ts';
import { mayLoadDynamically } from './may-load-dynamically.ts';
import { toBundleProblem } from './messages.ts';
import type { Sources } from './sources.ts';

/** Throws BundleError, or esbuild's error for broken code. */
export async function prepareCode(
  text: string,
  loader: Loader,
  input: Input,
  sources: Sources,
  transform: Transform,
): Promise<OnLoadResult> {
  const loads = mayLoadDynamically(text) ? await findLoads(text, loader, transform) : { offsets: [], messages: [] };
  if (loads.messages.length > 0) {
    sources.problems.push(
      ...loads.messages.map((message) =>
        toBundleProblem(relocateMessage(message, input), input.file, 'error', () => input.file),
      ),
    );
    return { errors: [{ text: ALREADY_REPORTED }] };
  }
  const { text: expanded, problems } = await expandDynamicLoads(text, loads.offsets, input, sources);
  sources.problems.push(...problems);
  const compiled = await compileWithOwnOptions(expanded, loader, input, sources, transform);
  return compiled ?? { contents: disableSourceMap(expanded), loader };
}

/** Loads the parser lazily. */
async function expandDynamicLoads(
  text: string,
  offsets: number[],
  input: Input,
  { fileAccess }: Sources,
): Promise<ExpandedCode> {
  if (offsets.length === 0) return { text, problems: [] };
  const { expandLoads } = await import('./expand-loads.ts');
  return expandLoads(text, offsets, input, fileAccess);
}

/** The text of an error that is already among the problems. */
export const ALREADY_REPORTED = 'already reported';

const relocateMessage = (message: Message, input: Input): Message => ({
  ...message,
  location: message.location && { ...message.location, file: toInputKey(input) },
});

/** esbuild reads the source map of the last reference, so one to nothing is appended. */
const disableSourceMap = (text: string) => (text.includes(REFERENCE) ? `${text}\n//# ${REFERENCE}none:` : text);

/** Joined, so that tools do not take it for a reference of this file. */
const REFERENCE = ['source', 'URL='].join('Mapping');

/** The offsets of `require` and `import()` without a string literal; or the messages about broken code. */
async function findLoads(text: string, loader: Loader, transform: Transform) {
  const level = { 'unsupported-require-call': 'warning', 'unsupported-dynamic-import': 'warning' } as const;
  try {
    // Without bundling, esbuild warns about all of them, also about those that it would expand to several files.
    const options = { loader, format: 'cjs', platform: 'node', logOverride: level, logLevel: 'silent' } as const;
    const { warnings } = await transform(text, options);
    const found = warnings.filter(({ id }) => id in level);
    return { offsets: found.flatMap((message) => toOffset(message, text)), messages: [] };
  } catch (error) {
    const { errors } = error as { errors?: Message[] };
    if (!errors) throw error;
    const file = `code.${loader}`;
    return { offsets: [], messages: await withJsxNamed(errors, () => ({ file, text }), transform) };
  }
}

function toOffset({ location }: Message, text: string): number[] {
  if (!location) return [];
  const ends = [...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)];
  const end = ends[location.line - 2];
  const start = location.line === 1 || !end ? 0 : end.index + end[0].length;
  return [start + Buffer.from(location.lineText).subarray(0, location.column).toString().length];
}

/** esbuild compiles all files with the same options, so a file with options of its own is compiled before. */
async function compileWithOwnOptions(
  text: string,
  loader: Loader,
  input: Input,
  sources: Sources,
  transform: Transform,
): Promise<OnLoadResult | undefined> {
  if (loader === 'js' || input.isPackageFile || input.data) return undefined;
  const [own, common] = [dirname(input.path), sources.fileAccess.folder].map((folder) =>
    JSON.stringify(sources.tsConfigs.find(folder)?.compilerOptions ?? {}),
  );
  if (own === common || own === undefined) return undefined;
  const { code } = await transform(text, {
    loader,
    sourcefile: toInputKey(input).slice(NAMESPACE.length + 1),
    sourcemap: 'inline',
    sourcesContent: false,
    target: 'esnext',
    charset: 'utf8',
    tsconfigRaw: `{"compilerOptions":${own}}`,
    logLevel: 'silent',
  });
  return { contents: code, loader: 'js' };
}
