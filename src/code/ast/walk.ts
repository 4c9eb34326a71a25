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

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && typeof (value as AnyNode).type === 'string';

/** Pushes the children of a node, the last one first, because the worklist is a stack. */
function pushChildren(node: AnyNode, worklist: AnyNode[]): void {
  const first = worklist.length;
  const keys = Object.keys(node);
  for (let k = keys.length - 1; k >= 0; k--) {
    const value: unknown = node[keys[k] as keyof AnyNode];
    // One by one, because 100,000 elements are too many arguments.
    if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) if (isNode(value[i])) worklist.push(value[i]);
    } else if (isNode(value)) worklist.push(value);
  }
  sortFrom(first, worklist);
}

/** Parsers create most properties in source order, but not all. */
function sortFrom(first: number, worklist: AnyNode[]): void {
  for (let i = first + 1; i < worklist.length; i++) {
    if ((worklist[i] as AnyNode).start <= (worklist[i - 1] as AnyNode).start) continue;
    for (const node of worklist.splice(first).sort((a, b) => b.start - a.start)) worklist.push(node);
    return;
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

/** Walks through the script once. */
export function buildSyntaxTree(root: AnyNode): SyntaxTree {
  const nodes: AnyNode[] = [];
  const nodesByType = new Map<string, AnyNode[]>();
  const worklist = [root];
  const parents = new Map<AnyNode, AnyNode>();
  for (let node = worklist.pop(); node; node = worklist.pop()) {
    nodes.push(node);
    const sameType = nodesByType.get(node.type) ?? [];
    if (sameType.push(node) === 1) nodesByType.set(node.type, sameType);
    const known = worklist.length;
    pushChildren(node, worklist);
    for (let i = known; i < worklist.length; i++) parents.set(worklist[i] as AnyNode, node);
  }
  const nodesOfType = (type: string) => (nodesByType.get(type) ?? []) as never[];
  const parentOf: Parents = {
    get: (node) => {
      countSteps();
      return parents.get(node);
    },
  };
  return { nodes, nodesOfType, parentOf };
}
