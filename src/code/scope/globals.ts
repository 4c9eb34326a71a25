/** Distinguishes globals from names that a script declares. */
import type { AnyNode } from 'acorn';
import type { Scopes } from './scope-analysis.ts';

/** Whether a node is a name that the script does not declare. */
export const isUndeclared = (node: AnyNode, { variableOf }: Pick<Scopes, 'variableOf'>): boolean =>
  node.type === 'Identifier' && !variableOf.has(node);

/** Whether a node is the global of this name. */
export const isGlobal = (node: AnyNode, name: string, scopes: Pick<Scopes, 'variableOf'>): boolean =>
  node.type === 'Identifier' && node.name === name && isUndeclared(node, scopes);

export const isGlobalObject = (node: AnyNode, scopes: Pick<Scopes, 'variableOf'>): boolean =>
  isGlobal(node, 'globalThis', scopes) || isGlobal(node, 'global', scopes);
