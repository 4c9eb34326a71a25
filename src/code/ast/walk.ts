/** Walks syntax trees. */
import type { AnyNode } from 'acorn';
import { countSteps } from './steps.ts';

export type FunctionNode = Extract<AnyNode, { params: unknown }>;

export const isFunction = (node: AnyNode | undefined): node is FunctionNode =>
  node !== undefined && /Function/.test(node.type);

/** The nodes of a script, listed once for all analyses. */
export interface SyntaxTree {
  /** All nodes, in source order. */
  nodes: readonly AnyNode[];
  /** The nodes of a type, in source order. */
  nodesOfType<Type extends AnyNode['type']>(type: Type): readonly Extract<AnyNode, { type: Type }>[];
  parentOf: Parents;
}

/** The parent of each node; undefined for the root. */
export interface Parents {
  get(node: AnyNode): AnyNode | undefined;
}

/** A node of a tree that was listed. A map of the parents would take a tenth of the time of `validate`. */
type LinkedNode = AnyNode & { parent?: AnyNode };

/** The node types by the properties that contain their children, in source order; other types have no children. */
const TYPES_BY_KEYS: Readonly<Record<string, string>> = {
  argument:
    'AwaitExpression RestElement ReturnStatement SpreadElement ThrowStatement UnaryExpression UpdateExpression YieldExpression',
  body: 'BlockStatement ClassBody Program StaticBlock',
  'body test': 'DoWhileStatement',
  'block handler finalizer': 'TryStatement',
  'callee arguments': 'CallExpression NewExpression',
  declaration: 'ExportDefaultDeclaration',
  'declaration specifiers source attributes': 'ExportNamedDeclaration',
  declarations: 'VariableDeclaration',
  'discriminant cases': 'SwitchStatement',
  elements: 'ArrayExpression ArrayPattern',
  'exported source attributes': 'ExportAllDeclaration',
  expression: 'ChainExpression ExpressionStatement ParenthesizedExpression',
  expressions: 'SequenceExpression',
  'id init': 'VariableDeclarator',
  'id params body': 'ArrowFunctionExpression FunctionDeclaration FunctionExpression',
  'id superClass body': 'ClassDeclaration ClassExpression',
  'imported local': 'ImportSpecifier',
  'init test update body': 'ForStatement',
  'key value': 'ImportAttribute MethodDefinition Property PropertyDefinition',
  label: 'BreakStatement ContinueStatement',
  'label body': 'LabeledStatement',
  'left right': 'AssignmentExpression AssignmentPattern BinaryExpression LogicalExpression',
  'left right body': 'ForInStatement ForOfStatement',
  local: 'ImportDefaultSpecifier ImportNamespaceSpecifier',
  'local exported': 'ExportSpecifier',
  'meta property': 'MetaProperty',
  'object body': 'WithStatement',
  'object property': 'MemberExpression',
  'param body': 'CatchClause',
  properties: 'ObjectExpression ObjectPattern',
  // These alternate.
  'quasis expressions': 'TemplateLiteral',
  'source options': 'ImportExpression',
  'specifiers source attributes': 'ImportDeclaration',
  'tag quasi': 'TaggedTemplateExpression',
  'test body': 'WhileStatement',
  'test consequent': 'SwitchCase',
  'test consequent alternate': 'ConditionalExpression IfStatement',
};

const REVERSED_CHILD_KEYS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(TYPES_BY_KEYS).flatMap(([keys, types]) =>
    types.split(' ').map((type): [string, string[]] => [type, keys.split(' ').reverse()]),
  ),
);

/** Pushes the children of a node, the last one first, because the worklist is a stack. */
function pushChildren(node: AnyNode, worklist: AnyNode[]): void {
  const first = worklist.length;
  for (const key of REVERSED_CHILD_KEYS.get(node.type) ?? []) {
    const value = node[key as keyof AnyNode] as unknown as AnyNode | (AnyNode | null)[] | null | undefined;
    // One by one, because 100,000 elements are too many arguments.
    if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) if (value[i]) worklist.push(value[i] as AnyNode);
    } else if (value) worklist.push(value);
  }
  if (node.type === 'TemplateLiteral') sortFrom(first, worklist);
}

function sortFrom(first: number, worklist: AnyNode[]): void {
  for (const child of worklist.splice(first).sort((a, b) => b.start - a.start)) worklist.push(child);
}

/** The ancestors of a node, its parent first, each with its child that contains the node. */
export function* listAncestors(node: AnyNode, { parentOf }: Pick<SyntaxTree, 'parentOf'>) {
  let child = node;
  for (let parent = parentOf.get(child); parent; parent = parentOf.get(child)) {
    yield { parent, child };
    child = parent;
  }
}

/** Whether a node is the target of an assignment. */
export function isAssigned(node: AnyNode, { parentOf }: Pick<SyntaxTree, 'parentOf'>): boolean {
  const parent = parentOf.get(node);
  return parent?.type === 'AssignmentExpression' && parent.left === node;
}

/** The node and its descendants in source order, without children of nodes for which `shouldSkipChildren` is true. */
export function walk(root: AnyNode, shouldSkipChildren: (node: AnyNode) => boolean = () => false): AnyNode[] {
  const nodes: AnyNode[] = [];
  // A list instead of recursion: deep trees must not overflow the stack.
  const worklist = [root];
  for (let node = worklist.pop(); node; node = worklist.pop()) {
    countSteps();
    nodes.push(node);
    if (!shouldSkipChildren(node)) pushChildren(node, worklist);
  }
  return nodes;
}

/** Walks through the script once, and links each node to its parent. */
export function buildSyntaxTree(root: AnyNode): SyntaxTree {
  const nodes: AnyNode[] = [];
  const nodesByType = new Map<string, AnyNode[]>();
  const worklist = [root];
  for (let node = worklist.pop(); node; node = worklist.pop()) {
    nodes.push(node);
    const sameType = nodesByType.get(node.type);
    if (sameType) sameType.push(node);
    else nodesByType.set(node.type, [node]);
    const known = worklist.length;
    pushChildren(node, worklist);
    for (let i = known; i < worklist.length; i++) (worklist[i] as LinkedNode).parent = node;
  }
  const nodesOfType = (type: string) => (nodesByType.get(type) ?? []) as never[];
  const parentOf: Parents = {
    get: (node: LinkedNode) => {
      countSteps();
      return node.parent;
    },
  };
  return { nodes, nodesOfType, parentOf };
}
