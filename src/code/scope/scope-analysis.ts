/** Scope analysis: resolves identifiers to variables, and lists undeclared names. */
import type {
  AnyNode,
  Expression,
  ForInStatement,
  ForOfStatement,
  Identifier,
  Pattern,
  VariableDeclaration,
} from 'acorn';
import { type FunctionNode, isFunction, listAncestors, type Parents, type SyntaxTree } from '../ast/walk.ts';
import {
  createScope,
  declareOutsideBlock,
  declareVariable,
  findVarScope,
  isNonReference,
  listBindingIdentifiers,
  resolveVariable,
  type Scope,
  type Variable,
} from './scope.ts';

export type { Variable };

export interface Scopes extends SyntaxTree {
  /** The variable of an identifier that the script declares. */
  variableOf: ReadonlyMap<AnyNode, Variable>;
  /** The identifiers of globals and module parameters. */
  free: readonly { node: Identifier; isWrite: boolean }[];
  /** The offsets of `eval` and `with` in bundled packages, where names cannot be resolved. */
  unclear: readonly number[];
}

/** Whether a variable has one declaration and is never reassigned. */
export const isConstant = ({ declarations, writes }: Variable): boolean =>
  declarations.length === 1 && writes.length === 0;

/**
 * What a constant name stands for: its initializer, function, or class, or its declarator if it never gets a value.
 * undefined if the value may change or is unknown.
 */
export function findDefinition(name: AnyNode | undefined, { variableOf, parentOf }: Scopes): AnyNode | undefined {
  const variable = name && variableOf.get(name);
  const [declaration] = variable && isConstant(variable) ? variable.declarations : [];
  if (declaration?.type === 'VariableDeclarator') {
    if (declaration.id.type !== 'Identifier') return undefined;
    return declaration.init ?? (isOfLoop(declaration, parentOf) ? undefined : declaration);
  }
  // A function declares its parameters too.
  if (isFunction(declaration) && (!declaration.id || variableOf.get(declaration.id) !== variable)) return undefined;
  return declaration && /^Class|Function/.test(declaration.type) ? declaration : undefined;
}

function isOfLoop(declarator: AnyNode, parentOf: Parents): boolean {
  const statement = parentOf.get(declarator);
  return /^For(In|Of)/.test((statement && parentOf.get(statement)?.type) ?? '');
}

/** How an identifier is used; `declare`: it gets the value of its declaration. */
type ReferenceKind = 'read' | 'write' | 'update' | 'declare';

interface ScopeState {
  /** The scope of the current node. */
  scope: Scope;
  variableOf: Map<AnyNode, Variable>;
  /** The identifiers that are not only read. */
  uses: Map<AnyNode, ReferenceKind>;
  references: { node: Identifier; scope: Scope; use: ReferenceKind }[];
  /** The functions in blocks of sloppy code. */
  blockFunctions: { name: Identifier; by: AnyNode; scope: Scope }[];
  tree: SyntaxTree;
}

/** undefined if names cannot be resolved statically (`eval`, `with`), except in a bundled package. */
export function analyzeScopes(tree: SyntaxTree, isInPackage = (_offset: number) => false): Scopes | undefined {
  const unclear: number[] = [];
  const scope = createScope(undefined, Number.POSITIVE_INFINITY, { isVarScope: true, hasArguments: true });
  const state: ScopeState = {
    scope,
    variableOf: new Map(),
    uses: new Map(),
    references: [],
    blockFunctions: [],
    tree,
  };
  for (const node of tree.nodes) {
    if (node.type === 'WithStatement' || isEval(node)) {
      if (!isInPackage(node.start)) return undefined;
      unclear.push(node.start);
    }
    while (state.scope.parent && node.start >= state.scope.end) state.scope = state.scope.parent;
    const parent = tree.parentOf.get(node);
    // A field initializer runs like a function.
    if (parent?.type === 'PropertyDefinition' && parent.value === node) enterScope(node, state, { isVarScope: true });
    (VISITORS[node.type] as Visitor<AnyNode> | undefined)?.(node, state, parent);
  }
  // After all others, which take precedence.
  for (const { name, by, scope: block } of state.blockFunctions) declareOutsideBlock(name, by, block);
  return { ...tree, variableOf: state.variableOf, free: resolveReferences(state), unclear };
}

const isEval = (node: AnyNode) =>
  node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'eval';

type Visitor<T> = (node: T, state: ScopeState, parent: AnyNode | undefined) => void;

/** The visitors, by node type. */
const VISITORS: { [Type in AnyNode['type']]?: Visitor<Extract<AnyNode, { type: Type }>> } = {
  Identifier: recordReference,
  VariableDeclaration: declareVariables,
  FunctionDeclaration: (node, state) => {
    if (node.id) declare(node.id, node, state);
    if (node.id && isHoisted(node, state)) state.blockFunctions.push({ name: node.id, by: node, scope: state.scope });
    enterFunction(node, state);
  },
  FunctionExpression: (node, state) => {
    if (node.id) {
      enterScope(node, state);
      declare(node.id, node, state);
    }
    enterFunction(node, state);
  },
  ArrowFunctionExpression: enterFunction,
  ClassDeclaration: (node, state) => {
    if (node.id) declare(node.id, node, state);
    enterClass(node, node.id, state);
  },
  ClassExpression: (node, state) => enterClass(node, node.id, state),
  StaticBlock: (node, state) => enterScope(node, state, { isVarScope: true }),
  BlockStatement: (node, state, parent) => {
    if (!parent || !/Function/.test(parent.type)) enterScope(node, state);
  },
  CatchClause: (node, state) => {
    enterScope(node, state);
    for (const name of node.param ? listBindingIdentifiers(node.param) : []) declare(name, node, state);
  },
  SwitchCase: (node, state, parent) => {
    if (parent?.type === 'SwitchStatement' && parent.cases[0] === node) enterScope(parent, state);
  },
  ForStatement: (node, state) => {
    if (isLexical(node.init)) enterScope(node, state);
  },
  ForInStatement: visitLoop,
  ForOfStatement: visitLoop,
  AssignmentExpression: (node, state) => markUse(node.left, node.operator === '=' ? 'write' : 'update', state),
  UpdateExpression: (node, state) => markUse(node.argument, 'update', state),
};

