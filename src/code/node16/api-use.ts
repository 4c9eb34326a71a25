/** Uses of APIs that Node.js 16 lacks, and whether the code needs them. */
import type { AnyNode } from 'acorn';
import type { Scopes } from '../scope/scope-analysis.ts';

export interface ApiUse {
  kind: 'global' | 'member' | 'method' | 'module' | 'flag';
  /** As written in the code: `fetch`, `Object.groupBy`, `.findLast()`, `require('crypto').hash`, `node:sqlite`. */
  what: string;
  node: AnyNode;
}

/** The words of a row of missing.json. */
export const parseWords = (row: string | undefined): ReadonlySet<string> =>
  new Set((row ?? '').split(' ').filter(Boolean));

/** The row of an owner in a part of missing.json. */
export const lookUpRow = (part: object, owner: string) => parseWords((part as Record<string, string>)[owner]);

/** Whether the code throws if the value is undefined: it is called, constructed, extended, or a member is read. */
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
    // Bundlers call an import as `(0, module.name)()`.
    case 'SequenceExpression':
      return parent.expressions.at(-1) === node && isNeeded(parent, { parentOf });
    default:
      return false;
  }
}

/** The uses of a name; none if one of them allows for its absence. */
export const selectIfAllNeeded = <T extends AnyNode>(mentions: readonly T[], scopes: Scopes): readonly T[] =>
  mentions.every((node) => isNeeded(node, scopes)) ? mentions : [];
