/** Whether an expression is a function, provably something else, or cannot be told. */
import type { AnyNode, CallExpression } from 'acorn';
import type { Bindings } from './bindings.ts';
import { propertyName } from './names.ts';
import { walk } from './walk.ts';

export type Asynchronous = 'yes' | 'no' | 'unknown';

/** A function as a node of the tree. */
export type FunctionNode = Extract<AnyNode, { params: unknown }>;

/** `node` is the function that gets the arguments, where it is one and gets them as they are. */
export type Kind =
  | { is: 'function'; asynchronous: Asynchronous; node: FunctionNode | undefined }
  | { is: 'other'; what: string }
  | { is: 'unknown' };

const UNKNOWN: Kind = { is: 'unknown' };
const MAX_STEPS = 50;

/** Follows names, wrappers that keep the function, and every branch of a choice. `steps` bounds circles of names. */
export function kindOf(node: AnyNode, bindings: Bindings, steps = 0): Kind {
  if (steps > MAX_STEPS) return UNKNOWN;
  const follow = (next: AnyNode) => kindOf(next, bindings, steps + 1);
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return { is: 'function', asynchronous: asynchronous(node), node };
    case 'ClassDeclaration':
    case 'ClassExpression':
      return { is: 'other', what: 'a class, which cannot be called without new' };
    case 'Identifier':
      return identifierKind(node.name, bindings, follow);
    case 'AssignmentExpression':
      return node.operator === '=' ? follow(node.right) : UNKNOWN;
    case 'SequenceExpression':
      return follow(node.expressions.at(-1) ?? node);
    case 'ConditionalExpression':
      return agreed(follow(node.consequent), follow(node.alternate));
    case 'LogicalExpression':
      return agreed(follow(node.left), follow(node.right));
    case 'CallExpression':
      return callKind(node, bindings, follow);
    default:
      return plainKind(node);
  }
}

const PLAIN: Readonly<Record<string, string>> = {
  ObjectExpression: 'an object',
  ArrayExpression: 'an array',
  Literal: 'a plain value',
  TemplateLiteral: 'a string',
  UnaryExpression: 'a plain value',
  BinaryExpression: 'a plain value',
};

function plainKind({ type }: AnyNode): Kind {
  const what = PLAIN[type];
  return what ? { is: 'other', what } : UNKNOWN;
}

function identifierKind(name: string, bindings: Bindings, follow: (node: AnyNode) => Kind): Kind {
  const value = bindings.get(name);
  if (value) return follow(value);
  return name === 'undefined' && !bindings.has(name) ? { is: 'other', what: 'undefined' } : UNKNOWN;
}

function agreed(a: Kind, b: Kind): Kind {
  if (a.is !== b.is) return UNKNOWN;
  if (a.is !== 'function' || b.is !== 'function') return a;
  const asynchronous = a.asynchronous === b.asynchronous ? a.asynchronous : 'unknown';
  return { is: 'function', asynchronous, node: a.node === b.node ? a.node : undefined };
}

/** A call gives anything, but for an async function that is called at once, and for calls that keep the function. */
function callKind(node: CallExpression, bindings: Bindings, follow: (node: AnyNode) => Kind): Kind {
  const { callee } = node;
  const [argument] = node.arguments;
  if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && !callee.computed) {
    const { object, property } = callee;
    const isObject = object.type === 'Identifier' && object.name === 'Object' && !bindings.has('Object');
    if (isObject && /^(assign|freeze|seal|defineProperty|defineProperties)$/.test(property.name) && argument)
      return follow(argument);
    const bound = property.name === 'bind' ? follow(object) : UNKNOWN;
    if (bound.is !== 'function') return UNKNOWN;
    return node.arguments.length > 1 ? { ...bound, node: undefined } : bound;
  }
  const called = follow(callee);
  const isPromise = called.is === 'function' && called.asynchronous === 'yes';
  return isPromise ? { is: 'other', what: 'a promise, since the function is called here' } : UNKNOWN;
}

/** `no` only for a function that is not async and whose every answer is visibly no promise. */
function asynchronous(node: FunctionNode): Asynchronous {
  if (node.generator) return 'unknown';
  if (node.async) return 'yes';
  if (node.body.type !== 'BlockStatement') return isPlain(node.body) ? 'no' : 'unknown';
  return returnsOf(node.body).every((answer) => !answer || isPlain(answer)) ? 'no' : 'unknown';
}

function isPlain(node: AnyNode): boolean {
  // An object with a method then is awaited as a promise is.
  if (node.type === 'ObjectExpression') return !node.properties.some(isThen);
  if (node.type === 'ConditionalExpression') return isPlain(node.consequent) && isPlain(node.alternate);
  return node.type in PLAIN;
}

const isThen = (property: AnyNode) => property.type === 'Property' && propertyName(property) === 'then';

/** The arguments of a body's own return statements, without those of functions inside it. */
function returnsOf(body: AnyNode): (AnyNode | null | undefined)[] {
  const nodes = walk(body, ({ type }) => /Function|^Class/.test(type));
  return nodes.flatMap((node) => (node.type === 'ReturnStatement' ? [node.argument] : []));
}
