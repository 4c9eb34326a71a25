/** A walk over a syntax tree. */
import type { AnyNode } from 'acorn';

/** The nodes directly below one, in order of the source. */
export function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  // This runs for every node of every script, several times: no lists are made on the way.
  for (const key in node) {
    const value: unknown = node[key as keyof AnyNode];
    if (typeof value !== 'object' || value === null || key === 'loc' || key === 'range') continue;
    if (isNode(value)) children.push(value);
    else if (Array.isArray(value)) for (const child of value) if (isNode(child)) children.push(child);
  }
  return children;
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && typeof (value as AnyNode).type === 'string';

/** The node and all below it, in order of the source; what stands below a node that `isClosed` is left out. */
export function* walk(root: AnyNode, isClosed: (node: AnyNode) => boolean = () => false): Generator<AnyNode> {
  // A list instead of recursion: deep trees must not overflow the stack.
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    // One by one: a table of 100,000 entries is too many arguments for one push.
    if (!isClosed(node)) for (const child of childrenOf(node).reverse()) open.push(child);
  }
}

/** Every node below the root with what it stands in. */
export function parentsIn(root: AnyNode): Map<AnyNode, AnyNode> {
  const parentOf = new Map<AnyNode, AnyNode>();
  const open = [root];
  for (let parent = open.pop(); parent; parent = open.pop()) {
    for (const node of childrenOf(parent)) {
      parentOf.set(node, parent);
      open.push(node);
    }
  }
  return parentOf;
}
