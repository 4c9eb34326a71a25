/** Gathers facts about a script that decide whether it uses an API that Node.js 16 lacks. */
import { builtinModules } from 'node:module';
import type { AnyNode, CallExpression, MemberExpression, MethodDefinition, Property, PropertyDefinition } from 'acorn';
import { appendTo } from '../../text/append-to.ts';
import { getLiteralText, getMemberName, getPropertyName } from '../ast/member-names.ts';
import { isAssigned } from '../ast/walk.ts';
import { isGlobal, isGlobalObject, isUndeclared, type Scopes } from '../scope/scope-analysis.ts';

export interface Node16Facts {
  /** The member expressions `a.name`, by name. */
  members: Map<string, MemberExpression[]>;
  /** Names of members that the code sets, or tests for (`'fetch' in globalThis`). */
  mentionedNames: Set<string>;
  /** Those that it may set on the global object, or tests for. */
  namedGlobals: Set<string>;
  /** Names that the code sets on the global object. */
  assignedGlobals: Map<string, MemberExpression>;
  /** Names of properties and methods that the code defines. */
  definedNames: Set<string>;
  /** Calls of require and import with a literal name. */
  loads: { node: AnyNode; name: string }[];
  /** Whether something may add APIs to those of Node.js. */
  mayBePolyfilled: boolean;
}

/** Facts about `names`; others do not matter. */
export function gatherFacts(scopes: Scopes, names: ReadonlySet<string>): Node16Facts {
  const facts: Node16Facts = {
    members: new Map(),
    mentionedNames: new Set(),
    namedGlobals: new Set(),
    assignedGlobals: new Map(),
    definedNames: new Set(),
    loads: [],
    mayBePolyfilled: false,
  };
  for (const type of RELEVANT_TYPES) {
    for (const node of scopes.nodesOfType(type)) {
      const parent = scopes.parentOf.get(node);
      if (parent) recordNode(node, parent, names, scopes, facts);
    }
  }
  return facts;
}

const RELEVANT_TYPES = [
  'MemberExpression',
  'CallExpression',
  'ImportExpression',
  'Literal',
  'MethodDefinition',
  'PropertyDefinition',
  'Property',
] as const;

function recordNode(
  node: AnyNode,
  parent: AnyNode,
  names: ReadonlySet<string>,
  scopes: Scopes,
  facts: Node16Facts,
): void {
  if (node.type === 'MemberExpression') {
    const name = getMemberName(node);
    if (name !== undefined && names.has(name)) recordMember(node, name, scopes, facts);
  } else if (node.type === 'CallExpression') recordCall(node, parent, scopes, facts);
  else if (node.type === 'ImportExpression') recordLoad(node, parent, scopes, facts);
  else if (node.type === 'Literal' && typeof node.value === 'string') {
    if (!names.has(node.value) || !isFeatureTest(node, parent)) return;
    facts.mentionedNames.add(node.value);
    facts.namedGlobals.add(node.value);
  } else if (isDefinition(node, parent)) facts.definedNames.add(getPropertyName(node) ?? '');
}

/** Methods that test for a property, or define it, by name. */
const PROPERTY_METHODS =
  /^(has|hasOwn|hasOwnProperty|get|set|call|defineProperty|getOwnPropertyDescriptor|propertyIsEnumerable)$/;

/** `'fetch' in globalThis`, `Object.hasOwn(globalThis, 'fetch')`. */
function isFeatureTest(node: AnyNode, parent: AnyNode): boolean {
  if (parent.type === 'BinaryExpression') return parent.operator === 'in' && parent.left === node;
  if (parent.type !== 'CallExpression' || parent.callee.type !== 'MemberExpression') return false;
  return parent.callee !== node && PROPERTY_METHODS.test(getMemberName(parent.callee) ?? '');
}

const isDefinition = (node: AnyNode, parent: AnyNode): node is Property | MethodDefinition | PropertyDefinition =>
  node.type === 'MethodDefinition' ||
  node.type === 'PropertyDefinition' ||
  (node.type === 'Property' && parent.type === 'ObjectExpression');

function recordMember(node: MemberExpression, name: string, scopes: Scopes, facts: Node16Facts): void {
  const isSet = isAssigned(node, scopes);
  if (isSet) facts.mentionedNames.add(name);
  if (isSet && mayBeGlobalObject(node.object, scopes)) facts.namedGlobals.add(name);
  if (isSet && isGlobalLike(node.object, scopes)) facts.assignedGlobals.set(name, node);
  appendTo(facts.members, name, node);
}

/** Methods that do not add to the global object when it is passed to them. */
const READ_ONLY_METHODS =
  /^(keys|values|entries|getOwnProperty\w+|hasOwn|hasOwnProperty|has|get|isFrozen|defineProperty|log|dir|inspect|stringify)$/;

function recordCall(node: CallExpression, parent: AnyNode, scopes: Scopes, facts: Node16Facts): void {
  const [first] = node.arguments;
  const { callee } = node;
  recordLoad(node, parent, scopes, facts);
  const method = callee.type === 'MemberExpression' ? getMemberName(callee) : undefined;
  const isRead = /Function/.test(callee.type) || READ_ONLY_METHODS.test(method ?? '') || isOfGlobal(callee, scopes);
  if (first && isGlobalObject(first, scopes) && !isRead) facts.mayBePolyfilled = true;
  // A bundled CommonJS package that is imported for its side effects.
  const isEffect = callee.type === 'Identifier' && /^require_\w+$/.test(callee.name) && node.arguments.length === 0;
  if (isEffect && parent.type === 'ExpressionStatement') facts.mayBePolyfilled = true;
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

function recordLoad(node: AnyNode, parent: AnyNode, scopes: Scopes, facts: Node16Facts): void {
  const name = getLoadedName(node, scopes);
  if (name === undefined) return;
  facts.loads.push({ node, name });
  // A package whose exports are not used is loaded for its side effects.
  facts.mayBePolyfilled ||= parent.type === 'ExpressionStatement' && isPackage(name);
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
