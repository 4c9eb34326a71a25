/** Gathers facts about a script that decide whether it uses an API that Node.js 16 lacks. */
import { builtinModules } from 'node:module';
import type { AnyNode, CallExpression, ImportExpression, MemberExpression } from 'acorn';
import { appendTo } from '../../text/group-by.ts';
import { getLiteralText, getMemberName, getPropertyName } from '../ast/member-names.ts';
import { isAssigned } from '../ast/walk.ts';
import { isGlobal, isGlobalObject, isUndeclared, type Scopes } from '../scope/scope-analysis.ts';

export type Node16Facts = ReturnType<typeof gatherFacts>;

/** Facts about `names`; others do not matter. */
export function gatherFacts(scopes: Scopes, names: ReadonlySet<string>) {
  const { nodesOfType, parentOf } = scopes;
  const calls = [...nodesOfType('CallExpression'), ...nodesOfType('ImportExpression')];
  const facts = {
    /** The member expressions `a.name`, by name. */
    members: new Map<string, MemberExpression[]>(),
    /** Names of members that the code sets, or tests for (`'fetch' in globalThis`). */
    mentionedNames: new Set<string>(),
    /** Those that it may set on the global object, or tests for. */
    namedGlobals: new Set<string>(),
    /** Names that the code sets on the global object. */
    assignedGlobals: new Map<string, MemberExpression>(),
    /** Names of properties and methods that the code defines. */
    definedNames: new Set<string>(),
    /** Calls of require and import with a literal name. */
    loads: calls.flatMap((node) => {
      const name = getLoadedName(node, scopes);
      return name === undefined ? [] : [{ node, name }];
    }),
    /** Whether something may add APIs to those of Node.js. */
    mayBePolyfilled: calls.some((node) => mayPolyfill(node, scopes)),
  };
  for (const node of nodesOfType('MemberExpression')) {
    const name = getMemberName(node) ?? '';
    if (names.has(name)) recordMember(node, name, scopes, facts);
  }
  for (const node of nodesOfType('Literal')) {
    if (typeof node.value !== 'string' || !names.has(node.value) || !isFeatureTest(node, parentOf.get(node))) continue;
    facts.mentionedNames.add(node.value);
    facts.namedGlobals.add(node.value);
  }
  const definitions = [...nodesOfType('MethodDefinition'), ...nodesOfType('PropertyDefinition')];
  const properties = nodesOfType('Property').filter((node) => parentOf.get(node)?.type === 'ObjectExpression');
  for (const node of [...definitions, ...properties]) facts.definedNames.add(getPropertyName(node) ?? '');
  return facts;
}

/** Methods that test for a property, or define it, by name. */
const PROPERTY_METHODS =
  /^(has|hasOwn|hasOwnProperty|get|set|call|defineProperty|getOwnPropertyDescriptor|propertyIsEnumerable)$/;

/** `'fetch' in globalThis`, `Object.hasOwn(globalThis, 'fetch')`. */
function isFeatureTest(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type === 'BinaryExpression') return parent.operator === 'in' && parent.left === node;
  if (parent?.type !== 'CallExpression' || parent.callee.type !== 'MemberExpression') return false;
  return parent.callee !== node && PROPERTY_METHODS.test(getMemberName(parent.callee) ?? '');
}

function recordMember(node: MemberExpression, name: string, scopes: Scopes, facts: Node16Facts): void {
  appendTo(facts.members, name, node);
  if (!isAssigned(node, scopes)) return;
  facts.mentionedNames.add(name);
  if (mayBeGlobalObject(node.object, scopes)) facts.namedGlobals.add(name);
  if (isGlobalLike(node.object, scopes)) facts.assignedGlobals.set(name, node);
}

/** Methods that do not add to the global object when it is passed to them. */
const READ_ONLY_METHODS =
  /^(keys|values|entries|getOwnProperty\w+|hasOwn|hasOwnProperty|has|get|isFrozen|defineProperty|log|dir|inspect|stringify)$/;

/** Whether a call may add APIs: it gets the global object, or loads a package whose exports are not used. */
function mayPolyfill(node: CallExpression | ImportExpression, scopes: Scopes): boolean {
  const isStatement = scopes.parentOf.get(node)?.type === 'ExpressionStatement';
  const name = getLoadedName(node, scopes);
  if (isStatement && name !== undefined && isPackage(name)) return true;
  if (node.type === 'ImportExpression') return false;
  const { callee } = node;
  const [first] = node.arguments;
  // A bundled CommonJS package.
  const isBundled = callee.type === 'Identifier' && /^require_\w+$/.test(callee.name) && !first;
  if (isStatement && isBundled) return true;
  const method = callee.type === 'MemberExpression' ? getMemberName(callee) : undefined;
  const isRead = /Function/.test(callee.type) || READ_ONLY_METHODS.test(method ?? '') || isOfGlobal(callee, scopes);
  return first !== undefined && isGlobalObject(first, scopes) && !isRead;
}

/** `fetch.bind(globalThis)`, `globalThis.setTimeout.call(globalThis)` */
function isOfGlobal(callee: AnyNode, scopes: Scopes): boolean {
  if (callee.type !== 'MemberExpression' || !/^(bind|call|apply)$/.test(getMemberName(callee) ?? '')) return false;
  const { object } = callee;
  return object.type === 'MemberExpression' ? isGlobalObject(object.object, scopes) : isUndeclared(object, scopes);
}

/** The literal name that a call of require or import loads. */
export function getLoadedName(node: AnyNode, scopes: Scopes): string | undefined {
  if (node.type === 'ImportExpression') return getLiteralText(node.source);
  const isRequire = node.type === 'CallExpression' && isGlobal(node.callee, 'require', scopes);
  return isRequire && node.arguments[0] ? getLiteralText(node.arguments[0]) : undefined;
}

/** Whether a name is not a module of Node.js 16. Newer versions lack some names with `_`, which no package has. */
export const isPackage = (name: string) => !/^_|^node:/.test(name) && !builtinModules.includes(name);

const isGlobalLike = (node: AnyNode, scopes: Scopes) =>
  isGlobalObject(node, scopes) || isGlobal(node, 'self', scopes) || isGlobal(node, 'window', scopes);

/** The object of `this.fetch = …`, or of `root.fetch = …` where the value of root is unknown. */
function mayBeGlobalObject(node: AnyNode, scopes: Scopes): boolean {
  if (node.type === 'ThisExpression' || isGlobalLike(node, scopes)) return true;
  if (node.type !== 'Identifier') return false;
  const by = scopes.variableOf.get(node)?.declarations ?? [];
  return by.some(
    (one) => one.type !== 'VariableDeclarator' || !/^(Object|Array|Class|Function)Expr/.test(one.init?.type ?? ''),
  );
}
