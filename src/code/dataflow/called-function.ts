/** Finds the function of the script that a call runs. */
import type { AnyNode, MemberExpression, MethodDefinition, Property } from 'acorn';
import { getMemberName, getPropertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { type FunctionNode, isAssigned, isFunction, listAncestors } from '../ast/walk.ts';
import { findDefinition, type Scopes } from '../scope/scope-analysis.ts';

/** A function, and the expressions that have it as their value. */
interface CalledFunction {
  node: FunctionNode;
  uses: readonly AnyNode[];
}

/** `helper(…)`, `helpers.key(…)`, `instance.method(…)`, `this.method(…)`; undefined if another function may run. */
export function findCalledFunction(callee: AnyNode, scopes: Scopes): CalledFunction | undefined {
  if (callee.type === 'MemberExpression') return findMethod(callee, scopes);
  const definition = findDefinition(callee, scopes);
  const node = isFunction(definition) ? definition : findPassedFunction(callee, scopes);
  return node && { node, uses: scopes.variableOf.get(callee)?.reads ?? [] };
}

/** The function that a parameter has, if its function is called once: `fn` in `withRetry(async (req) => …)`. */
function findPassedFunction(parameter: AnyNode, scopes: Scopes): FunctionNode | undefined {
  const { variableOf, parentOf } = scopes;
  const variable = variableOf.get(parameter);
  const [wrapper, ...declarations] = variable?.declarations ?? [];
  if (!isFunction(wrapper) || declarations.length > 0 || variable?.writes.length !== 0) return undefined;
  const index = wrapper.params.findIndex((one) => variableOf.get(one) === variable);
  const parent = parentOf.get(wrapper);
  const name = wrapper.id ?? (parent?.type === 'VariableDeclarator' ? parent.id : undefined);
  const [use, ...others] = (name && variableOf.get(name)?.reads) ?? [];
  const call = use && others.length === 0 ? parentOf.get(use) : undefined;
  if (index < 0 || call?.type !== 'CallExpression' || call.callee !== use) return undefined;
  const argument = call.arguments[index];
  const passed = isFunction(argument) ? argument : findDefinition(argument, scopes);
  return isFunction(passed) ? passed : undefined;
}

/** A method of an own object literal or class, unless the script sets a member of that name. */
function findMethod(callee: MemberExpression, scopes: Scopes): CalledFunction | undefined {
  const name = getMemberName(callee);
  const owner =
    callee.object.type === 'ThisExpression' ? findClassAround(callee, scopes) : findOwner(callee.object, scopes);
  if (name === undefined || !owner) return undefined;
  const members: readonly AnyNode[] = owner.type === 'ObjectExpression' ? owner.properties : owner.body.body;
  countSteps(members.length);
  const [method, ...others] = members.filter(
    (one): one is Property | MethodDefinition =>
      (one.type === 'Property' || one.type === 'MethodDefinition') && getPropertyName(one) === name,
  );
  const isPlain = method && others.length === 0 && (method.type === 'Property' || method.kind === 'method');
  if (!isPlain || !isFunction(method.value)) return undefined;
  const all = scopes.nodesOfType('MemberExpression');
  countSteps(all.length);
  const uses = all.filter((node) => getMemberName(node) === name);
  return uses.some((use) => isAssigned(use, scopes)) ? undefined : { node: method.value, uses };
}

/** The object literal, or the class, that a constant is made of. */
function findOwner(node: AnyNode, scopes: Scopes) {
  const value = findDefinition(node, scopes);
  if (value?.type === 'ObjectExpression') return value;
  return value?.type === 'NewExpression' ? asBaseClass(findDefinition(value.callee, scopes)) : undefined;
}

/** A class without another one above it. */
const asBaseClass = (node: AnyNode | undefined) =>
  (node?.type === 'ClassDeclaration' || node?.type === 'ClassExpression') && !node.superClass ? node : undefined;

function findClassAround(node: AnyNode, scopes: Scopes) {
  for (const { parent } of listAncestors(node, scopes)) {
    if (parent.type.startsWith('Class') && parent.type !== 'ClassBody') return asBaseClass(parent);
    if (parent.type === 'FunctionDeclaration') return undefined;
  }
  return undefined;
}