/** Enters a new scope that ends with the node. */
function enterScope({ end }: AnyNode, state: ScopeState, facts?: Partial<Scope>): void {
  state.scope = createScope(state.scope, end, facts);
}

function declare(name: Identifier, by: AnyNode, state: ScopeState, scope = state.scope): void {
  state.variableOf.set(name, declareVariable(scope, name, by));
}

function markUse(pattern: Pattern | Expression, as: ReferenceKind, state: ScopeState): void {
  for (const name of listBindingIdentifiers(pattern)) state.uses.set(name, as);
}

function enterFunction(node: FunctionNode, state: ScopeState): void {
  const hasArguments = node.type !== 'ArrowFunctionExpression';
  enterScope(node, state, { isVarScope: true, hasArguments, bodyStart: node.body.start });
  for (const name of node.params.flatMap(listBindingIdentifiers)) declare(name, node, state);
}

/** Whether a function declaration is in a block of sloppy code. */
const isHoisted = (node: FunctionNode, { scope, tree }: ScopeState): boolean =>
  !scope.isVarScope &&
  !node.async &&
  !node.generator &&
  ![...listAncestors(node, tree)].some(({ parent }) => parent.type === 'ClassBody' || hasStrictDirective(parent));

const hasStrictDirective = (node: AnyNode): boolean =>
  (node.type === 'Program' || node.type === 'BlockStatement') &&
  node.body
    .slice(
      0,
      node.body.findIndex((one) => one.type !== 'ExpressionStatement' || !one.directive),
    )
    .some((one) => one.type === 'ExpressionStatement' && one.directive === 'use strict');

/** The name of a class is a separate variable inside the class. */
function enterClass(node: AnyNode, name: Identifier | null | undefined, state: ScopeState): void {
  enterScope(node, state);
  if (name) declare(name, node, state);
}

const isLexical = (node: AnyNode | null | undefined) => node?.type === 'VariableDeclaration' && node.kind !== 'var';

function visitLoop(node: ForInStatement | ForOfStatement, state: ScopeState): void {
  if (isLexical(node.left)) enterScope(node, state);
  else if (node.left.type !== 'VariableDeclaration') markUse(node.left, 'write', state);
}

function declareVariables(node: VariableDeclaration, state: ScopeState, parent: AnyNode | undefined): void {
  const isOfLoop = parent?.type === 'ForInStatement' || parent?.type === 'ForOfStatement';
  const { scope } = state;
  const target = node.kind === 'var' ? findVarScope(scope) : scope;
  for (const declarator of node.declarations) {
    for (const name of listBindingIdentifiers(declarator.id)) {
      declare(name, declarator, state, target);
      // In `catch (e) { var e = 1; }` the value is assigned to the variable of the catch clause.
      if (target !== scope && (declarator.init || isOfLoop))
        state.references.push({ node: name, scope, use: 'declare' });
    }
  }
}

function recordReference(node: Identifier, state: ScopeState, parent: AnyNode | undefined): void {
  const { scope, variableOf, uses, references } = state;
  // Declarations are already recorded.
  if (variableOf.has(node) || (parent && isNonReference(node, parent))) return;
  references.push({ node, scope, use: uses.get(node) ?? 'read' });
}

/** Resolves all references; returns those that the script does not declare. */
function resolveReferences({ references, variableOf }: ScopeState): Scopes['free'] {
  const free: { node: Identifier; isWrite: boolean }[] = [];
  for (const { node, scope, use: as } of references) {
    const variable = resolveVariable(node, scope);
    if (!variable) {
      free.push({ node, isWrite: as !== 'read' });
      continue;
    }
    variableOf.set(node, variable);
    if (as === 'read' || as === 'update') variable.reads.push(node);
    if (as === 'write' || as === 'update') variable.writes.push(node);
  }
  return free;
}

/** Whether a node is a name that the script does not declare. */
export const isUndeclared = (node: AnyNode, { variableOf }: Pick<Scopes, 'variableOf'>): boolean =>
  node.type === 'Identifier' && !variableOf.has(node);

/** Whether a node is the global of this name. */
export const isGlobal = (node: AnyNode, name: string, scopes: Pick<Scopes, 'variableOf'>): boolean =>
  node.type === 'Identifier' && node.name === name && isUndeclared(node, scopes);

export const isGlobalObject = (node: AnyNode, scopes: Pick<Scopes, 'variableOf'>): boolean =>
  isGlobal(node, 'globalThis', scopes) || isGlobal(node, 'global', scopes);
