/** Gathers the facts about code that rules need, as plain data that threads can exchange. */
import { analyzeProgram, type CodeFacts } from './analysis.ts';
import { analyzeLargeBundle } from './large-bundle.ts';
import { parseCode, parseWithMeriyah } from './parse/parse.ts';
import type { ParsedCode } from './parse/parsed-code.ts';

export type InspectCode = (text: string) => Promise<CodeFacts>;

/**
 * Twenty times the limit of known services. A syntax tree takes up to 500 times the memory of its text, and V8 takes
 * seconds to resolve the variables of deeply nested code.
 */
export const MAX_ANALYZED_CHARACTERS = 1_000_000;

/** Parses and analyzes code, without its byte order mark. Never throws; runs nothing. */
export const inspectCode: InspectCode = async (text) =>
  inspectQuickly(text) ?? toCodeFacts(await parseCode(text), text);

/** As `inspectCode`, at once; undefined if meriyah cannot parse the code. `isCompiled`: V8 is known to compile it. */
export function inspectQuickly(text: string, options?: { isCompiled: boolean }): CodeFacts | undefined {
  if (text.length > MAX_ANALYZED_CHARACTERS) return analyzeLargeBundle(text, MAX_ANALYZED_CHARACTERS);
  const parsed = parseWithMeriyah(text, options);
  return parsed && toCodeFacts(parsed, text);
}

const toCodeFacts = ({ program, error }: ParsedCode, text: string): CodeFacts => ({
  error,
  analysis: program && analyzeProgram(program, text),
});
