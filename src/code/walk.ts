/** A walk over a syntax tree. */
import type { AnyNode } from 'acorn';

/** The nodes directly below one, in order of the source. */
export function* childrenOf(node: AnyNode): Generator<AnyNode> {
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && typeof (child as AnyNode).type === 'string')
        yield child as AnyNode;
    }
  }
}

/** The node and all below it, in order of the source; what stands below a node that `isClosed` is left out. */
export function* walk(root: AnyNode, isClosed: (node: AnyNode) => boolean = () => false): Generator<AnyNode> {
  // A list instead of recursion: deep trees must not overflow the stack.
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    // One by one: a table of 100,000 entries is too many arguments for one push.
    if (!isClosed(node)) for (const child of [...childrenOf(node)].reverse()) open.push(child);
  }
}
