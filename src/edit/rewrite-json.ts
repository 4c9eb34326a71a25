/** Changes values in a JSON text byte for byte: only the bytes of what changes are replaced, added, or removed. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../text/json-type.ts';
import { type Node, parseTree } from '../text/jsonc.ts';
import { formatLike, type Layout, layoutAt } from './json-layout.ts';

interface Edit {
  offset: number;
  length: number;
  content: string;
}

type Json = Record<string, unknown>;

/**
 * The text with `value` as its value. The text must be JSON without duplicate keys; a new key is added at its place in
 * `keyOrder`, or at the end if it is not in it.
 */
export function rewriteJson(text: string, value: unknown, keyOrder: readonly string[]): string {
  const root = parseTree(text);
  if (!root) throw new Error('the text is not JSON');
  const edits: Edit[] = [];
  changeValue(root, value, { text, keyOrder, edits });
  // At one offset, what is added comes before what is removed, in the order in which it was added.
  const lastFirst = edits.reverse().sort((a, b) => b.offset - a.offset || b.length - a.length);
  return lastFirst.reduce(
    (changed, { offset, length, content }) => changed.slice(0, offset) + content + changed.slice(offset + length),
    text,
  );
}

interface Context {
  text: string;
  keyOrder: readonly string[];
  edits: Edit[];
}

const endOf = ({ offset, length }: Node) => offset + length;

function changeValue(node: Node, value: unknown, context: Context): void {
  if (isDeepStrictEqual(valueIn(node, context), value)) return;
  if (node.type === 'object' && isObject(value)) changeObject(node, value, context);
  else if (node.type === 'array' && Array.isArray(value)) changeArray(node, value, context);
  else replace(node, value, context);
}

const valueIn = ({ offset, length }: Node, { text }: Context): unknown =>
  JSON.parse(text.slice(offset, offset + length));

function replace(node: Node, value: unknown, { text, edits }: Context): void {
  const content = formatLike(value, layoutAt(text, node.offset), text.slice(node.offset, endOf(node)));
  edits.push({ offset: node.offset, length: node.length, content });
}

function changeObject(node: Node, value: Json, context: Context): void {
  const properties = node.children ?? [];
  const keyIn = ({ children }: Node) => children?.[0]?.value as string;
  const kept = properties.map((property) => Object.hasOwn(value, keyIn(property)));
  const known = new Set(properties.map(keyIn));
  const added = Object.keys(value)
    .filter((key) => !known.has(key))
    .sort((a, b) => rankOf(a, context.keyOrder) - rankOf(b, context.keyOrder));
  const isEmptied = !kept.includes(true);
  if (isEmptied && (added.length > 0 || properties.length === 0)) {
    replace(node, value, context);
    return;
  }
  for (const [i, property] of properties.entries()) {
    const child = property.children?.[1];
    if (kept[i] && child) changeValue(child, value[keyIn(property)], context);
  }
  const additions = added.map((key) => ({
    after: lastBefore(properties, kept, (property) => isBefore(keyIn(property), key, context.keyOrder)),
    text: (layout: Layout, sibling: Node) =>
      JSON.stringify(key) +
      colonOf(sibling, context.text) +
      formatLike(value[key], layout, childText(sibling, context.text)),
  }));
  changeChildren(node, kept, additions, context);
}

/** Whether a key comes before a new one. */
const isBefore = (key: string, added: string, keyOrder: readonly string[]): boolean =>
  !keyOrder.includes(added) || rankOf(key, keyOrder) < rankOf(added, keyOrder);

/** The place of a key in the order; unknown keys are last. */
const rankOf = (key: string, keyOrder: readonly string[]): number =>
  keyOrder.includes(key) ? keyOrder.indexOf(key) : keyOrder.length;

/** The index of the last kept child for which the test is true, or -1. */
const lastBefore = (children: readonly Node[], kept: readonly boolean[], test: (child: Node) => boolean): number =>
  children.findLastIndex((child, i) => kept[i] && test(child));

/** The bytes between the key and the value of a property, on one line. */
function colonOf({ children }: Node, text: string): string {
  const [key, value] = children ?? [];
  const colon = key && value ? text.slice(endOf(key), value.offset) : ': ';
  return /[\r\n]/.test(colon) ? ': ' : colon;
}

function childText({ children }: Node, text: string): string {
  const value = children?.[1];
  return value ? text.slice(value.offset, endOf(value)) : '';
}

