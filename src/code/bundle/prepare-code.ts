/** Prepares code for esbuild, so that it does not search the disk for dynamic loads and source maps. */
import type { Loader, OnLoadResult } from 'esbuild';
import type { Input } from './input.ts';
import { toCharacterColumn } from './messages.ts';
import type { Sources } from './sources.ts';

/** Throws BundleError. */
export async function prepareCode(text: string, loader: Loader, input: Input, sources: Sources): Promise<OnLoadResult> {
  const { fileAccess, problems, transform } = sources;
  const mustParse = mayLoadDynamically(text) || text.includes('import.meta');
  const { offsets, usesMeta } = mustParse ? await findLoads(text, loader, transform) : NO_LOADS;
  let contents = text;
  if (offsets.length > 0) {
    // Loads the parser lazily.
    const { expandLoads } = await import('./dynamic-loads.ts');
    const expanded = expandLoads(text, offsets, input, fileAccess);
    contents = expanded.text;
    problems.push(...expanded.problems);
  }
  // Imports are hoisted, and at the end they move nothing.
  if (usesMeta) contents += `\nimport { ${META_URL_NAME} } from "${META_URL.path}";`;
  // esbuild reads the source map of the last reference, so one to nothing is appended.
  if (text.includes(REFERENCE)) contents += `\n//# ${REFERENCE}none:`;
  return { contents, loader };
}

/** CommonJS has no `import.meta.url`: it is replaced by this name, which a module of the bundler defines. */
export const META_URL_NAME = '__importMetaUrl';
export const META_URL = { path: 'import.meta.url', namespace: 'formula' };

const NO_LOADS = { offsets: [], usesMeta: false };

/** Joined, so that tools do not take it for a reference of this file. */
const REFERENCE = ['source', 'URL='].join('Mapping');

/** The offsets of `require` and `import()` without a string literal. */
async function findLoads(text: string, loader: Loader, transform: Sources['transform']) {
  const level = { 'unsupported-require-call': 'warning', 'unsupported-dynamic-import': 'warning' } as const;
  try {
    // Without bundling, esbuild warns about all of them, also about those that it would expand to several files.
    const options = { loader, format: 'cjs', platform: 'node', logOverride: level, logLevel: 'silent' } as const;
    const { warnings } = await transform(text, options);
    const starts = [0, ...[...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map((end) => end.index + end[0].length)];
    const offsets = warnings.flatMap(({ id, location }) =>
      id in level && location ? (starts[location.line - 1] ?? 0) + toCharacterColumn(location) - 1 : [],
    );
    return { offsets, usesMeta: warnings.some(({ id }) => id === 'empty-import-meta') };
  } catch (error) {
    // The build reports what is wrong with the code.
    if (Array.isArray((error as { errors?: unknown }).errors)) return NO_LOADS;
    throw error;
  }
}

/** False only if every `require(` and `import(` has a string literal. True for some code without dynamic loads. */
export const mayLoadDynamically = (text: string): boolean => LOAD.test(text.replace(STATIC, ' '));

/** Also with escapes of letters, and `module[…]`, which esbuild may resolve to `module.require`. */
const LOAD = /require|import|\\u\{?0*[67][0-9a-fA-F]|\bmodule\s*(\?\.)?\[/;

/** Before a plain call, the rest of a longer name, a property, an operator other than a call, or an `import` statement. */
const STATIC = new RegExp(
  [
    /(?:require|import)(?=\s*\(\s*(?:'[^'\\\n]*'|"[^"\\\n]*")\s*\))/,
    /require(?=[\w$]|\s*(?:[.,;:=}\]&|?]|[!=]==?)(?![(.]))/,
    /import(?=[\w$]|\s*\.meta\b|\s+[\w${*]|\s*['"{*])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
