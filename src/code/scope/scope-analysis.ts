/** The variables of a script by scope: which declaration an identifier means, and which names the script does not declare. */
import type {
  AnyNode,
  Expression,
  ForInStatement,
  ForOfStatement,
  Identifier,
  Pattern,
  VariableDeclaration,
} from 'acorn';
import type { FunctionNode } from '../ast/function-node.ts';
import type { Tree } from '../ast/walk.ts';
import { isOnlyAName, variablesIn } from './binding-identifiers.ts';
import { declareIn, lookUp, type Scope, scopeIn, type Variable, varScope } from './scope.ts';

export type { Variable };

export interface Scopes extends Tree {
  /** The variable that an identifier means, where the script declares it. */
  variableOf: ReadonlyMap<AnyNode, Variable>;
  /** The identifiers that mean globals, or what Node.js gives to every file. */
  free: readonly { node: Identifier; isWrite: boolean }[];
  /** The offsets of `eval` and `with` in bundled packages, whose own names cannot be told. */
  unclear: readonly number[];
}

/** True for a variable that has one declaration and only the value that it got there. */
export const isStable = ({ declaredBy, isChanged }: Variable): boolean => declaredBy.length === 1 && !isChanged;

/** What is done at an identifier; `declare`: it gets the value of its declaration. */
type Use = 'read' | 'write' | 'update' | 'declare';

interface Search {
  /** The scope of the node that is looked at. */
  scope: Scope;
  variableOf: Map<AnyNode, Variable>;
  /** The identifiers that are not only read. */
  uses: Map<AnyNode, Use>;
  references: { node: Identifier; scope: Scope; use: Use }[];
}

/** undefined where names cannot be told by the text (`eval`, `with`), unless that is in a bundled package. */
export function scopesOf(tree: Tree, isInPackage: (offset: number) => boolean = () => false): Scopes | undefined {
  const unclear: number[] = [];
  const scope = scopeIn(undefined, Number.POSITIVE_INFINITY, { holdsVars: true, hasArguments: true });
  const search: Search = { scope, variableOf: new Map(), uses: new Map(), references: [] };
  for (const node of tree.nodes) {
    if (node.type === 'WithStatement' || isEval(node)) {
      if (!isInPackage(node.start)) return undefined;
      unclear.push(node.start);
    }
    while (search.scope.upper && node.start >= search.scope.end) search.scope = search.scope.upper;
    const parent = tree.parentOf.get(node);
    // The value of a field is computed as if by a function.
    if (parent?.type === 'PropertyDefinition' && parent.value === node) enter(node, search, { holdsVars: true });
    (NOTES[node.type] as Note<AnyNode> | undefined)?.(node, search, parent);
  }
  return { ...tree, variableOf: search.variableOf, free: resolved(search), unclear };
}

const isEval = (node: AnyNode) =>
  node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'eval';

type Note<T> = (node: T, search: Search, parent: AnyNode | undefined) => void;

/** What a node means for the scopes, by its type. */
const NOTES: { [Type in AnyNode['type']]?: Note<Extract<AnyNode, { type: Type }>> } = {
  Identifier: refer,
  VariableDeclaration: declareVariables,
  FunctionDeclaration: (node, search) => {
    if (node.id) declare(node.id, node, search);
    enterFunction(node, search);
  },
  FunctionExpression: (node, search) => {
    if (node.id) {
      enter(node, search);
      declare(node.id, node, search);
    }
    enterFunction(node, search);
  },
  ArrowFunctionExpression: enterFunction,
  ClassDeclaration: (node, search) => {
    if (node.id) declare(node.id, node, search);
    enterClass(node, node.id, search);
  },
  ClassExpression: (node, search) => enterClass(node, node.id, search),
  StaticBlock: (node, search) => enter(node, search, { holdsVars: true }),
  BlockStatement: (node, search, parent) => {
    if (!parent || !/Function/.test(parent.type)) enter(node, search);
  },
  CatchClause: (node, search) => {
    enter(node, search);
    for (const name of node.param ? variablesIn(node.param) : []) declare(name, node, search);
  },
  SwitchCase: (node, search, parent) => {
    if (parent?.type === 'SwitchStatement' && parent.cases[0] === node) enter(parent, search);
  },
  ForStatement: (node, search) => {
    if (isLexical(node.init)) enter(node, search);
  },
  ForInStatement: noteLoop,
  ForOfStatement: noteLoop,
  AssignmentExpression: (node, search) => use(node.left, node.operator === '=' ? 'write' : 'update', search),
  UpdateExpression: (node, search) => use(node.argument, 'update', search),
};

/** From here to the end of the node, names are declared in a scope of its own. */
function enter({ end }: AnyNode, search: Search, facts?: Partial<Scope>): void {
  search.scope = scopeIn(search.scope, end, facts);
}

function declare(name: Identifier, by: AnyNode, search: Search, scope = search.scope): void {
  search.variableOf.set(name, declareIn(scope, name, by));
}

function use(pattern: Pattern | Expression, as: Use, search: Search): void {
  for (const name of variablesIn(pattern)) search.uses.set(name, as);
}

function enterFunction(node: FunctionNode, search: Search): void {
  const hasArguments = node.type !== 'ArrowFunctionExpression';
  enter(node, search, { holdsVars: true, hasArguments, bodyAt: node.body.start });
  for (const name of node.params.flatMap(variablesIn)) declare(name, node, search);
}

/** Within itself a class has its name in a variable of its own. */
function enterClass(node: AnyNode, name: Identifier | null | undefined, search: Search): void {
  enter(node, search);
  if (name) declare(name, node, search);
}

const isLexical = (node: AnyNode | null | undefined) => node?.type === 'VariableDeclaration' && node.kind !== 'var';

function noteLoop(node: ForInStatement | ForOfStatement, search: Search): void {
  if (isLexical(node.left)) enter(node, search);
  else if (node.left.type !== 'VariableDeclaration') use(node.left, 'write', search);
}

function declareVariables(node: VariableDeclaration, search: Search, parent: AnyNode | undefined): void {
  const isOfLoop = parent?.type === 'ForInStatement' || parent?.type === 'ForOfStatement';
  const { scope } = search;
  const target = node.kind === 'var' ? varScope(scope) : scope;
  for (const declarator of node.declarations) {
    for (const name of variablesIn(declarator.id)) {
      declare(name, declarator, search, target);
      // In `catch (e) { var e = 1; }` the value goes to another variable than the declared one.
      if (target !== scope && (declarator.init || isOfLoop))
        search.references.push({ node: name, scope, use: 'declare' });
    }
  }
}

function refer(node: Identifier, { scope, variableOf, uses, references }: Search, parent: AnyNode | undefined): void {
  // What declares is noted already.
  if (variableOf.has(node) || (parent && isOnlyAName(node, parent))) return;
  references.push({ node, scope, use: uses.get(node) ?? 'read' });
}

/** Finds out what each identifier means; gives those that mean nothing of the script. */
function resolved({ references, variableOf }: Search): Scopes['free'] {
  const free: { node: Identifier; isWrite: boolean }[] = [];
  for (const { node, scope, use: as } of references) {
    const variable = lookUp(node, scope);
    if (!variable) {
      free.push({ node, isWrite: as !== 'read' });
      continue;
    }
    variableOf.set(node, variable);
    if (as === 'read' || as === 'update') variable.reads.push(node);
    if (as === 'write' || as === 'update') variable.isChanged = true;
  }
  return free;
}
