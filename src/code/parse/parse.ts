/** Parses code with meriyah, or acorn if that fails. */
import type { Program } from 'acorn';
import { type Options, parse } from 'meriyah';
import { attempt } from '../../errors.ts';
import { walk } from '../ast/walk.ts';
import { type ParsedCode, toParsedCode } from './parsed-code.ts';
import { compile, isCostly } from './v8-syntax-check.ts';

/** Duplicate declarations are found by compiling. */
const MERIYAH_OPTIONS: Options = {
  sourceType: 'commonjs',
  webcompat: true,
  ranges: { start: true, end: true },
};

/** Parses code that is text without its byte order mark. Never throws. */
export async function parseCode(text: string): Promise<ParsedCode> {
  return parseWithMeriyah(text) ?? (await import('./parse-with-acorn.ts')).parseWithAcorn(text);
}

/**
 * Parses with meriyah, twice as fast as acorn but with poorer errors; undefined if it fails, or V8 does not compile the
 * code. Code that V8 may take seconds to compile is not compiled. `isCompiled`: the caller knows that V8 does.
 */
export function parseWithMeriyah(text: string, { isCompiled = false } = {}): ParsedCode | undefined {
  return attempt(() => {
    const program = parse(text, MERIYAH_OPTIONS) as Program;
    const isValid = isCompiled || (isCostly(text) && isCostly(text, measureScopeDepth(program)));
    return isValid || compile(text).result === 'compiles' ? toParsedCode(text, program) : undefined;
  });
}

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
