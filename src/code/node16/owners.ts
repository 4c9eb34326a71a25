/** Finds what owns a member. */
import type { AnyNode, CallExpression, Identifier, MemberExpression } from 'acorn';
import { getMemberName, getPropertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { isFunction } from '../ast/walk.ts';
import { listBindingIdentifiers, type Variable } from '../scope/scope.ts';
import { findDefinition, isConstant, isGlobalObject, type Scopes } from '../scope/scope-analysis.ts';
import { getLoadedName, isPackage } from './facts.ts';
import { isNamespace, type Owner } from './table.ts';

const createInstance = (path: string): Owner => ({ kind: 'instance', path });

const MAX_STEPS = 20;

type Follow = (node: AnyNode) => Owner | undefined;

/** Undefined if unknown. Follows constants, members, and methods that keep the type. */
export function findOwner(node: AnyNode, scopes: Scopes, steps = 0): Owner | undefined {
  countSteps();
  if (steps > MAX_STEPS) return undefined;
  const follow: Follow = (next) => findOwner(next, scopes, steps + 1);
  switch (node.type) {
    case 'ArrayExpression':
      return createInstance('Array');
    case 'TemplateLiteral':
      return createInstance('String');
    case 'Literal':
      return typeof node.value === 'string' ? createInstance('String') : undefined;
    case 'ChainExpression':
      return follow(node.expression);
    case 'MemberExpression':
      return findInner(follow(node.object), getMemberName(node));
    case 'NewExpression': {
      const owner = follow(node.callee);
      return owner?.kind === 'static' ? createInstance(owner.path) : undefined;
    }
    case 'CallExpression':
      return findOwnerOfResult(node, scopes, follow);
    case 'Identifier':
      return findOwnerOfName(node, scopes, follow);
    default:
      return undefined;
  }
}

/** The owner that a member of another one is. */
function findInner(owner: Owner | undefined, name: string | undefined): Owner | undefined {
  if (!owner || name === undefined) return undefined;
  const path = `${owner.path}.${name}`;
  switch (owner.kind) {
    case 'global':
      return { kind: 'static', path: name };
    case 'static':
      return /^(Intl|WebAssembly)$/.test(owner.path) ? { kind: 'static', path } : undefined;
    case 'module':
      if (name === 'default' && owner.isInterop) return owner;
      return isNamespace(path) ? { ...owner, path, isInterop: false } : undefined;
    default:
      return undefined;
  }
}

function findOwnerOfName(node: Identifier, scopes: Scopes, follow: Follow): Owner | undefined {
  const variable = scopes.variableOf.get(node);
  if (!variable)
    return isGlobalObject(node, scopes) ? { kind: 'global', path: '' } : { kind: 'static', path: node.name };
  const target = findOnlyTarget(variable, scopes);
  return target && findOwnerOfTarget(target, scopes, follow);
}

/** The name or pattern through which a variable gets its only value. */
function findOnlyTarget(variable: Variable, { variableOf }: Scopes): AnyNode | undefined {
  const [declaration] = variable.declarations;
  if (declaration?.type !== 'VariableDeclarator') return undefined;
  if (isSetOnce(variable)) return variable.writes[0];
  return isConstant(variable)
    ? listBindingIdentifiers(declaration.id).find((name) => variableOf.get(name) === variable)
    : undefined;
}

/** `var crypto; crypto = require('crypto');`, as esbuild writes imports of modules that are loaded later. */
const isSetOnce = ({ declarations, writes }: Variable) =>
  writes.length === 1 &&
  declarations.length === 1 &&
  declarations.every((one) => one.type === 'VariableDeclarator' && !one.init);

/** The owner that is assigned to a name or pattern: `promises` in `const { promises } = require('fs')`. */
export function findOwnerOfTarget(target: AnyNode, scopes: Scopes, follow: Follow): Owner | undefined {
  const parent = scopes.parentOf.get(target);
  switch (parent?.type) {
    case 'VariableDeclarator':
      return parent.init ? follow(parent.init) : undefined;
    case 'AssignmentExpression':
      return parent.left === target && parent.operator === '=' ? follow(parent.right) : undefined;
    case 'Property': {
      const pattern = scopes.parentOf.get(parent);
      const owner = pattern?.type === 'ObjectPattern' ? findOwnerOfTarget(pattern, scopes, follow) : undefined;
      return findInner(owner, getPropertyName(parent));
    }
    default:
      return undefined;
  }
}

/** The reads of a name, or of the name in a pattern, that has only one value. */
export function listConstantReads(target: AnyNode, { variableOf }: Scopes): AnyNode[] {
  const variable = variableOf.get(target);
  return variable && (isConstant(variable) || isSetOnce(variable)) ? variable.reads : [];
}

const STATIC_RESULTS: readonly [RegExp, string][] = [
  [/^Object\.(keys|values|entries|getOwnPropertyNames)$|^Array\.(from|of)$/, 'Array'],
  [/^Buffer\.(from|alloc|concat)$/, 'Buffer'],
  [/^JSON\.stringify$/, 'String'],
];
const ITERATED = /^(Array|Map|Set)\.(keys|values|entries)$|^String\.matchAll$/;
/** The methods that return a value of the same type. */
const KEEPS_TYPE =
  /^Array\.(map|filter|slice|concat|sort|reverse|flat|flatMap|splice|fill|copyWithin)$|^String\.(trim\w*|to(Lower|Upper)Case|slice|substring|replace|replaceAll|pad\w+|repeat|normalize|concat)$/;
/** For imports, esbuild wraps modules: `__toESM(require("node:crypto"))`. */
const INTEROP = /^__(toESM|importDefault|importStar)$/;

/** What a call returns: a module, or an instance. */
function findOwnerOfResult(node: CallExpression, scopes: Scopes, follow: Follow): Owner | undefined {
  const { callee } = node;
  const [first] = node.arguments;
  if (callee.type === 'MemberExpression') return findOwnerOfMethodResult(callee, first, follow);
  const load = getLoadedName(node, scopes);
  if (load !== undefined)
    return isPackage(load) ? undefined : { kind: 'module', path: load.replace(/^node:/, ''), load };
  if (callee.type === 'Identifier' && INTEROP.test(callee.name)) {
    const owner = first && follow(first);
    return owner && { ...owner, isInterop: true };
  }
  const definition = findDefinition(callee, scopes);
  const isGenerator = isFunction(definition) && definition.generator && !definition.async;
  return isGenerator ? createInstance('Iterator') : undefined;
}

function findOwnerOfMethodResult(callee: MemberExpression, argument: AnyNode | undefined, follow: Follow) {
  const isText = argument?.type === 'Literal' && (typeof argument.value === 'string' || argument.regex);
  if (getMemberName(callee) === 'split' && isText) return createInstance('Array');
  const owner = follow(callee.object);
  const path = `${owner?.path}.${getMemberName(callee)}`;
  if (owner?.kind === 'static') {
    // Without `new` too, it returns an instance.
    const type = /^Intl\.[A-Z]\w*Format$/.test(path) ? path : STATIC_RESULTS.find(([made]) => made.test(path))?.[1];
    return type === undefined ? undefined : createInstance(type);
  }
  if (owner?.kind !== 'instance') return undefined;
  if (ITERATED.test(path)) return createInstance('Iterator');
  return KEEPS_TYPE.test(path) ? owner : undefined;
}

/** The parts of expressions from which their values come. */
const SOURCES: Readonly<Partial<Record<AnyNode['type'], string>>> = {
  AwaitExpression: 'argument',
  CallExpression: 'callee',
  ChainExpression: 'expression',
  MemberExpression: 'object',
  NewExpression: 'callee',
};

/** Whether a value may come from an export of a package: `_.chain(list)`, `List([1])`, `await db.find()`. */
export function mayComeFromPackage(node: AnyNode, scopes: Scopes, steps = 0): boolean {
  countSteps();
  const load = getLoadedName(node, scopes);
  if (steps > MAX_STEPS || (load !== undefined && isPackage(load))) return true;
  const follow = (next: AnyNode) => mayComeFromPackage(next, scopes, steps + 1);
  if (node.type === 'Identifier') {
    const declarations = scopes.variableOf.get(node)?.declarations ?? [];
    return declarations.some((by) => by.type === 'VariableDeclarator' && by.init && follow(by.init));
  }
  const source = SOURCES[node.type];
  return source !== undefined && follow(node[source as keyof AnyNode] as unknown as AnyNode);
}
