/** The variables of a script whose value can be told from their one declaration. */
import type { AnyNode, Expression, Pattern } from 'acorn';
import { listBindingIdentifiers } from './binding-identifiers.ts';

/** Every declared name to the one value that it ever has; undefined where that cannot be told. */
export interface Bindings {
  get(name: string): AnyNode | undefined;
  has(name: string): boolean;
  /** Whether something other than a declaration may give a name a value: the global object, or a package loaded for its effect. */
  readonly mayHaveGlobals: boolean;
}

/**
 * Looks at every declaration and change in the whole script, whatever its scope: one name, one declaration. Most scripts
 * export a function that is written out, so they are looked at when the first name is asked for.
 */
export function collectBindings(nodes: readonly AnyNode[]): Bindings {
  let found: ReadonlyMap<string, AnyNode | undefined> | undefined;
  let mayHaveGlobals: boolean | undefined;
  const getValues = () => {
    found ??= collectValues(nodes);
    return found;
  };
  return {
    get: (name) => getValues().get(name),
    has: (name) => getValues().has(name),
    get mayHaveGlobals() {
      mayHaveGlobals ??= nodes.some(maySetGlobals);
      return mayHaveGlobals;
    },
  };
}

const GLOBAL_OBJECTS = /^(globalThis|global|self|window|Function)$/;

function maySetGlobals(node: AnyNode): boolean {
  if (node.type === 'Identifier') return GLOBAL_OBJECTS.test(node.name);
  if (node.type === 'ThisExpression') return true;
  if (node.type !== 'ExpressionStatement' || node.expression.type !== 'CallExpression') return false;
  const { callee } = node.expression;
  return callee.type === 'Identifier' && callee.name === 'require';
}

function collectValues(nodes: readonly AnyNode[]): Map<string, AnyNode | undefined> {
  const values = new Map(nodes.flatMap(getDeclaredValue));
  const declared = new Map<string, number>();
  const declare = (name: string, times: number) => declared.set(name, (declared.get(name) ?? 0) + times);
  for (const node of nodes) {
    for (const name of listDeclaredNames(node)) declare(name, 1);
    for (const name of listReassignedNames(node)) declare(name, 2);
    // The own name of an expression is one more; but in `const f = function f() {}` both mean the same.
    const ownName = getOwnName(node);
    if (ownName !== undefined && values.get(ownName) !== node) declare(ownName, 1);
  }
  return new Map([...declared].map(([name, times]) => [name, times === 1 ? values.get(name) : undefined]));
}

/** A variable without a value has its declarator as one. */
function getDeclaredValue(node: AnyNode): [string, AnyNode][] {
  if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier') {
    return [[node.id.name, node.init ?? node]];
  }
  const isDeclaration = node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration';
  return isDeclaration && node.id ? [[node.id.name, node]] : [];
}

const getOwnName = (node: AnyNode) =>
  node.type === 'FunctionExpression' || node.type === 'ClassExpression' ? node.id?.name : undefined;

function listDeclaredNames(node: AnyNode): string[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return listNames(node.id);
    case 'FunctionDeclaration':
      return [...(node.id ? [node.id.name] : []), ...node.params.flatMap(listNames)];
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.params.flatMap(listNames);
    case 'ClassDeclaration':
      return node.id ? [node.id.name] : [];
    case 'CatchClause':
      return node.param ? listNames(node.param) : [];
    default:
      return [];
  }
}

function listReassignedNames(node: AnyNode): string[] {
  if (node.type === 'AssignmentExpression') return listNames(node.left);
  if (node.type === 'UpdateExpression') return node.argument.type === 'Identifier' ? [node.argument.name] : [];
  if (node.type !== 'ForInStatement' && node.type !== 'ForOfStatement') return [];
  // A loop variable has many values.
  if (node.left.type !== 'VariableDeclaration') return listNames(node.left);
  return node.left.declarations.flatMap(({ id }) => listNames(id));
}

const listNames = (pattern: Pattern | Expression) => listBindingIdentifiers(pattern).map(({ name }) => name);
