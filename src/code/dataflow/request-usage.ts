/** Finds the request properties that the exported function reads, through variables. */
import type { AnyNode, AssignmentExpression, BinaryExpression, CallExpression, MemberExpression } from 'acorn';
import { getMemberName } from '../ast/member-names.ts';
import { type FunctionNode, walk } from '../ast/walk.ts';
import type { Scopes } from '../scope/scope-analysis.ts';
import { findCalledFunction } from './called-function.ts';
import {
  assignToPattern,
  type FlowState,
  MAX_DEPTH,
  type RequestPath,
  type RequestRead,
  recordEscape,
  recordRead,
  type TrackedValue,
} from './dataflow.ts';

export type { RequestPath, RequestRead };

export interface RequestUsage {
  reads: readonly RequestRead[];
  /** Reads of any other property of the request. */
  otherReads: readonly RequestRead[];
  /** The parts that the code sets itself. */
  writes: readonly RequestPath[];
}

/** Follows the first parameter of the function. Linear in the size of the code. */
export function analyzeRequestUsage(handler: FunctionNode, scopes: Scopes): RequestUsage {
  const flow: FlowState = { scopes, reads: [], writes: [], worklist: [], pathsByVariable: new Map() };
  const request: TrackedValue = { node: handler, path: [], isCertain: true };
  const [first] = handler.params;
  if (hasArgumentsReference(handler)) recordEscape(request, flow);
  if (first) assignToPattern(first, request, flow);
  for (let value = flow.worklist.pop(); value; value = flow.worklist.pop()) {
    for (let next: TrackedValue | undefined = value; next; ) next = followStep(next, flow);
  }
  const isKnown = ({ path: [top], escapes }: RequestRead) =>
    top === undefined ? escapes : /^(args|configuration)$/.test(top);
  return {
    reads: flow.reads.filter(isKnown),
    otherReads: flow.reads.filter((read) => read.path.length > 0 && !isKnown(read)),
    writes: flow.writes,
  };
}

function hasArgumentsReference(handler: FunctionNode): boolean {
  if (handler.type === 'ArrowFunctionExpression') return false;
  const inside = walk(handler, (node) => node !== handler && /^Function/.test(node.type));
  return inside.some((node) => node.type === 'Identifier' && node.name === 'arguments');
}

/** Parents that only test or discard a value. */
const READ_ONLY_PARENTS = /^(If|While|DoWhile|For|Switch|Expression)Statement$|^SwitchCase$|^UnaryExpression$/;
const COMPARISONS = /^([!=]==?|instanceof)$/;

/** One step: the expression that has the value next; undefined at the end. */
function followStep(value: TrackedValue, flow: FlowState): TrackedValue | undefined {
  const { node } = value;
  const parent = flow.scopes.parentOf.get(node);
  switch (parent?.type) {
    case 'ChainExpression':
    case 'AwaitExpression':
      return { ...value, node: parent };
    case 'CallExpression':
      return parent.callee === node ? recordEscape(value, flow) : passToFunction(parent, value, flow);
    case 'MemberExpression':
      return parent.object === node ? followMember(parent, value, flow) : recordEscape(value, flow);
    case 'SequenceExpression':
      return parent.expressions.at(-1) === node ? { ...value, node: parent } : recordRead(value, flow);
    case 'LogicalExpression':
    case 'ConditionalExpression':
      return followChoice(parent, value, flow);
    case 'VariableDeclarator':
      return assignToPattern(parent.id, value, flow);
    case 'AssignmentExpression':
      return followAssignment(parent, value, flow);
    case 'BinaryExpression':
      return followComparison(parent, value, flow);
    default:
      return parent && READ_ONLY_PARENTS.test(parent.type) ? recordRead(value, flow) : recordEscape(value, flow);
  }
}

/** Follows an argument into a function of the script. */
function passToFunction(call: CallExpression, value: TrackedValue, flow: FlowState): undefined {
  const index = call.arguments.indexOf(value.node as never);
  const called = findCalledFunction(call.callee, flow.scopes);
  const isPlain = call.arguments.slice(0, index + 1).every(({ type }) => type !== 'SpreadElement');
  if (!called || !isPlain || hasArgumentsReference(called.node)) return recordEscape(value, flow);
  const parameter = called.node.params[index];
  if (!parameter) {
    const last = called.node.params.at(-1);
    return last?.type === 'RestElement' ? recordEscape(value, flow) : recordRead(value, flow);
  }
  const isCertain = value.isCertain && called.uses.every((use) => isSameCall(use, call, index, flow.scopes));
  return assignToPattern(parameter, { ...value, isCertain }, flow);
}

