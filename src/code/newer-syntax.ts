/** Syntax that is newer than Node.js 16: looked for in code that is no ECMAScript 2022. */
import type { AnyNode, Position, Program } from 'acorn';
import { walk } from './walk.ts';

export interface NewerSyntax {
  what: string;
  at: Position;
}

/**
 * The first newer piece of syntax. undefined when there is none that Node.js 16 lacks: it knows the second argument
 * of a dynamic import(), which came to the language later.
 */
export function newerSyntax(program: Program): NewerSyntax | undefined {
  for (const node of walk(program)) {
    const what = newerIn(node);
    if (what && node.loc) return { what, at: node.loc.start };
  }
  return undefined;
}

function newerIn(node: AnyNode): string | undefined {
  if (node.type === 'Literal' && node.regex) return newerRegex(node.regex);
  if (node.type === 'VariableDeclaration' && /using/.test(node.kind)) return `a declaration with ${node.kind}`;
  return undefined;
}

function newerRegex({ pattern, flags }: { pattern: string; flags: string }): string | undefined {
  if (flags.includes('v')) return 'the regular expression flag v';
  // Escapes and classes hold no groups.
  const groups = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x');
  if (/\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/.test(groups)) return 'a modifier in a regular expression';
  const names = [...groups.matchAll(/\(\?<([^=!>][^>]*)>/g)].map(([, name]) => name);
  return new Set(names).size < names.length ? 'a group name that stands twice in a regular expression' : undefined;
}