function changeArray(node: Node, value: readonly unknown[], context: Context): void {
  const elements = node.children ?? [];
  const old = elements.map((element) => valueIn(element, context));
  const { pairs, added } = matchElements(old, value);
  if (pairs.size === 0 && value.length > 0) {
    replace(node, value, context);
    return;
  }
  for (const [i, j] of pairs) changeValue(elements[i] as Node, value[j], context);
  const additions = added.map(({ after, index }) => ({
    after,
    text: (layout: Layout, sibling: Node) =>
      formatLike(value[index], layout, context.text.slice(sibling.offset, endOf(sibling))),
  }));
  const kept = elements.map((_, i) => pairs.has(i));
  changeChildren(node, kept, additions, context);
}

interface Matched {
  /** Old indexes that stay, with their new ones; both grow. */
  pairs: Map<number, number>;
  /** New elements, each behind the old index after which it is inserted. */
  added: { after: number; index: number }[];
}

/**
 * Which old element each new one is: the one of the same name (or equal), otherwise, between two of these, the one at the
 * same place.
 */
function matchElements(old: readonly unknown[], next: readonly unknown[]): Matched {
  const indexes = new Map<string, number[]>();
  for (const [i, element] of old.entries()) {
    const identity = identityOf(element);
    indexes.set(identity, [...(indexes.get(identity) ?? []), i]);
  }
  const pairs = new Map<number, number>();
  const added: Matched['added'] = [];
  let [oldAt, nextAt] = [0, 0];
  const pairGap = (oldEnd: number, nextEnd: number) => {
    for (; oldAt < oldEnd && nextAt < nextEnd; oldAt++, nextAt++) pairs.set(oldAt, nextAt);
    for (; nextAt < nextEnd; nextAt++) added.push({ after: oldAt - 1, index: nextAt });
  };
  for (const [j, element] of next.entries()) {
    const i = indexes.get(identityOf(element))?.find((index) => index >= oldAt);
    if (i === undefined) continue;
    pairGap(i, j);
    pairs.set(i, j);
    [oldAt, nextAt] = [i + 1, j + 1];
  }
  pairGap(old.length, next.length);
  return { pairs, added };
}

function identityOf(element: unknown): string {
  const name = isObject(element) ? element['name'] : undefined;
  return typeof name === 'string' ? `name:${name}` : `value:${JSON.stringify(element)}`;
}

interface Addition {
  /** The child behind which it is added; -1: before the first. */
  after: number;
  text(layout: Layout, sibling: Node): string;
}

/** Removes the children that are not kept, and adds others with the separators that the children have. */
function changeChildren(node: Node, kept: readonly boolean[], additions: readonly Addition[], context: Context): void {
  if (kept.includes(true)) {
    removeChildren(node, kept, context);
    addChildren(node, kept, additions, context);
  } else if (kept.length > 0) {
    // Nothing is left: the white space goes too.
    context.edits.push({ offset: node.offset + 1, length: node.length - 2, content: '' });
  }
}

/** Removes each child with the separator before it; those before the first kept one with the separator after them. */
function removeChildren({ children = [] }: Node, kept: readonly boolean[], { edits }: Context): void {
  const firstKept = kept.indexOf(true);
  for (const [i, child] of children.entries()) {
    const [before, after] = [children[i - 1], children[i + 1]];
    if (kept[i]) continue;
    if (i < firstKept && after) edits.push({ offset: child.offset, length: after.offset - child.offset, content: '' });
    else if (before) edits.push({ offset: endOf(before), length: endOf(child) - endOf(before), content: '' });
  }
}

function addChildren(
  node: Node,
  kept: readonly boolean[],
  additions: readonly Addition[],
  { text, edits }: Context,
): void {
  const firstKept = kept.indexOf(true);
  for (const { after, text: write } of additions) {
    // The child after which it is added may be removed.
    const at = Math.max(firstKept, kept.lastIndexOf(true, Math.max(after, 0)));
    const anchor = node.children?.[at];
    if (!anchor) continue;
    const separator = separatorAt(node, at, text);
    const content = write(layoutAt(text, anchor.offset), anchor);
    if (after < firstKept) edits.push({ offset: anchor.offset, length: 0, content: content + separator });
    else edits.push({ offset: endOf(anchor), length: 0, content: separator + content });
  }
}

/** The bytes between a child and its neighbor; of an only child, a comma and the bytes before it. */
function separatorAt(node: Node, at: number, text: string): string {
  const children = node.children ?? [];
  const [before, child, after] = [children[at - 1], children[at], children[at + 1]];
  if (child && after) return text.slice(endOf(child), after.offset);
  if (child && before) return text.slice(endOf(before), child.offset);
  return `,${text.slice(node.offset + 1, child?.offset)}`;
}
