/** The text of a code file as esbuild gets it: so that it looks for nothing else on the disk because of it. */
import { dirname } from 'node:path';
import type { Loader, Message, OnLoadResult, TransformOptions } from 'esbuild';
import type { Expanded } from './expand-loads.ts';
import { type Input, keyOf, NAMESPACE } from './input.ts';
import { withJsxNamed } from './jsx.ts';
import { mayLoadDynamically } from './may-load-dynamically.ts';
import { faultOf } from './messages.ts';
import type { Sources } from './sources.ts';

/** The one function of esbuild that reads no file. */
export type Transform = (text: string, options: TransformOptions) => Promise<{ code: string; warnings: Message[] }>;

/** Throws Refusal, or esbuild's error for broken code. */
export async function prepareCode(
  text: string,
  loader: Loader,
  input: Input,
  sources: Sources,
  transform: Transform,
): Promise<OnLoadResult> {
  const loads = mayLoadDynamically(text) ? await findLoads(text, loader, transform) : { offsets: [], messages: [] };
  if (loads.messages.length > 0) {
    sources.faults.push(
      ...loads.messages.map((message) => faultOf(atInput(message, input), input.file, 'error', () => input.file)),
    );
    return { errors: [{ text: ALREADY_REPORTED }] };
  }
  const { text: expanded, faults } = await withExpandedLoads(text, loads.offsets, input, sources);
  sources.faults.push(...faults);
  const compiled = await compileApart(expanded, loader, input, sources, transform);
  return compiled ?? { contents: withoutSourceMap(expanded), loader };
}

/** The parser for this is loaded only where it is needed. */
async function withExpandedLoads(text: string, offsets: number[], input: Input, { gate }: Sources): Promise<Expanded> {
  if (offsets.length === 0) return { text, faults: [] };
  const { expandLoads } = await import('./expand-loads.ts');
  return expandLoads(text, offsets, input, gate);
}

/** The text of an error that was added to the faults already. */
export const ALREADY_REPORTED = 'already reported';

const atInput = (message: Message, input: Input): Message => ({
  ...message,
  location: message.location && { ...message.location, file: keyOf(input) },
});

/** A reference of the source to a map would make esbuild read that; the last one counts, and this one is nowhere. */
const withoutSourceMap = (text: string) => (text.includes(REFERENCE) ? `${text}\n//# ${REFERENCE}none:` : text);

/** In parts, since other tools would take it for a reference of this file. */
const REFERENCE = ['source', 'URL='].join('Mapping');

/** Where a text calls `require` or `import()` with anything but a string; or the messages about broken code. */
async function findLoads(text: string, loader: Loader, transform: Transform) {
  const level = { 'unsupported-require-call': 'warning', 'unsupported-dynamic-import': 'warning' } as const;
  try {
    // What it warns of are the same expressions that it takes for more than one path when it bundles.
    const options = { loader, format: 'cjs', platform: 'node', logOverride: level, logLevel: 'silent' } as const;
    const { warnings } = await transform(text, options);
    const found = warnings.filter(({ id }) => id in level);
    return { offsets: found.flatMap((message) => offsetOf(message, text)), messages: [] };
  } catch (error) {
    const { errors } = error as { errors?: Message[] };
    if (!errors) throw error;
    const file = `code.${loader}`;
    return { offsets: [], messages: await withJsxNamed(errors, () => ({ file, text }), transform) };
  }
}

function offsetOf({ location }: Message, text: string): number[] {
  if (!location) return [];
  const ends = [...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)];
  const end = ends[location.line - 2];
  const start = location.line === 1 || !end ? 0 : end.index + end[0].length;
  return [start + Buffer.from(location.lineText).subarray(0, location.column).toString().length];
}

/** esbuild compiles all TypeScript of a bundle alike; a file with other settings than the formula's is compiled before. */
async function compileApart(
  text: string,
  loader: Loader,
  input: Input,
  sources: Sources,
  transform: Transform,
): Promise<OnLoadResult | undefined> {
  if (loader === 'js' || input.isPackageFile || input.data) return undefined;
  const [own, common] = [dirname(input.path), sources.gate.folder].map((folder) =>
    JSON.stringify(sources.tsConfigs.for(folder)?.compile ?? {}),
  );
  if (own === common || own === undefined) return undefined;
  const { code } = await transform(text, {
    loader,
    sourcefile: keyOf(input).slice(NAMESPACE.length + 1),
    sourcemap: 'inline',
    sourcesContent: false,
    target: 'esnext',
    charset: 'utf8',
    tsconfigRaw: `{"compilerOptions":${own}}`,
    logLevel: 'silent',
  });
  return { contents: code, loader: 'js' };
}
