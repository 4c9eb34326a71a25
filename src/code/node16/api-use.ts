/** A use of what Node.js 16 lacks, and whether the code can do without it. */
import type { AnyNode } from 'acorn';
import type { Scopes } from '../scope/scope-analysis.ts';

export interface ApiUse {
  kind: 'global' | 'member' | 'method' | 'module' | 'flag';
  /** As it is written: `fetch`, `Object.groupBy`, `.findLast()`, `require('crypto').hash`, `node:sqlite`. */
  what: string;
  node: AnyNode;
}

/** The words of a row of the table. */
export const parseWords = (row: string | undefined): ReadonlySet<string> =>
  new Set((row ?? '').split(' ').filter(Boolean));

/** The row of an owner in a part of the table. */
export const lookUpRow = (part: object, owner: string) => parseWords((part as Record<string, string>)[owner]);

/** True where a value that is undefined would throw: called, made with new, extended, or read a member off. */
export function isNeeded(node: AnyNode, { parentOf }: Pick<Scopes, 'parentOf'>): boolean {
  const parent = parentOf.get(node);
  switch (parent?.type) {
    case 'CallExpression':
      return parent.callee === node && !parent.optional;
    case 'NewExpression':
      return parent.callee === node;
    case 'MemberExpression':
      return parent.object === node && !parent.optional;
    case 'BinaryExpression':
      return parent.operator === 'instanceof' && parent.right === node;
    case 'ClassDeclaration':
    case 'ClassExpression':
      return parent.superClass === node;
    // Bundlers call what was imported as `(0, module.name)()`.
    case 'SequenceExpression':
      return parent.expressions.at(-1) === node && isNeeded(parent, { parentOf });
    default:
      return false;
  }
}

/** The mentions of a name, unless one of them shows that the code reckons with its absence. */
export const selectIfAllNeeded = <T extends AnyNode>(mentions: readonly T[], scopes: Scopes): readonly T[] =>
  mentions.every((node) => isNeeded(node, scopes)) ? mentions : [];
