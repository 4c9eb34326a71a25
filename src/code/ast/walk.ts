/** Walks syntax trees. */
import type { AnyNode } from 'acorn';
import { countSteps } from './steps.ts';

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

/** Reversed, because the worklist is a stack. */
const reversed = (keys: string): readonly string[] => keys.split(' ').filter(Boolean).reverse();

/** The child properties of node types, in source order; for other types, all properties are searched. */
const CHILD_KEYS = new Map<string, readonly string[]>(
  Object.entries({
    Identifier: '',
    Literal: '',
    TemplateElement: '',
    ThisExpression: '',
    Super: '',
    PrivateIdentifier: '',
    EmptyStatement: '',
    DebuggerStatement: '',
    Program: 'body',
    BlockStatement: 'body',
    ClassBody: 'body',
    StaticBlock: 'body',
    ExpressionStatement: 'expression',
    ChainExpression: 'expression',
    VariableDeclaration: 'declarations',
    VariableDeclarator: 'id init',
    FunctionDeclaration: 'id params body',
    FunctionExpression: 'id params body',
    ArrowFunctionExpression: 'id params body',
    MemberExpression: 'object property',
    CallExpression: 'callee arguments',
    NewExpression: 'callee arguments',
    ObjectExpression: 'properties',
    ObjectPattern: 'properties',
    ArrayExpression: 'elements',
    ArrayPattern: 'elements',
    Property: 'key value',
    MethodDefinition: 'key value',
    PropertyDefinition: 'key value',
    AssignmentExpression: 'left right',
    AssignmentPattern: 'left right',
    BinaryExpression: 'left right',
    LogicalExpression: 'left right',
    UnaryExpression: 'argument',
    UpdateExpression: 'argument',
    AwaitExpression: 'argument',
    SpreadElement: 'argument',
    RestElement: 'argument',
    ReturnStatement: 'argument',
    ThrowStatement: 'argument',
    YieldExpression: 'argument',
    ConditionalExpression: 'test consequent alternate',
    IfStatement: 'test consequent alternate',
    SequenceExpression: 'expressions',
    TaggedTemplateExpression: 'tag quasi',
    ForStatement: 'init test update body',
    ForInStatement: 'left right body',
    ForOfStatement: 'left right body',
    WhileStatement: 'test body',
    TryStatement: 'block handler finalizer',
    CatchClause: 'param body',
    SwitchStatement: 'discriminant cases',
    SwitchCase: 'test consequent',
    DoWhileStatement: 'body test',
    TemplateLiteral: 'expressions quasis',
    ClassDeclaration: 'id superClass body',
    ClassExpression: 'id superClass body',
  }).map(([type, keys]) => [type, reversed(keys)]),
);

const NO_CHILDREN = new Set(['loc', 'range', 'sourceFile']);

/** All keys, for a type that has no entry. */
const listChildKeys = (node: AnyNode): readonly string[] =>
  Object.keys(node)
    .filter((key) => !NO_CHILDREN.has(key))
    .reverse();

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && typeof (value as AnyNode).type === 'string';

/** Pushes the children of a node, the last one first. */
function pushChildren(
  node: AnyNode,
  worklist: AnyNode[],
  keys = CHILD_KEYS.get(node.type) ?? listChildKeys(node),
): void {
  for (const key of keys) {
    const value: unknown = node[key as keyof AnyNode];
    // One by one, because 100,000 elements are too many arguments.
    if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) if (isNode(value[i])) worklist.push(value[i]);
    } else if (isNode(value)) worklist.push(value);
  }
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

/**
 * Parents are stored on the nodes, because a map takes longer than the walk. The slot is a property that acorn already
 * creates in each node (`PARENT_SLOT`), because adding a property later is as slow.
 */
const PARENT_KEY = 'sourceFile';

/** Options of acorn that reserve the slot in each node. */
export const PARENT_SLOT = { directSourceFile: 'code' } as const;

type NodeWithParent = { [PARENT_KEY]?: AnyNode | undefined };

const parentOf: Parents = {
  get: (node) => {
    countSteps();
    return (node as NodeWithParent)[PARENT_KEY];
  },
};

/** Walks once through the script and stores the parent in each node. */
export function buildSyntaxTree(root: AnyNode): SyntaxTree {
  const nodes: AnyNode[] = [];
  const nodesByType = new Map<string, { nodes: AnyNode[]; keys: readonly string[] | undefined }>();
  const worklist = [root];
  (root as NodeWithParent)[PARENT_KEY] = undefined;
  for (let node = worklist.pop(); node; node = worklist.pop()) {
    nodes.push(node);
    const kind = nodesByType.get(node.type) ?? { nodes: [], keys: CHILD_KEYS.get(node.type) };
    if (kind.nodes.push(node) === 1) nodesByType.set(node.type, kind);
    const known = worklist.length;
    pushChildren(node, worklist, kind.keys);
    for (let i = known; i < worklist.length; i++) (worklist[i] as NodeWithParent)[PARENT_KEY] = node;
  }
  const nodesOfType = (type: string) => (nodesByType.get(type)?.nodes ?? []) as never[];
  return { nodes, nodesOfType, parentOf };
}
