/** Classifies an expression as a function, something else, or unknown. */
import type {
  AnyNode,
  CallExpression,
  Identifier,
  MemberExpression,
  MethodDefinition,
  NewExpression,
  ObjectExpression,
} from 'acorn';
import { getMemberName, getPropertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { type FunctionNode, walk } from '../ast/walk.ts';
import { findDefinition, isGlobal, type Scopes } from '../scope/scope-analysis.ts';
import { findDestructuredObject, isAssignedLater, isDeclaredAnywhere, maySetGlobals } from './definitions.ts';

/** `node` is the function, if it receives the arguments unchanged. */
export type ExpressionKind =
  | { is: 'function'; asynchronous: Asynchrony; node: FunctionNode | undefined }
  | { is: 'other'; what: string; fix?: string }
  | { is: 'unknown' };

const UNKNOWN: ExpressionKind = { is: 'unknown' };
const MAX_STEPS = 50;

/** Classifies another expression; `at` is where the script has run up to. */
type Follow = (node: AnyNode, at?: number) => ExpressionKind;

/** The context in which an expression is evaluated. */
interface Evaluation {
  scopes: Scopes;
  /** The offset up to which the script has run; later declarations are not initialized. */
  at: number;
  /** The number of names that were followed, to stop at cycles. */
  steps?: number;
}

/** Follows names, wrappers that keep the function, and every branch of a choice. */
export function classifyExpression(node: AnyNode, { scopes, at, steps = 0 }: Evaluation): ExpressionKind {
  countSteps();
  if (steps > MAX_STEPS) return UNKNOWN;
  const follow: Follow = (next, nextAt = at) => classifyExpression(next, { scopes, at: nextAt, steps: steps + 1 });
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return { is: 'function', asynchronous: detectAsynchrony(node), node };
    case 'ClassDeclaration':
    case 'ClassExpression':
      return { is: 'other', what: 'a class, which cannot be called without new' };
    case 'Identifier':
      return classifyIdentifier(node, { scopes, at }, follow);
    case 'VariableDeclarator':
      return { is: 'other', what: 'undefined: the variable is never assigned' };
    case 'NewExpression':
      return classifyInstance(node, scopes);
    case 'AssignmentExpression':
      return node.operator === '=' ? follow(node.right) : UNKNOWN;
    case 'SequenceExpression':
      return follow(node.expressions.at(-1) ?? node);
    case 'ConditionalExpression':
      return mergeKinds(follow(node.consequent), follow(node.alternate));
    case 'LogicalExpression':
      return mergeKinds(follow(node.left), follow(node.right));
    case 'CallExpression':
      return classifyCall(node, scopes, follow);
    case 'MemberExpression':
      return classifyMember(node, scopes, follow);
    default:
      return classifyPlainValue(node);
  }
}

function classifyPlainValue({ type }: AnyNode): ExpressionKind {
  const what = PLAIN_VALUES[type];
  return what ? { is: 'other', what } : UNKNOWN;
}

/** The parameters of the function that Node.js wraps files in. */
const MODULE_GLOBALS = new Set(['exports', 'require', 'module', '__filename', '__dirname', 'arguments']);

function classifyIdentifier(node: Identifier, { scopes, at }: Evaluation, follow: Follow): ExpressionKind {
  const { name } = node;
  const value = findDefinition(node, scopes);
  if (value) {
    const isHoisted = value.type === 'FunctionDeclaration';
    if (!isHoisted && value.start > at) return { is: 'other', what: `${name}, which is not initialized at this point` };
    return follow(value, isHoisted ? at : value.start);
  }
  if (isDeclaredAnywhere(name, scopes)) {
    if (isAssignedLater(node, at, scopes)) return { is: 'other', what: `${name}, which is assigned later` };
    const owner = findDestructuredObject(node, scopes);
    return owner ? classifyProperty(owner.object, owner.key, follow) : UNKNOWN;
  }
  if (name === 'undefined') return { is: 'other', what: 'undefined' };
  return name in globalThis || MODULE_GLOBALS.has(name) || maySetGlobals(scopes)
    ? UNKNOWN
    : { is: 'other', what: `${name}, which is not defined` };
}

/** The value of a member of an object literal that nothing changes. */
function classifyMember(node: MemberExpression, scopes: Scopes, follow: Follow): ExpressionKind {
  const name = getMemberName(node);
  const object = findDefinition(node.object, scopes) ?? node.object;
  if (name === undefined || object.type !== 'ObjectExpression') return UNKNOWN;
  const reads = scopes.variableOf.get(node.object)?.reads ?? [];
  countSteps(reads.length);
  return reads.every((read) => isPlainRead(read, scopes)) ? classifyProperty(object, name, follow) : UNKNOWN;
}

/** `lib.name`, not as a target, and not as a method, which could change the object through `this`. */
function isPlainRead(read: AnyNode, { parentOf }: Scopes): boolean {
  const member = parentOf.get(read);
  const parent = member && parentOf.get(member);
  if (member?.type !== 'MemberExpression' || member.object !== read || !parent) return false;
  if (parent.type === 'AssignmentExpression') return parent.right === member;
  return /^(VariableDeclarator|ExpressionStatement|Property|ArrayExpression|ReturnStatement)$/.test(parent.type);
}

