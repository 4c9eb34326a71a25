/** The code as a syntax tree, or why it is none. Nothing is run. */
import type { Program } from 'acorn';
import { type Options, parse } from 'meriyah';
import { measureScopeDepth } from '../scope/scope-depth.ts';
import { type ParsedCode, toParsedCode } from './parsed-code.ts';
import { isCompilable, isCostly } from './v8-syntax-check.ts';

/** For the quicker parser; names that are declared twice are found by compiling. */
const MERIYAH_OPTIONS: Options = {
  sourceType: 'commonjs',
  webcompat: true,
  ranges: { start: true, end: true },
};

/** Parses code that is text without its byte order mark. Never throws. */
export async function parseCode(text: string): Promise<ParsedCode> {
  const parsed = parseWithMeriyah(text);
  if (parsed && isAcceptedByV8(text, parsed)) return parsed;
  return (await import('./parse-with-acorn.ts')).parseWithAcorn(text);
}

export interface QuickParseResult extends ParsedCode {
  /** True where V8 would take too long to confirm that it compiles. */
  isCostly: boolean;
}

/** Parses code by a parser that takes half the time of acorn and tells less of what is wrong; undefined where that refuses it. */
export function parseWithMeriyah(text: string): QuickParseResult | undefined {
  try {
    const program = parse(text, MERIYAH_OPTIONS) as Program;
    return { ...toParsedCode(text, program), isCostly: isCostly(text) && isCostly(text, measureScopeDepth(program)) };
  } catch {
    return undefined;
  }
}

/** True unless this Node.js does not compile what the quicker parser takes, as far as it is asked. */
export const isAcceptedByV8 = (text: string, { isCostly }: Pick<QuickParseResult, 'isCostly'>): boolean =>
  isCostly || isCompilable(text);
