/** Which parts of the request the exported function reads, followed through the variables that they are put in. */
import type { AnyNode, AssignmentExpression, BinaryExpression, MemberExpression } from 'acorn';
import type { FunctionNode } from '../ast/function-node.ts';
import { memberName } from '../ast/member-names.ts';
import { walk } from '../ast/walk.ts';
import type { Scopes } from '../scope/scope-analysis.ts';
import { bind, type Flow, handOn, look, MAX_DEPTH, type Read, type RequestPath, type Trail } from './dataflow.ts';

export type { Read, RequestPath };

export interface Usage {
  reads: readonly Read[];
  /** Reads of any other property of the request. */
  otherReads: readonly Read[];
  /** The parts that the code sets itself. */
  writes: readonly RequestPath[];
}

/** Follows the first parameter of the function. Linear in the size of the code. */
export function usageOf(handler: FunctionNode, scopes: Scopes): Usage {
  const flow: Flow = { scopes, reads: [], writes: [], open: [], held: new Map() };
  const request: Trail = { node: handler, path: [], isCertain: true };
  const [first] = handler.params;
  if (usesArguments(handler)) handOn(request, flow);
  if (first) bind(first, request, flow);
  for (let trail = flow.open.pop(); trail; trail = flow.open.pop()) {
    for (let next: Trail | undefined = trail; next; ) next = step(next, flow);
  }
  const isKnown = ({ path: [top], isWhole }: Read) =>
    top === undefined ? isWhole : /^(args|configuration)$/.test(top);
  return {
    reads: flow.reads.filter(isKnown),
    otherReads: flow.reads.filter((read) => read.path.length > 0 && !isKnown(read)),
    writes: flow.writes,
  };
}

function usesArguments(handler: FunctionNode): boolean {
  if (handler.type === 'ArrowFunctionExpression') return false;
  const inside = walk(handler, (node) => node !== handler && /^Function/.test(node.type));
  return inside.some((node) => node.type === 'Identifier' && node.name === 'arguments');
}

/** Where a value stands that is only tested or dropped. */
const LOOKED_AT = /^(If|While|DoWhile|For|Switch|Expression)Statement$|^SwitchCase$|^UnaryExpression$/;
const COMPARISONS = /^([!=]==?|instanceof)$/;

/** One step outwards: the place that the value goes to from here; undefined where the way ends. */
function step(trail: Trail, flow: Flow): Trail | undefined {
  const { node } = trail;
  const parent = flow.scopes.parentOf.get(node);
  switch (parent?.type) {
    case 'ChainExpression':
    case 'AwaitExpression':
      return { ...trail, node: parent };
    case 'MemberExpression':
      return parent.object === node ? member(parent, trail, flow) : handOn(trail, flow);
    case 'SequenceExpression':
      return parent.expressions.at(-1) === node ? { ...trail, node: parent } : look(trail, flow);
    case 'LogicalExpression':
    case 'ConditionalExpression':
      return choice(parent, trail, flow);
    case 'VariableDeclarator':
      return bind(parent.id, trail, flow);
    case 'AssignmentExpression':
      return assignment(parent, trail, flow);
    case 'BinaryExpression':
      return comparison(parent, trail, flow);
    default:
      return parent && LOOKED_AT.test(parent.type) ? look(trail, flow) : handOn(trail, flow);
  }
}

/** `a || b` and `a ? b : c` give one of their values, or look at the first. */
function choice(parent: AnyNode, trail: Trail, flow: Flow): Trail | undefined {
  if (parent.type === 'ConditionalExpression') {
    if (parent.test === trail.node) return look(trail, flow);
    const other = parent.consequent === trail.node ? parent.alternate : parent.consequent;
    return { ...trail, node: parent, isCertain: trail.isCertain && isNothing(other) };
  }
  if (parent.type !== 'LogicalExpression') return undefined;
  const isFirst = parent.left === trail.node;
  if (isFirst && parent.operator === '&&') return look(trail, flow);
  return { ...trail, node: parent, isCertain: trail.isCertain && (isFirst || parent.operator === '&&') };
}

/** `{}`, null or undefined: nothing can be read from it. */
const isNothing = (node: AnyNode) =>
  (node.type === 'ObjectExpression' && node.properties.length === 0) ||
  (node.type === 'Literal' && node.value === null) ||
  (node.type === 'Identifier' && node.name === 'undefined');

function assignment(parent: AssignmentExpression, trail: Trail, flow: Flow): Trail | undefined {
  if (!/^(=|\|\|=|&&=|\?\?=)$/.test(parent.operator) || parent.right !== trail.node) return handOn(trail, flow);
  bind(parent.left, { ...trail, isCertain: trail.isCertain && parent.operator === '=' }, flow);
  return { ...trail, node: parent };
}

/** `args === x` looks at args, `'x' in args` at args.x. */
function comparison({ operator, left, right }: BinaryExpression, trail: Trail, flow: Flow): undefined {
  if (operator !== 'in') return COMPARISONS.test(operator) ? look(trail, flow) : handOn(trail, flow);
  const name = right === trail.node && left.type === 'Literal' ? String(left.value) : undefined;
  if (name === undefined) return handOn(trail, flow);
  return look({ ...trail, path: [...trail.path, name], isCertain: false }, flow);
}

function member(node: MemberExpression, trail: Trail, flow: Flow): Trail | undefined {
  const name = memberName(node, flow.scopes);
  // What is called is a method: the values of a request are data.
  if (name === undefined || isCalled(node, flow) || trail.path.length >= MAX_DEPTH) return handOn(trail, flow);
  const inner: Trail = { ...trail, node, path: [...trail.path, name] };
  const parent = flow.scopes.parentOf.get(node);
  if (parent?.type === 'AssignmentExpression' && parent.left === node) {
    flow.writes.push(inner.path);
    return parent.operator === '=' ? undefined : look({ ...inner, isCertain: false }, flow);
  }
  if (parent?.type === 'UpdateExpression' || (parent?.type === 'UnaryExpression' && parent.operator === 'delete')) {
    flow.writes.push(inner.path);
    return look({ ...inner, isCertain: false }, flow);
  }
  if (!parent || !isTarget(node, parent, flow)) return inner;
  flow.writes.push(inner.path);
  return undefined;
}

function isCalled(node: AnyNode, { scopes: { parentOf } }: Flow): boolean {
  const parent = parentOf.get(node);
  const outer = parent?.type === 'ChainExpression' ? { node: parent, up: parentOf.get(parent) } : { node, up: parent };
  const { up } = outer;
  if (up?.type === 'TaggedTemplateExpression') return up.tag === outer.node;
  return (up?.type === 'CallExpression' || up?.type === 'NewExpression') && up.callee === outer.node;
}

/** True where a pattern or a loop puts a value: `[args.x] = …`, `for (args.x of …)`. */
function isTarget(node: AnyNode, parent: AnyNode, { scopes: { parentOf } }: Flow): boolean {
  if (parent.type === 'ForInStatement' || parent.type === 'ForOfStatement') return parent.left === node;
  if (parent.type === 'AssignmentPattern') return parent.left === node;
  if (parent.type === 'Property') return parent.value === node && parentOf.get(parent)?.type === 'ObjectPattern';
  return parent.type === 'ArrayPattern' || parent.type === 'RestElement';
}
