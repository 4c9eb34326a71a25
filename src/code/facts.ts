/** All that the rules want to know of code, as plain data: one thread can hand it to another. */
import { type Analysis, analysisOf } from './analysis.ts';
import { type CodeFault, parseCode } from './parse.ts';

/** Why the code cannot be used, or what it does; neither where it is fine but too deep to be analysed. */
export interface CodeFacts {
  fault: CodeFault | undefined;
  analysis: Analysis | undefined;
}

export type ReadCode = (text: string) => Promise<CodeFacts>;

/** Reads code that is text without its byte order mark. Never throws; runs nothing. */
export const readCode: ReadCode = async (text) => {
  const { program, fault } = await parseCode(text);
  return { fault, analysis: program && analysisOf(program) };
};
