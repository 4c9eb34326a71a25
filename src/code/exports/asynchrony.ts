/** Detects whether a function returns a promise. */
import type { AnyNode } from 'acorn';
import type { FunctionNode } from '../ast/function-node.ts';
import { getPropertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { walk } from '../ast/walk.ts';

export type Asynchrony = 'yes' | 'no' | 'unknown';

/** Expressions whose value is neither a function nor a promise, with a description. */
export const PLAIN_VALUES: Readonly<Record<string, string>> = {
  ObjectExpression: 'an object',
  ArrayExpression: 'an array',
  Literal: 'a primitive value',
  TemplateLiteral: 'a string',
  UnaryExpression: 'a primitive value',
  BinaryExpression: 'a primitive value',
};

/** `no` only for a function that is not async and never returns a promise. */
export function detectAsynchrony(node: FunctionNode): Asynchrony {
  if (node.generator) return 'unknown';
  if (node.async) return 'yes';
  if (node.body.type !== 'BlockStatement') return isPlain(node.body) ? 'no' : 'unknown';
  return findReturnValues(node.body).every((value) => !value || isPlain(value)) ? 'no' : 'unknown';
}

function isPlain(node: AnyNode): boolean {
  // An object with a then method is awaited like a promise.
  if (node.type === 'ObjectExpression') {
    countSteps(node.properties.length);
    return !node.properties.some(isThen);
  }
  if (node.type === 'ConditionalExpression') return isPlain(node.consequent) && isPlain(node.alternate);
  return node.type in PLAIN_VALUES;
}

const isThen = (property: AnyNode) => property.type === 'Property' && getPropertyName(property) === 'then';

/** The arguments of a body's return statements, without those of nested functions. */
export function findReturnValues(body: AnyNode): (AnyNode | null | undefined)[] {
  const nodes = walk(body, ({ type }) => /Function|^Class/.test(type));
  return nodes.flatMap((node) => (node.type === 'ReturnStatement' ? [node.argument] : []));
}
