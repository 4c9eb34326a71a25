/** All that the rules want to know of code, as plain data: one thread can hand it to another. */
import { analyzeProgram, type CodeFacts } from './analysis.ts';
import { factsOfLarge } from './large-bundle.ts';
import { parseCode, parseWithMeriyah, type QuickParseResult } from './parse/parse.ts';
import type { ParsedCode } from './parse/parsed-code.ts';

export type InspectCode = (text: string) => Promise<CodeFacts>;

/**
 * Twenty times what known services accept, which common packages bundle to. A syntax tree takes up to 500 times as much memory as its text, and V8 takes
 * seconds for the variables of deeply nested code.
 */
export const MAX_ANALYZED_CHARACTERS = 1_000_000;

/** Reads code that is text without its byte order mark. Never throws; runs nothing. */
export const inspectCode: InspectCode = async (text) =>
  text.length > MAX_ANALYZED_CHARACTERS
    ? factsOfLarge(text, MAX_ANALYZED_CHARACTERS)
    : toCodeFacts(await parseCode(text), text);

export interface QuickFacts extends CodeFacts, Pick<QuickParseResult, 'isCostly'> {}

/** The part of it that takes most of the time; undefined where code takes a closer look. To be confirmed by `isConfirmed`. */
export function inspectQuickly(text: string): QuickFacts | undefined {
  if (text.length > MAX_ANALYZED_CHARACTERS) return { ...factsOfLarge(text, MAX_ANALYZED_CHARACTERS), isCostly: true };
  const parsed = parseWithMeriyah(text);
  return parsed && { ...toCodeFacts(parsed, text), isCostly: parsed.isCostly };
}

const toCodeFacts = ({ program, error }: ParsedCode, text: string): CodeFacts => ({
  fault: error,
  analysis: program && analyzeProgram(program, text),
});
