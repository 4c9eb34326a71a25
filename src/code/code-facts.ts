/** All that the rules want to know of code, as plain data: one thread can hand it to another. */
import { analysisOf, type CodeFacts } from './analysis.ts';
import { factsOfLarge } from './large-bundle.ts';
import { parseCode, parseQuickly, type QuicklyParsed } from './parse/parse.ts';
import type { ParsedCode } from './parse/parsed-code.ts';

export type ReadCode = (text: string) => Promise<CodeFacts>;

/**
 * Twenty times what known services accept, which common packages bundle to. A syntax tree takes up to 500 times as much memory as its text, and V8 takes
 * seconds for the variables of deeply nested code.
 */
export const MAX_CHARACTERS = 1_000_000;

/** Reads code that is text without its byte order mark. Never throws; runs nothing. */
export const readCode: ReadCode = async (text) =>
  text.length > MAX_CHARACTERS ? factsOfLarge(text, MAX_CHARACTERS) : factsOf(await parseCode(text), text);

export interface QuickFacts extends CodeFacts, Pick<QuicklyParsed, 'isCostly'> {}

/** The part of it that takes most of the time; undefined where code takes a closer look. To be confirmed by `isConfirmed`. */
export function quickFacts(text: string): QuickFacts | undefined {
  if (text.length > MAX_CHARACTERS) return { ...factsOfLarge(text, MAX_CHARACTERS), isCostly: true };
  const parsed = parseQuickly(text);
  return parsed && { ...factsOf(parsed, text), isCostly: parsed.isCostly };
}

const factsOf = ({ program, fault }: ParsedCode, text: string): CodeFacts => ({
  fault,
  analysis: program && analysisOf(program, text),
});
