/** Finds the function of the script that a call runs. */
import type { AnyNode, MemberExpression, MethodDefinition, Property } from 'acorn';
import { getMemberName, getPropertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import type { FunctionNode } from '../ast/walk.ts';
import { isConstant, resolveConstant, type Scopes } from '../scope/scope-analysis.ts';

/** A function, and the expressions that have it as their value. */
interface CalledFunction {
  node: FunctionNode;
  uses: readonly AnyNode[];
}

/** `helper(…)`, `helpers.key(…)`, `instance.method(…)`, `this.method(…)`; undefined if another function may run. */
export function findCalledFunction(callee: AnyNode, scopes: Scopes): CalledFunction | undefined {
  if (callee.type === 'MemberExpression') return findMethod(callee, scopes);
  const variable = scopes.variableOf.get(callee);
  const [declaration] = variable && isConstant(variable) ? variable.declarations : [];
  if (!variable || !declaration) return undefined;
  const uses = variable.reads;
  const node =
    isFunction(declaration) && declaration.id && scopes.variableOf.get(declaration.id) === variable
      ? declaration
      : resolveConstant(callee, scopes);
  if (isFunction(node)) return { node, uses };
  const passed = isFunction(declaration) ? findPassedFunction(callee, declaration, scopes) : undefined;
  return passed && { node: passed, uses };
}

const isFunction = (node: AnyNode | undefined): node is FunctionNode =>
  node !== undefined && /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);

/** The function that a parameter has, if its function is called once: `fn` in `withRetry(async (req) => …)`. */
function findPassedFunction(parameter: AnyNode, wrapper: FunctionNode, scopes: Scopes): FunctionNode | undefined {
  const variable = scopes.variableOf.get(parameter);
  const index = wrapper.params.findIndex((one) => one.type === 'Identifier' && scopes.variableOf.get(one) === variable);
  const name = wrapper.id ?? findDeclaredName(wrapper, scopes);
  const [use, ...others] = (name && scopes.variableOf.get(name)?.reads) ?? [];
  const call = use && others.length === 0 ? scopes.parentOf.get(use) : undefined;
  if (index < 0 || call?.type !== 'CallExpression' || call.callee !== use) return undefined;
  const argument = call.arguments[index];
  if (!argument) return undefined;
  return isFunction(argument) ? argument : resolveFunction(argument, scopes);
}

function findDeclaredName(node: AnyNode, { parentOf }: Scopes): AnyNode | undefined {
  const parent = parentOf.get(node);
  return parent?.type === 'VariableDeclarator' && parent.init === node ? parent.id : undefined;
}

function resolveFunction(name: AnyNode, scopes: Scopes): FunctionNode | undefined {
  const [declaration] = scopes.variableOf.get(name)?.declarations ?? [];
  const node = declaration?.type === 'FunctionDeclaration' ? declaration : resolveConstant(name, scopes);
  return isFunction(node) ? node : undefined;
}

/** A method of an own object literal or class, unless the script sets a member of that name. */
function findMethod(callee: MemberExpression, scopes: Scopes): CalledFunction | undefined {
  const name = getMemberName(callee);
  const owner =
    callee.object.type === 'ThisExpression' ? findClassAround(callee, scopes) : findOwner(callee.object, scopes);
  if (name === undefined || !owner) return undefined;
  const members: readonly AnyNode[] = owner.type === 'ObjectExpression' ? owner.properties : owner.body.body;
  countSteps(members.length);
  const found = members.filter(
    (one): one is Property | MethodDefinition => isMember(one) && getPropertyName(one) === name,
  );
  const [method, ...others] = found;
  const isPlain = method && others.length === 0 && (method.type === 'Property' || method.kind === 'method');
  if (!isPlain || !isFunction(method.value)) return undefined;
  const uses = listMembers(name, scopes);
  return uses.some((use) => isSet(use, scopes)) ? undefined : { node: method.value, uses };
}

const isMember = (node: AnyNode) => node.type === 'Property' || node.type === 'MethodDefinition';

/** All expressions that read or set a member of a name. */
const listMembers = (name: string, { nodesOfType }: Scopes) => {
  const members = nodesOfType('MemberExpression');
  countSteps(members.length);
  return members.filter((node) => getMemberName(node) === name);
};

function isSet(node: AnyNode, { parentOf }: Scopes): boolean {
  const parent = parentOf.get(node);
  return parent?.type === 'AssignmentExpression' && parent.left === node;
}

/** The object literal, or the class without another one above it, that a constant is made of. */
function findOwner(node: AnyNode, scopes: Scopes) {
  const value = resolveConstant(node, scopes);
  if (value?.type === 'ObjectExpression') return value;
  return value?.type === 'NewExpression' ? findClass(value.callee, scopes) : undefined;
}

type ClassNode = Extract<AnyNode, { superClass?: unknown }>;

function findClass(name: AnyNode, scopes: Scopes): ClassNode | undefined {
  const variable = scopes.variableOf.get(name);
  const [declaration] = variable && isConstant(variable) ? variable.declarations : [];
  const node = declaration?.type === 'VariableDeclarator' ? declaration.init : declaration;
  const isClass = node?.type === 'ClassDeclaration' || node?.type === 'ClassExpression';
  return isClass && !node.superClass ? node : undefined;
}

function findClassAround(node: AnyNode, { parentOf }: Scopes): ClassNode | undefined {
  for (let at = parentOf.get(node); at; at = parentOf.get(at)) {
    if (at.type === 'ClassDeclaration' || at.type === 'ClassExpression') return at.superClass ? undefined : at;
    if (at.type === 'FunctionDeclaration') return undefined;
  }
  return undefined;
}
