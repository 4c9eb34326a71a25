/** All that the rules want to know of code, as plain data: one thread can hand it to another. */
import { type Analysis, analysisOf } from './analysis.ts';
import { type CodeFault, type ParsedCode, parseCode, parseQuickly } from './parse.ts';

/** Why the code cannot be used, or what it does; neither where it is fine but too deep to be analysed. */
export interface CodeFacts {
  fault: CodeFault | undefined;
  analysis: Analysis | undefined;
}

export type ReadCode = (text: string) => Promise<CodeFacts>;

/** Reads code that is text without its byte order mark. Never throws; runs nothing. */
export const readCode: ReadCode = async (text) => factsOf(await parseCode(text), text);

/** The part of it that takes most of the time, of code that compiles; undefined where that takes a closer look. */
export function quickFacts(text: string): CodeFacts | undefined {
  const parsed = parseQuickly(text);
  return parsed && factsOf(parsed, text);
}

const factsOf = ({ program, fault }: ParsedCode, text: string): CodeFacts => ({
  fault,
  analysis: program && analysisOf(program, text),
});
