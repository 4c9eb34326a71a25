/** Changes values in a JSON text; all other bytes stay the same. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../text/json-type.ts';
import { type Node, parseTree } from '../text/jsonc.ts';
import { changeChildren, getEnd, type RewriteContext, type TextEdit } from './change-children.ts';
import { detectLayout, formatLike, type Layout } from './json-layout.ts';
import { matchElements } from './match-elements.ts';

type Json = Record<string, unknown>;

/** The text (JSON without duplicate keys) with another value. New keys are sorted by `keyOrder`, others last. */
export function rewriteJson(text: string, value: unknown, keyOrder: readonly string[]): string {
  const root = parseTree(text);
  if (!root) throw new Error('the text is not JSON');
  const edits: TextEdit[] = [];
  changeValue(root, value, { text, keyOrder, edits });
  // At the same offset, additions precede removals, in their order.
  const lastFirst = edits.reverse().sort((a, b) => b.offset - a.offset || b.length - a.length);
  return lastFirst.reduce(
    (changed, { offset, length, content }) => changed.slice(0, offset) + content + changed.slice(offset + length),
    text,
  );
}

function changeValue(node: Node, value: unknown, context: RewriteContext): void {
  if (isDeepStrictEqual(parseNode(node, context), value)) return;
  if (node.type === 'object' && isObject(value)) changeObject(node, value, context);
  else if (node.type === 'array' && Array.isArray(value)) changeArray(node, value, context);
  else replace(node, value, context);
}

const parseNode = ({ offset, length }: Node, { text }: RewriteContext): unknown =>
  JSON.parse(text.slice(offset, offset + length));

function replace(node: Node, value: unknown, { text, edits }: RewriteContext): void {
  const content = formatLike(value, detectLayout(text, node.offset), text.slice(node.offset, getEnd(node)));
  edits.push({ offset: node.offset, length: node.length, content });
}

function changeObject(node: Node, value: Json, context: RewriteContext): void {
  const properties = node.children ?? [];
  const keyIn = ({ children }: Node) => children?.[0]?.value as string;
  const isKept = properties.map((property) => Object.hasOwn(value, keyIn(property)));
  const known = new Set(properties.map(keyIn));
  const added = Object.keys(value)
    .filter((key) => !known.has(key))
    .sort((a, b) => rankKey(a, context.keyOrder) - rankKey(b, context.keyOrder));
  const isEmptied = !isKept.includes(true);
  if (isEmptied && (added.length > 0 || properties.length === 0)) {
    replace(node, value, context);
    return;
  }
  for (const [i, property] of properties.entries()) {
    const child = property.children?.[1];
    if (isKept[i] && child) changeValue(child, value[keyIn(property)], context);
  }
  const additions = added.map((key) => ({
    after: lastBefore(properties, isKept, (property) => isBefore(keyIn(property), key, context.keyOrder)),
    text: (layout: Layout, sibling: Node) =>
      JSON.stringify(key) +
      formatColon(sibling, context.text) +
      formatLike(value[key], layout, valueText(sibling, context.text)),
  }));
  changeChildren(node, isKept, additions, context);
}

/** Whether a key comes before a new one. */
const isBefore = (key: string, added: string, keyOrder: readonly string[]): boolean =>
  !keyOrder.includes(added) || rankKey(key, keyOrder) < rankKey(added, keyOrder);

/** The index of a key in the order; unknown keys are last. */
const rankKey = (key: string, keyOrder: readonly string[]): number =>
  keyOrder.includes(key) ? keyOrder.indexOf(key) : keyOrder.length;

/** The index of the last kept child for which the test is true, or -1. */
const lastBefore = (children: readonly Node[], isKept: readonly boolean[], test: (child: Node) => boolean): number =>
  children.findLastIndex((child, i) => isKept[i] && test(child));

/** The colon of a property with the spaces around it. */
function formatColon({ children }: Node, text: string): string {
  const [key, value] = children ?? [];
  const colon = key && value ? text.slice(getEnd(key), value.offset) : ': ';
  return /[\r\n]/.test(colon) ? ': ' : colon;
}

function valueText({ children }: Node, text: string): string {
  const value = children?.[1];
  return value ? text.slice(value.offset, getEnd(value)) : '';
}

function changeArray(node: Node, value: readonly unknown[], context: RewriteContext): void {
  const elements = node.children ?? [];
  const old = elements.map((element) => parseNode(element, context));
  const { pairs, added } = matchElements(old, value);
  if (pairs.size === 0 && value.length > 0) {
    replace(node, value, context);
    return;
  }
  for (const [i, j] of pairs) changeValue(elements[i] as Node, value[j], context);
  const additions = added.map(({ after, index }) => ({
    after,
    text: (layout: Layout, sibling: Node) =>
      formatLike(value[index], layout, context.text.slice(sibling.offset, getEnd(sibling))),
  }));
  const isKept = elements.map((_, i) => pairs.has(i));
  changeChildren(node, isKept, additions, context);
}
