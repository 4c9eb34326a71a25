/** A use of what Node.js 16 lacks, and whether the code can do without it. */
import type { AnyNode } from 'acorn';
import type { Scopes } from '../scope/scope-analysis.ts';

export interface Use {
  kind: 'global' | 'member' | 'method' | 'module' | 'flag';
  /** As it is written: `fetch`, `Object.groupBy`, `.findLast()`, `require('crypto').hash`, `node:sqlite`. */
  what: string;
  node: AnyNode;
}

/** The words of a row of the table. */
export const wordsOf = (row: string | undefined): ReadonlySet<string> =>
  new Set((row ?? '').split(' ').filter(Boolean));

/** The row of an owner in a part of the table. */
export const rowOf = (part: object, owner: string) => wordsOf((part as Record<string, string>)[owner]);

/** True where a value that is undefined would throw: it is called, made with new, or a member is read off it. */
export function isNeeded(node: AnyNode, { parentOf }: Scopes): boolean {
  const parent = parentOf.get(node);
  if (parent?.type === 'CallExpression') return parent.callee === node && !parent.optional;
  if (parent?.type === 'NewExpression') return parent.callee === node;
  return parent?.type === 'MemberExpression' && parent.object === node && !parent.optional;
}

/** The mentions of a name, unless one of them shows that the code reckons with its absence. */
export const ifAllNeeded = <T extends AnyNode>(mentions: readonly T[], scopes: Scopes): readonly T[] =>
  mentions.every((node) => isNeeded(node, scopes)) ? mentions : [];
