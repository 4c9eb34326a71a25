/** The code as a syntax tree, or why it is none. Nothing is run. */
import type { Program } from 'acorn';
import { type Options, parse } from 'meriyah';
import { scopeDepth } from '../scope/scope-depth.ts';
import { type ParsedCode, parsed } from './parsed-code.ts';
import { isCompilable, isCostly } from './v8-syntax-check.ts';

/** For the quicker parser; names that are declared twice are found by compiling. */
const QUICK: Options = {
  sourceType: 'commonjs',
  webcompat: true,
  ranges: { start: true, end: true },
};

/** Parses code that is text without its byte order mark. Never throws. */
export async function parseCode(text: string): Promise<ParsedCode> {
  const parsed = parseQuickly(text);
  if (parsed && isConfirmed(text, parsed)) return parsed;
  return (await import('./parse-slowly.ts')).parseSlowly(text);
}

export interface QuicklyParsed extends ParsedCode {
  /** True where V8 would take too long to confirm that it compiles. */
  isCostly: boolean;
}

/** Parses code by a parser that takes half the time of acorn and tells less of what is wrong; undefined where that refuses it. */
export function parseQuickly(text: string): QuicklyParsed | undefined {
  try {
    const program = parse(text, QUICK) as Program;
    return { ...parsed(text, program), isCostly: isCostly(text) && isCostly(text, scopeDepth(program)) };
  } catch {
    return undefined;
  }
}

/** True unless this Node.js does not compile what the quicker parser takes, as far as it is asked. */
export const isConfirmed = (text: string, { isCostly }: Pick<QuicklyParsed, 'isCostly'>): boolean =>
  isCostly || isCompilable(text);
