/** Measures how deep the scopes of a script are nested. */
import type { Program } from 'acorn';
import { walk } from '../ast/walk.ts';

const OPENS_SCOPE = /^(?:BlockStatement|StaticBlock|CatchClause|SwitchStatement|For\w*|Class\w*|\w*Function\w*)$/;

/** Linear in the size of the script. */
export function measureScopeDepth(program: Program): number {
  const ends: number[] = [];
  let depth = 0;
  for (const { type, start, end } of walk(program)) {
    while (Number(ends.at(-1)) <= start) ends.pop();
    if (OPENS_SCOPE.test(type)) depth = Math.max(depth, ends.push(end));
  }
  return depth;
}