function classifyProperty({ properties }: ObjectExpression, name: string, follow: Follow): ExpressionKind {
  countSteps(properties.length);
  const keys = properties.map((one) =>
    one.type === 'Property' && one.kind === 'init' ? getPropertyName(one) : undefined,
  );
  if (keys.some((key) => key === undefined || key === '__proto__')) return UNKNOWN;
  const property = properties[keys.lastIndexOf(name)];
  if (property?.type === 'Property') return follow(property.value);
  return name in Object.prototype ? UNKNOWN : { is: 'other', what: `undefined: the object has no property ${name}` };
}

/** An instance is not callable, unless its constructor returns something else. */
function classifyInstance({ callee }: NewExpression, scopes: Scopes): ExpressionKind {
  const constructed = findDefinition(callee, scopes) ?? callee;
  const body = findConstructorBody(constructed);
  const isPlain = body && findReturnValues(body).every((value) => !value);
  return isPlain ? { is: 'other', what: 'an instance of a class' } : UNKNOWN;
}

/** For a class without a constructor, the class; undefined if what is constructed is unknown. */
function findConstructorBody(node: AnyNode): AnyNode | undefined {
  if (node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration') return node.body;
  if ((node.type !== 'ClassDeclaration' && node.type !== 'ClassExpression') || node.superClass) return undefined;
  const { body } = node.body;
  countSteps(body.length);
  return body.find(isConstructor)?.value.body ?? node;
}

const isConstructor = (node: AnyNode): node is MethodDefinition =>
  node.type === 'MethodDefinition' && node.kind === 'constructor';

function mergeKinds(a: ExpressionKind, b: ExpressionKind): ExpressionKind {
  if (a.is !== b.is) return UNKNOWN;
  if (a.is !== 'function' || b.is !== 'function') return a;
  const asynchronous = a.asynchronous === b.asynchronous ? a.asynchronous : 'unknown';
  return { is: 'function', asynchronous, node: a.node === b.node ? a.node : undefined };
}

/** A call returns anything, except for calls that keep the function and calls of a function that is known. */
function classifyCall(node: CallExpression, scopes: Scopes, follow: Follow): ExpressionKind {
  const { callee } = node;
  if (callee.type === 'MemberExpression') return classifyMethodCall(node.arguments, callee, scopes, follow);
  const called = follow(callee);
  if (called.is !== 'function') return UNKNOWN;
  if (called.node && isNamespaceFactory(called.node)) {
    return { is: 'other', what: 'an object with the exports of an ES module', fix: NAMESPACE_FIX };
  }
  if (called.asynchronous === 'yes') return { is: 'other', what: 'a promise, because the function is called here' };
  const returned = called.node && findOnlyReturnValue(called.node);
  if (returned && called.asynchronous === 'unknown') return follow(returned);
  return called.asynchronous === 'no'
    ? { is: 'other', what: 'what the function returns, because it is called here' }
    : UNKNOWN;
}

/** `Object.assign(f, …)` and the like, and `f.bind(…)`. */
function classifyMethodCall(args: readonly AnyNode[], callee: MemberExpression, scopes: Scopes, follow: Follow) {
  const { object, property, computed } = callee;
  if (property.type !== 'Identifier' || computed) return UNKNOWN;
  const { name } = property;
  const [first] = args;
  const isKept = isGlobal(object, 'Object', scopes) && /^(assign|freeze|seal|definePropert(y|ies))$/.test(name);
  if (isKept && first) return follow(first);
  const bound = name === 'bind' ? follow(object) : UNKNOWN;
  if (bound.is !== 'function') return UNKNOWN;
  return args.length > 1 ? { ...bound, node: undefined } : bound;
}

const NAMESPACE_FIX = 'Add to the output of the bundler: module.exports = module.exports.default;';

/** Whether a function makes the object that esbuild exports for an ES module: `f({}, "__esModule", …)`. */
const isNamespaceFactory = (node: FunctionNode): boolean =>
  walk(node).some((part) => {
    if (part.type !== 'CallExpression') return false;
    const [target, name] = part.arguments;
    const isNew = target?.type === 'ObjectExpression' && target.properties.length === 0;
    return isNew && name?.type === 'Literal' && name.value === '__esModule';
  });

export type Asynchrony = 'yes' | 'no' | 'generator' | 'unknown';

/** Expressions whose value is neither a function nor a promise, with a description. */
const PLAIN_VALUES: Readonly<Record<string, string>> = {
  ObjectExpression: 'an object',
  ArrayExpression: 'an array',
  Literal: 'a primitive value',
  TemplateLiteral: 'a string',
  UnaryExpression: 'a primitive value',
  BinaryExpression: 'a primitive value',
};

/** `no` only for a function that is not async and never returns a promise. */
function detectAsynchrony(node: FunctionNode): Asynchrony {
  if (node.generator) return 'generator';
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

/** The value that each call of a function returns: its last statement has the only `return`. */
function findOnlyReturnValue({ body, async: isAsync, generator }: FunctionNode): AnyNode | undefined {
  if (isAsync || generator) return undefined;
  if (body.type !== 'BlockStatement') return body;
  const last = body.body.at(-1);
  const isOnly = last?.type === 'ReturnStatement' && findReturnValues(body).length === 1;
  return isOnly ? (last.argument ?? undefined) : undefined;
}

/** The arguments of a body's return statements, without those of nested functions. */
function findReturnValues(body: AnyNode): (AnyNode | null | undefined)[] {
  const nodes = walk(body, ({ type }) => /Function|^Class/.test(type));
  return nodes.flatMap((node) => (node.type === 'ReturnStatement' ? [node.argument] : []));
}
