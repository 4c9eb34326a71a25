/** Analyzes the formula's own files of a large bundle. */
import { analyzeProgram, type CodeFacts } from './analysis.ts';
import { findModules, isBundle } from './bundle/bundled-modules.ts';
import { MAX_BUNDLE_BYTES } from './bundle/limits.ts';
import { parseWithMeriyah } from './parse/parse.ts';

const UNKNOWN: CodeFacts = { error: undefined, analysis: undefined };

/** The facts about a large bundle; empty if the text is not a bundle, or its own files alone are too large. */
export function analyzeLargeBundle(text: string, limit: number): CodeFacts {
  if (text.length > MAX_BUNDLE_BYTES || !isBundle(text)) return UNKNOWN;
  const own = blankPackages(text);
  if (own.replace(/ +/g, '').length > limit) return UNKNOWN;
  const { program, error } = parseWithMeriyah(own) ?? {};
  if (!program) return { error: error?.kind === 'target' ? error : undefined, analysis: undefined };
  const analysis = analyzeProgram(program, own);
  // A package may set a global for the whole bundle.
  const isSet = (name: string) => new RegExp(`\\b(?:globalThis|global|self|window)\\.${name}\\s*=[^=]`).test(text);
  const missingApis = analysis.missingApis.filter(({ kind, what }) => kind !== 'global' || !isSet(what));
  return { error: undefined, analysis: { ...analysis, missingApis } };
}

/** Replaces packages by spaces, so that offsets stay the same. */
function blankPackages(text: string): string {
  const modules = findModules(text);
  const parts = modules.map(({ index, module }, i) => {
    const part = text.slice(index, modules[i + 1]?.index);
    return module.packageName === undefined
      ? part
      : part.replace(/[^\n\r\u2028\u2029]+/g, (line) => ' '.repeat(line.length));
  });
  return text.slice(0, modules[0]?.index) + parts.join('');
}