/** Whether a use of a function passes it the same argument as a call. */
function isSameCall(use: AnyNode, call: CallExpression, index: number, { parentOf, variableOf }: Scopes): boolean {
  const parent = parentOf.get(use);
  if (parent?.type !== 'CallExpression' || parent.callee !== use) return false;
  if (parent === call) return true;
  const [own, other] = [call.arguments[index], parent.arguments[index]];
  const variable = own && variableOf.get(own);
  return variable !== undefined && other !== undefined && variableOf.get(other) === variable;
}

/** `a || b` and `a ? b : c` evaluate to one of their operands, or test the first. */
function followChoice(parent: AnyNode, value: TrackedValue, flow: FlowState): TrackedValue | undefined {
  if (parent.type === 'ConditionalExpression') {
    if (parent.test === value.node) return recordRead(value, flow);
    const other = parent.consequent === value.node ? parent.alternate : parent.consequent;
    return { ...value, node: parent, isCertain: value.isCertain && isEmptyValue(other) };
  }
  if (parent.type !== 'LogicalExpression') return undefined;
  const isFirst = parent.left === value.node;
  if (isFirst && parent.operator === '&&') return recordRead(value, flow);
  return { ...value, node: parent, isCertain: value.isCertain && (isFirst || parent.operator === '&&') };
}

/** `{}`, null or undefined: nothing can be read from it. */
const isEmptyValue = (node: AnyNode) =>
  (node.type === 'ObjectExpression' && node.properties.length === 0) ||
  (node.type === 'Literal' && node.value === null) ||
  (node.type === 'Identifier' && node.name === 'undefined');

function followAssignment(parent: AssignmentExpression, value: TrackedValue, flow: FlowState) {
  if (!/^(=|\|\|=|&&=|\?\?=)$/.test(parent.operator) || parent.right !== value.node) return recordEscape(value, flow);
  assignToPattern(parent.left, { ...value, isCertain: value.isCertain && parent.operator === '=' }, flow);
  return { ...value, node: parent };
}

/** `args === x` reads args, and `'x' in args` reads args.x. */
function followComparison({ operator, left, right }: BinaryExpression, value: TrackedValue, flow: FlowState) {
  if (operator !== 'in') return COMPARISONS.test(operator) ? recordRead(value, flow) : recordEscape(value, flow);
  const name = right === value.node && left.type === 'Literal' ? String(left.value) : undefined;
  if (name === undefined) return recordEscape(value, flow);
  return recordRead({ ...value, path: [...value.path, name], isCertain: false }, flow);
}

function followMember(node: MemberExpression, value: TrackedValue, flow: FlowState): TrackedValue | undefined {
  const name = getMemberName(node, flow.scopes);
  // A method, since the values of a request are data.
  if (name === undefined || isCalled(node, flow) || value.path.length >= MAX_DEPTH) return recordEscape(value, flow);
  const inner: TrackedValue = { ...value, node, path: [...value.path, name] };
  const parent = flow.scopes.parentOf.get(node);
  if (parent?.type === 'AssignmentExpression' && parent.left === node) {
    flow.writes.push(inner.path);
    return parent.operator === '=' ? undefined : recordRead({ ...inner, isCertain: false }, flow);
  }
  if (parent?.type === 'UpdateExpression' || (parent?.type === 'UnaryExpression' && parent.operator === 'delete')) {
    flow.writes.push(inner.path);
    return recordRead({ ...inner, isCertain: false }, flow);
  }
  if (!parent || !isAssignmentTarget(node, parent, flow)) return inner;
  flow.writes.push(inner.path);
  return undefined;
}

function isCalled(node: AnyNode, { scopes: { parentOf } }: FlowState): boolean {
  const parent = parentOf.get(node);
  const outer = parent?.type === 'ChainExpression' ? { node: parent, up: parentOf.get(parent) } : { node, up: parent };
  const { up } = outer;
  if (up?.type === 'TaggedTemplateExpression') return up.tag === outer.node;
  return (up?.type === 'CallExpression' || up?.type === 'NewExpression') && up.callee === outer.node;
}

/** Whether a pattern or a loop assigns to a node: `[args.x] = …`, `for (args.x of …)`. */
function isAssignmentTarget(node: AnyNode, parent: AnyNode, { scopes: { parentOf } }: FlowState): boolean {
  if (parent.type === 'ForInStatement' || parent.type === 'ForOfStatement') return parent.left === node;
  if (parent.type === 'AssignmentPattern') return parent.left === node;
  if (parent.type === 'Property') return parent.value === node && parentOf.get(parent)?.type === 'ObjectPattern';
  return parent.type === 'ArrayPattern' || parent.type === 'RestElement';
}
