/** Parses code with meriyah, or acorn if that fails. */
import type { Program } from 'acorn';
import { type Options, parse } from 'meriyah';
import { walk } from '../ast/walk.ts';
import { type ParsedCode, toParsedCode } from './parsed-code.ts';
import { isCompilable, isCostly } from './v8-syntax-check.ts';

/** Duplicate declarations are found by compiling. */
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
  /** Whether compiling with V8 would take too long. */
  isCostly: boolean;
}

/** Parses with meriyah, twice as fast as acorn but with poorer errors; undefined if it fails. */
export function parseWithMeriyah(text: string): QuickParseResult | undefined {
  try {
    const program = parse(text, MERIYAH_OPTIONS) as Program;
    return { ...toParsedCode(text, program), isCostly: isCostly(text) && isCostly(text, measureScopeDepth(program)) };
  } catch {
    return undefined;
  }
}

/** Whether this Node.js compiles the code; also true if compiling would take too long. */
export const isAcceptedByV8 = (text: string, { isCostly }: Pick<QuickParseResult, 'isCostly'>): boolean =>
  isCostly || isCompilable(text);

const OPENS_SCOPE = /^(?:BlockStatement|StaticBlock|CatchClause|SwitchStatement|For\w*|Class\w*|\w*Function\w*)$/;

/** Linear in the size of the script. */
function measureScopeDepth(program: Program): number {
  const ends: number[] = [];
  let depth = 0;
  for (const { type, start, end } of walk(program)) {
    while (Number(ends.at(-1)) <= start) ends.pop();
    if (OPENS_SCOPE.test(type)) depth = Math.max(depth, ends.push(end));
  }
  return depth;
}
