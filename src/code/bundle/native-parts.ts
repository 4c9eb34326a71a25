/** Finds packages that load native parts, which cannot be part of one JavaScript file. */
import { locateImport } from './ignored-inputs.ts';
import type { Importer, Input } from './input.ts';
import type { BundleProblem } from './messages.ts';
import { getPackageName, parsePackageName } from './package-name.ts';
import type { Sources } from './sources.ts';

const LOADERS = ['bindings', 'node-gyp-build', 'node-gyp-build-optional-packages', '@mapbox/node-pre-gyp'];

/** Whether an import of a package loads a native part: a file, or a package that finds and loads it. */
export const isNativeLoad = (specifier: string): boolean =>
  specifier.endsWith('.node') || LOADERS.includes(getPackageName(specifier));

/** One problem for each package, at the formula's import that leads to it; a note if a `try` is on the way. */
export function findNativeParts({ native, byKey, texts }: Sources): BundleProblem[] {
  const byFile = new Map([...byKey.values()].map((input) => [input.file, input]));
  const found = new Map<string, BundleProblem>();
  for (const { input, specifier } of native) {
    const name = parsePackageName(input.displayName) ?? input.displayName;
    if (found.get(name)?.level === 'warning') continue;
    const { own, isTried } = findOwnImport({ file: input.file, specifier }, byFile, texts);
    found.set(name, {
      ...locateImport([own], texts),
      level: isTried ? 'note' : 'warning',
      message: `the bundled package ${JSON.stringify(name)} loads a native part, which is not sent${isTried ? '; the load is in a try' : ''}`,
      fix: 'Use a package without native parts.',
    });
  }
  return [...found.values()];
}

/** The import of the formula's own files that leads to an import of a package, the shortest way. */
function findOwnImport(start: Importer, byFile: ReadonlyMap<string, Input>, texts: ReadonlyMap<string, string>) {
  const isInTry = ({ file, specifier }: Importer) => isLoadedInTry(texts.get(file) ?? '', specifier);
  const queue = [{ own: start, isTried: isInTry(start) }];
  const seen = new Set<string>();
  for (const one of queue) {
    const input = byFile.get(one.own.file);
    if (!input?.isPackageFile) return one;
    if (seen.has(one.own.file)) continue;
    seen.add(one.own.file);
    queue.push(...input.importers.map((own) => ({ own, isTried: one.isTried || isInTry(own) })));
  }
  return { own: start, isTried: false };
}

/** Whether the block of a `try` seems to contain an import of a specifier. */
const isLoadedInTry = (text: string, specifier: string) =>
  [...text.matchAll(/\btry\s*\{([^}]*)/g)].some(([, block = '']) =>
    ["'", '"', '`'].some((quote) => block.includes(quote + specifier + quote)),
  );
