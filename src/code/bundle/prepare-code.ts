/** Prepares code for esbuild, so that it does not search the disk for dynamic loads and source maps. */
import type { Loader, Message, OnLoadResult, TransformOptions } from 'esbuild';
import type { ExpandedCode } from './expand-loads.ts';
import { type Input, toInputKey } from './input.ts';
import { toBundleProblem } from './messages.ts';
import type { Sources } from './sources.ts';

/** esbuild's `transform`, which reads no files. */
export type Transform = (text: string, options: TransformOptions) => Promise<{ code: string; warnings: Message[] }>;

/** Throws BundleError, or esbuild's error for broken code. */
export async function prepareCode(
  text: string,
  loader: Loader,
  input: Input,
  sources: Sources,
  transform: Transform,
): Promise<OnLoadResult> {
  const mustParse = mayLoadDynamically(text) || text.includes('import.meta');
  const loads = mustParse ? await findLoads(text, loader, transform) : NO_LOADS;
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
  // Imports are hoisted, and at the end they move nothing.
  const withUrl = loads.usesMeta ? `${expanded}\nimport { ${META_URL_NAME} } from "${META_URL.path}";` : expanded;
  return { contents: disableSourceMap(withUrl), loader };
}

/** CommonJS has no `import.meta.url`: it is replaced by this name, which a module of the bundler defines. */
export const META_URL_NAME = '__importMetaUrl';
export const META_URL = { path: 'import.meta.url', namespace: 'formula' };

const NO_LOADS = { offsets: [], messages: [], usesMeta: false };

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
    const offsets = warnings.filter(({ id }) => id in level).flatMap((message) => toOffset(message, text));
    return { offsets, messages: [], usesMeta: warnings.some(({ id }) => id === 'empty-import-meta') };
  } catch (error) {
    const { errors } = error as { errors?: Message[] };
    if (!errors) throw error;
    const file = `code.${loader}`;
    return { ...NO_LOADS, messages: await withJsxNamed(errors, () => ({ file, text }), transform) };
  }
}

function toOffset({ location }: Message, text: string): number[] {
  if (!location) return [];
  const ends = [...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)];
  const end = ends[location.line - 2];
  const start = location.line === 1 || !end ? 0 : end.index + end[0].length;
  return [start + Buffer.from(location.lineText).subarray(0, location.column).toString().length];
}

/** False only if every `require(` and `import(` has a string literal. True for some code without dynamic loads. */
export function mayLoadDynamically(text: string): boolean {
  if (/\\u\{?0*[67][0-9a-f]/i.test(text) && /require|import|\\u/.test(text)) return true;
  // esbuild may resolve `module[…]` to `module.require`.
  if (/\bmodule\s*(\?\.)?\[/.test(text)) return true;
  for (const [, keyword = '', rest = ''] of text.matchAll(/(require|import)(?=([\s\S]{0,200}))/g)) {
    if (!isStatic(keyword, rest)) return true;
  }
  return false;
}

const PLAIN_CALL = /^\s*\(\s*(?:'[^'\\\n]*'|"[^"\\\n]*")\s*\)/;
/** A longer name, a property, an operator other than a call, or an `import` statement. */
const OTHER_USE = {
  require: /^(?:[\w$]|\s*(?:[.,;:=}\]&|?]|[!=]==?)(?![(.]))/,
  import: /^(?:[\w$]|\s*\.meta\b|\s+[\w${*]|\s*['"{*])/,
};

const isStatic = (keyword: string, rest: string) =>
  PLAIN_CALL.test(rest) || OTHER_USE[keyword as keyof typeof OTHER_USE].test(rest);

/** esbuild's message about JSX in JavaScript. */
const JSX = 'The JSX syntax extension is not currently enabled';

/** `sourceFor`: the file and text of a name of esbuild. */
export const withJsxNamed = (
  errors: readonly Message[],
  sourceFor: (name: string) => { file: string; text: string } | undefined,
  transform: Transform,
): Promise<Message[]> =>
  Promise.all(
    errors.map(async (message) => {
      const { file = '', text = '' } = (message.location && sourceFor(message.location.file)) ?? {};
      return /\.[cm]?ts$/.test(file) && (await isJsx(text, transform)) ? { ...message, text: JSX } : message;
    }),
  );

const isJsx = async (text: string, transform: Transform): Promise<boolean> =>
  !(await isValid(text, 'ts', transform)) && (await isValid(text, 'tsx', transform));

const isValid = (text: string, loader: 'ts' | 'tsx', transform: Transform): Promise<boolean> =>
  transform(text, { loader, logLevel: 'silent' }).then(
    () => true,
    () => false,
  );
