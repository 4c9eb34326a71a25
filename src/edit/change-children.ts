/** Adds and removes children of a JSON object or array, with the separators that the others have. Pure. */
import type { Node } from '../text/jsonc.ts';
import { detectLayout, type Layout } from './json-layout.ts';

export interface TextEdit {
  offset: number;
  length: number;
  content: string;
}

export interface RewriteContext {
  text: string;
  keyOrder: readonly string[];
  edits: TextEdit[];
}

export const getEnd = ({ offset, length }: Node): number => offset + length;

interface Addition {
  /** The index of the child after which it is added; -1: before the first. */
  after: number;
  text(layout: Layout, sibling: Node): string;
}

/** Removes the children that are not kept, and adds others. */
export function changeChildren(
  node: Node,
  isKept: readonly boolean[],
  additions: readonly Addition[],
  context: RewriteContext,
): void {
  if (isKept.includes(true)) {
    removeChildren(node, isKept, context);
    addChildren(node, isKept, additions, context);
  } else if (isKept.length > 0) {
    // Nothing is left, so the whitespace is removed too.
    context.edits.push({ offset: node.offset + 1, length: node.length - 2, content: '' });
  }
}

/** Removes each child with the separator before it, or after it if no child before it is kept. */
function removeChildren({ children = [] }: Node, isKept: readonly boolean[], { edits }: RewriteContext): void {
  const firstKept = isKept.indexOf(true);
  for (const [i, child] of children.entries()) {
    const [before, after] = [children[i - 1], children[i + 1]];
    if (isKept[i]) continue;
    if (i < firstKept && after) edits.push({ offset: child.offset, length: after.offset - child.offset, content: '' });
    else if (before) edits.push({ offset: getEnd(before), length: getEnd(child) - getEnd(before), content: '' });
  }
}

function addChildren(
  node: Node,
  isKept: readonly boolean[],
  additions: readonly Addition[],
  { text, edits }: RewriteContext,
): void {
  const firstKept = isKept.indexOf(true);
  for (const { after, text: write } of additions) {
    // The child after which it is added may be removed.
    const at = Math.max(firstKept, isKept.lastIndexOf(true, Math.max(after, 0)));
    const anchor = node.children?.[at];
    if (!anchor) continue;
    const separator = separatorAt(node, at, text);
    const content = write(detectLayout(text, anchor.offset), anchor);
    if (after < firstKept) edits.push({ offset: anchor.offset, length: 0, content: content + separator });
    else edits.push({ offset: getEnd(anchor), length: 0, content: separator + content });
  }
}

/** The bytes between a child and its neighbor; for an only child, a comma and the bytes before it. */
function separatorAt(node: Node, at: number, text: string): string {
  const children = node.children ?? [];
  const [before, child, after] = [children[at - 1], children[at], children[at + 1]];
  if (child && after) return text.slice(getEnd(child), after.offset);
  if (child && before) return text.slice(getEnd(before), child.offset);
  return `,${text.slice(node.offset + 1, child?.offset)}`;
}
